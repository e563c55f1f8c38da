import { mayActAs } from '@gatebook/domain/project/roles';
import type { ProjectRole } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import {
  IconBook2,
  IconBroadcast,
  IconChartBar,
  IconHistory,
  IconInbox,
  IconLayoutGrid,
  IconMail,
  IconRocket,
  IconServer,
  IconSettings,
  IconShieldCheck,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { BatchProvider } from './components/batches/batch-provider.tsx';
import { Toasts } from './components/changes/toasts.tsx';
import { ProjectNotFoundPage } from './components/project-not-found-page.tsx';
import { ProjectSwitcher } from './components/project-switcher.tsx';
import { type NavGroup, type NavItem, Shell } from './components/shell.tsx';
import type { Entry } from './features/palette/entries.ts';
import { type OpenPalette, PaletteButton, PaletteHost } from './features/palette/palette-host.tsx';
import { TimeBar } from './features/time/time-bar.tsx';
import { useApp } from './lib/app.ts';
import { ChangesContext } from './lib/changes.ts';
import { useMoment } from './lib/moment.ts';
import { useNavigation } from './lib/navigation.ts';
import { useOperates, useOwnedProject } from './lib/operators.ts';
import { ownRoleIn, RoleContext, roleLabels } from './lib/role.ts';
import { type ShownPreview, ShowPreviewContext } from './lib/shown-previews.ts';
import { keepTabOf } from './lib/tab-owner.ts';
import { setTimeStyle, useTimeStyle } from './lib/time-style.ts';
import { userName } from './lib/user-name.ts';
import { useLocation, useNextPath } from './router/router-view.tsx';

const DAY_MS = 86_400_000;
const iconSize = { size: 17, 'aria-hidden': true } as const;

/** The navigation around every page that requires sign-in. */
export function OwnerFrame({ children }: { children: ReactNode }) {
  const { client, config } = useApp();
  const { value: moment, set } = useMoment();
  const { pathname: path, href } = useLocation();
  const nextPath = useNextPath();
  const [palette, setPalette] = useState<OpenPalette>(null);
  const me = useResource(['me'], client.me.find);
  const ownerId = me.value?.id ?? null;
  useEffect(() => {
    if (ownerId !== null) keepTabOf(ownerId);
  }, [ownerId]);
  const pathProjectId = /^\/projects\/([^/]+)/.exec(path)?.[1] ?? null;
  const owned = useOwnedProject(client, pathProjectId);
  const { value: project, isFetching } = owned;
  const isUnknown = pathProjectId !== null && project === null && !isFetching;
  const projectId = isUnknown ? null : pathProjectId;
  /** There is no past before the project. */
  const createdAt = project?.createdAt.getTime() ?? 0;
  const role = ownRoleIn(owned);
  const { value: isOperator = false } = useOperates(client);
  const groups = navigation(nextPath, projectId, { isOperator, hasInbox: config.hasInbox });
  const viewYesterday = () => set(String(Math.max(Date.now() - DAY_MS, createdAt + 1_000)));
  const actions = useActions(projectId, role, viewYesterday);
  return (
    <Shell
      path={path}
      switcher={
        <>
          <ProjectSwitcher projects={client.projects} currentId={projectId} current={project} />
          {projectId !== null && role !== null && role !== 'owner' && (
            <Badge variant="default" title={t`Your role in this project`}>
              {roleLabels[role]}
            </Badge>
          )}
          <PaletteButton onClick={() => setPalette('search')} />
          {projectId !== null && moment === null && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconHistory size={14} aria-hidden />}
              onClick={viewYesterday}
            >
              <Trans>View as of…</Trans>
            </Button>
          )}
        </>
      }
      groups={groups}
      account={me.value ? { id: me.value.id, name: userName(me.value), email: me.value.primaryEmail } : null}
      onSignOut={signOut}
    >
      <PaletteHost
        path={path}
        open={palette}
        setOpen={setPalette}
        project={projectId === null ? null : { ...client.admin(projectId), id: projectId }}
        projects={client.projects}
        pages={groups.flatMap(({ items }) => items)}
        actions={actions}
      />
      {projectId !== null && moment !== null && (
        <TimeBar audit={client.admin(projectId).audit} projectId={projectId} path={href} moment={moment} />
      )}
      {isUnknown && <ProjectNotFoundPage />}
      {!isUnknown && projectId === null && children}
      {projectId !== null && (
        <RoleContext value={role}>
          <ProjectChanges key={projectId} projectId={projectId} ownerId={ownerId}>
            {children}
          </ProjectChanges>
        </RoleContext>
      )}
    </Shell>
  );
}

const signOut = (): void => globalThis.location.assign('/handler/sign-out');

/** What the command palette can do besides opening pages. */
function useActions(projectId: string | null, role: ProjectRole | null, viewYesterday: () => void): readonly Entry[] {
  const { go } = useNavigation();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark' ? 'light' : 'dark';
  const isExact = useTimeStyle() === 'exact';
  const createUser = { id: 'create-user', label: t`Create user`, run: () => go(`/projects/${projectId}/users?new=1`) };
  const importUsers = {
    id: 'import-users',
    label: t`Import users`,
    keywords: 'migrate csv',
    run: () => go(`/projects/${projectId}/import`),
  };
  const createKey = {
    id: 'create-key',
    label: t`Create project key`,
    run: () => go(`/projects/${projectId}/settings/keys?new=1`),
  };
  const ofProject: readonly Entry[] = [
    ...(role !== null && mayActAs(role, 'developer') ? [createUser, importUsers, createKey] : []),
    { id: 'yesterday', label: t`View as of yesterday`, keywords: 'past history time', run: viewYesterday },
  ];
  return [
    ...(projectId === null ? [] : ofProject),
    { id: 'create-project', label: t`Create project`, run: () => go('/projects?new=1') },
    { id: 'account', label: t`Account settings`, run: () => globalThis.location.assign('/handler/account-settings') },
    {
      id: 'scheme',
      label: other === 'dark' ? t`Switch to dark mode` : t`Switch to light mode`,
      run: () => setColorScheme(other),
    },
    {
      id: 'times',
      label: isExact ? t`Show relative times` : t`Show exact times`,
      keywords: 'date format',
      run: () => setTimeStyle(isExact ? 'relative' : 'exact'),
    },
    { id: 'sign-out', label: t`Sign out`, run: signOut },
  ];
}

/** Gives dialogs their previews, shows toasts, and shows the batch of the project. */
function ProjectChanges({ projectId, ownerId, children }: ProjectChangesProps) {
  const { client, writes, previews } = useApp();
  const admin = client.admin(projectId);
  const { changes } = admin;
  const show = useCallback((shown: ShownPreview) => previews.show(projectId, shown), [previews, projectId]);
  return (
    <ChangesContext value={changes}>
      <ShowPreviewContext value={show}>
        <Toasts changes={changes} projectId={projectId} subscribe={writes.subscribe}>
          <BatchProvider
            projectId={projectId}
            ownerId={ownerId}
            userBatches={admin.userBatches}
            during={writes.ignoreDuring}
          >
            {children}
          </BatchProvider>
        </Toasts>
      </ShowPreviewContext>
    </ChangesContext>
  );
}

type ProjectChangesProps = { projectId: string; ownerId: string | null; children: ReactNode };

type Server = { isOperator: boolean; hasInbox: boolean };

function navigation(path: string, projectId: string | null, { isOperator, hasInbox }: Server): NavGroup[] {
  const item = (href: string, label: string, icon: ReactNode, isWithin = false): NavItem => ({
    href,
    label,
    icon,
    isCurrent: path === href || (isWithin && path.startsWith(`${href}/`)),
  });
  const serverPage = (href: string, label: string, icon: ReactNode) => ({
    ...item(href, label, icon),
    isExternal: true,
  });
  const home = `/projects/${projectId}`;
  const projectGroup: NavGroup = {
    label: t`Project`,
    items: [
      item(home, t`Overview`, <IconChartBar {...iconSize} />),
      item(`${home}/get-started`, t`Get started`, <IconRocket {...iconSize} />),
      item(`${home}/users`, t`Users`, <IconUsers {...iconSize} />, true),
      item(`${home}/teams`, t`Teams`, <IconUsersGroup {...iconSize} />, true),
      item(`${home}/permissions`, t`Permissions`, <IconShieldCheck {...iconSize} />),
      item(`${home}/audit-log`, t`Audit log`, <IconHistory {...iconSize} />),
      item(`${home}/events`, t`Events`, <IconBroadcast {...iconSize} />),
      item(`${home}/webhooks`, t`Webhooks`, <IconWebhook {...iconSize} />, true),
      item(`${home}/emails`, t`Emails`, <IconMail {...iconSize} />, true),
      item(`${home}/members`, t`Members`, <IconUserShield {...iconSize} />),
      item(`${home}/settings`, t`Settings`, <IconSettings {...iconSize} />, true),
    ],
  };
  return [
    ...(projectId === null ? [] : [projectGroup]),
    {
      label: t`Server`,
      items: [
        item('/projects', t`All projects`, <IconLayoutGrid {...iconSize} />),
        ...(isOperator ? [item('/operations', t`Operations`, <IconServer {...iconSize} />)] : []),
        ...(hasInbox ? [serverPage('/inbox', t`Inbox`, <IconInbox {...iconSize} />)] : []),
        serverPage('/docs', t`API reference`, <IconBook2 {...iconSize} />),
      ],
    },
  ];
}
