import type {
  AuditClient,
  ExplanationsClient,
  PermissionsClient,
  Project,
  TeamsClient,
  User,
  UserChanges,
  UsersClient,
} from '@gatebook/js/admin';
import type { ApiKeysClient, ContactChannelsClient, SessionsClient } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
import { useAction, useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiKeysCard } from '../../components/api-keys-card.tsx';
import { AuditCard, newestHistory } from '../../components/audit/audit-card.tsx';
import { Columns } from '../../components/columns.tsx';
import { Grants } from '../../components/grants.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Later } from '../../components/later.tsx';
import { MetadataCard } from '../../components/metadata-card.tsx';
import { type BackLink, Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { TitleWithImage } from '../../components/title-with-image.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { lastListHref } from '../../lib/last-list.ts';
import { late, useLate } from '../../lib/late.ts';
import { saveJson } from '../../lib/save-file.ts';
import { useTitle } from '../../lib/use-title.ts';
import { userName, userSubtitle } from '../../lib/user-name.ts';
import { UserAccounts } from './user-accounts.tsx';
import { channelsOf, UserChannels } from './user-channels.tsx';
import type { UserDialog } from './user-dialogs.tsx';
import { UserMenu } from './user-menu.tsx';
import { UserMethods } from './user-methods.tsx';
import { UserProfile } from './user-profile.tsx';
import { UserSessions } from './user-sessions.tsx';
import { UserTeams } from './user-teams.tsx';

const UserDialogs = lateDialog(
  async () => (await import('./user-dialogs.tsx')).UserDialogs,
  ({ open }) => open !== null,
);

const missingUser = late(async () => (await import('./missing-user.tsx')).MissingUser);

type UserPageProps = {
  channels: ContactChannelsClient;
  teams: Pick<TeamsClient, 'listOf'>;
  permissions: PermissionsClient;
  explanations: Pick<ExplanationsClient, 'permission'>;
  apiKeys: ApiKeysClient;
  /** undefined while loading. */
  project: Project | undefined;
  users: UsersClient;
  sessions: SessionsClient;
  audit: AuditClient;
  projectId: string;
  userId: string;
};

export function UserPage({ userId, ...parts }: UserPageProps) {
  const { users, channels, audit, projectId } = parts;
  const found = useResource(['user', projectId, userId], () => users.find(userId));
  const isMissing = isKnownError(found.error, 'USER_NOT_FOUND') || isKnownError(found.error, 'SCHEMA_ERROR');
  const MissingUser = useLate(missingUser, isMissing, () => {});
  useTitle(found.value ? userName(found.value) : t`User`);
  const { preload } = useResourceCache();
  if (!found.value && found.error === undefined) {
    // What is seen first must not wait for the user.
    preload(...channelsOf({ channels, projectId, userId }));
    preload(...newestHistory({ audit, projectId, target: { type: 'user', id: userId } }));
  }
  const back = { href: lastListHref(projectId, 'users'), label: t`Users` };
  if (found.value) {
    return <FoundUser user={found.value} back={back} refresh={found.refresh} {...parts} />;
  }
  if (isMissing && MissingUser) return <MissingUser userId={userId} back={back} {...parts} />;
  return (
    <Page title={t`User`} back={back}>
      {found.error === undefined || isMissing ? (
        <BlockLoading height={320} label={t`Loading user`} />
      ) : (
        <ErrorNote
          title={t`This user could not be loaded`}
          error={found.error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
    </Page>
  );
}

type FoundUserProps = Omit<UserPageProps, 'userId'> & {
  user: User;
  back: BackLink;
  refresh: () => Promise<void>;
};

function FoundUser({ user, back, refresh, ...parts }: FoundUserProps) {
  const { users, sessions, audit, channels, teams, permissions, explanations, apiKeys, project, projectId } = parts;
  const [dialog, setDialog] = useState<UserDialog | null>(null);
  const cache = useResourceCache();
  const reload = async (): Promise<void> => {
    await Promise.all([
      refresh(),
      cache.invalidate(['users', projectId]),
      cache.invalidate(['sessions', projectId, user.id]),
      cache.invalidate(['channels', projectId, user.id]),
      cache.invalidate(['metrics', projectId]),
    ]);
  };
  const download = useAction(async () => {
    saveJson(`user-${user.id}.json`, await users.export(user.id));
    await cache.invalidate(['audit', projectId]);
  });
  const update = async (changes: UserChanges): Promise<void> => {
    await users.update(user.id, changes);
    await reload();
  };
  return (
    <Page
      back={back}
      title={
        <TitleWithImage
          image={<UserAvatar id={user.id} name={userName(user)} size={40} />}
          badge={
            user.restrictedByAdmin && (
              <Badge color="red" variant="light">
                <Trans>Restricted</Trans>
              </Badge>
            )
          }
        >
          {userName(user)}
        </TitleWithImage>
      }
      lead={userSubtitle(user)}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setDialog('edit')}
          >
            <Trans>Edit user</Trans>
          </Button>
          <UserMenu
            isRestricted={user.restrictedByAdmin}
            onRestrict={() => setDialog('restrict')}
            onLift={() => setDialog('lift')}
            onPassword={() => setDialog('password')}
            onReset={() => setDialog('reset')}
            onImpersonate={() => setDialog('impersonate')}
            onExport={() => void download.run()}
            onMerge={() => setDialog('merge')}
            onDelete={() => setDialog('delete')}
          />
        </>
      }
    >
      {download.error !== undefined && (
        <ErrorNote title={t`The user data could not be exported`} error={download.error} />
      )}
      <Columns isEven aside={<AuditCard audit={audit} projectId={projectId} target={{ type: 'user', id: user.id }} />}>
        <UserProfile user={user} audit={audit} projectId={projectId} />
        <MetadataCard owner={user} reader={t`The user’s browser`} update={update} />
        <UserChannels channels={channels} projectId={projectId} userId={user.id} project={project} onChanged={reload} />
        <UserMethods user={user} update={update} />
        <Later height={900}>
          <UserAccounts user={user} users={users} projectId={projectId} onChanged={reload} />
          <UserSessions sessions={sessions} audit={audit} projectId={projectId} userId={user.id} onRevoked={reload} />
          <UserTeams teams={teams} audit={audit} projectId={projectId} userId={user.id} />
          <Card title={t`Project permissions`} labelId="grants-title" flush>
            <Grants
              permissions={permissions}
              projectId={projectId}
              holder={{ userId: user.id, teamId: null }}
              explanations={explanations}
              onChanged={reload}
              empty={t`No project permissions defined`}
            />
          </Card>
          {project && (
            <ApiKeysCard
              apiKeys={apiKeys}
              audit={audit}
              owner={{ type: 'user', id: user.id }}
              projectId={projectId}
              isAllowed={project.config.allowUserApiKeys}
            />
          )}
        </Later>
      </Columns>
      <UserDialogs
        open={dialog}
        onClose={() => setDialog(null)}
        user={user}
        users={users}
        project={project}
        projectId={projectId}
        update={update}
        reload={reload}
      />
    </Page>
  );
}
