import type {
  AuditClient,
  PermissionDefinition,
  PermissionScope,
  PermissionsClient,
  Project,
  ProjectClient,
} from '@gatebook/js/admin';
import { type Resource, useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { Columns } from '../../components/columns.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { describePermission } from '../../lib/permission-description.ts';
import { useTitle } from '../../lib/use-title.ts';
import { DefaultsForm } from './defaults-form.tsx';
import { HoldersButton } from './holders-button.tsx';
import { PermissionTree } from './permission-tree.tsx';

const PermissionDialog = lateDialog(
  async () => (await import('./permission-dialog.tsx')).PermissionDialog,
  ({ edited }) => edited !== null,
);

type Props = {
  permissions: PermissionsClient;
  audit: AuditClient;
  client: Pick<ProjectClient, 'update'>;
  projectId: string;
  project: Resource<Project>;
};

/** Without grants, which are in the histories of users and teams. */
const definitionEvents = 'PermissionDefinitionCreated,PermissionDefinitionChanged,PermissionDefinitionDeleted';
const isSystemPermission = ({ id }: PermissionDefinition) => id.startsWith('$');
const texts = {
  team: {
    title: t`Team permissions`,
    createLabel: t`Create team permission`,
    lead: t`Granted to team members, per team. System permissions start with $ and are used by Gatebook itself.`,
    empty: t`No team permissions yet`,
  },
  project: {
    title: t`Project permissions`,
    createLabel: t`Create project permission`,
    lead: t`Granted to users for the whole project. Your servers check them.`,
    empty: t`No project permissions yet`,
  },
} as const;

export function PermissionsPage({ permissions, audit, client, projectId, project }: Props) {
  useTitle(t`Permissions`, project.value?.displayName);
  return (
    <Page
      title={t`Permissions`}
      lead={t`Define permissions for team members and users, and choose which ones are granted by default.`}
    >
      <Columns
        aside={
          project.value && (
            <Defaults
              permissions={permissions}
              client={client}
              projectId={projectId}
              project={project}
              value={project.value}
            />
          )
        }
      >
        {(['team', 'project'] as const).map((scope) => (
          <Definitions
            key={scope}
            scope={scope}
            permissions={permissions}
            audit={audit}
            projectId={projectId}
            project={project}
          />
        ))}
      </Columns>
    </Page>
  );
}

type DefinitionsProps = Omit<Props, 'client'> & { scope: PermissionScope };

function Definitions({ scope, permissions, audit, projectId, project }: DefinitionsProps) {
  const list = useResource(['permissions', projectId, scope], () => permissions.list(scope));
  const counts = useResource(['grants', projectId, 'counts', scope], () => permissions.countHolders(scope));
  const cache = useResourceCache();
  const [edited, setEdited] = useState<PermissionDefinition | 'new' | null>(null);
  const [deleting, setDeleting] = useState<PermissionDefinition | null>(null);
  const { title, createLabel, lead, empty } = texts[scope];
  const reload = async (): Promise<void> => {
    await Promise.all([list.refresh(), project.refresh(), cache.invalidate(['grants', projectId])]);
  };
  return (
    <Card
      title={title}
      labelId={`${scope}-permissions-title`}
      flush
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setEdited('new')}>
          {createLabel}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" px="lg" pt="md" pb="xs">
        {lead}
      </Text>
      <Rows list={list} label={t`Loading ${title}`} empty={empty}>
        {(definition) => (
          <DefinitionRow
            key={definition.id}
            definition={definition}
            definitions={list.value ?? []}
            holders={
              <HoldersButton
                permissions={permissions}
                projectId={projectId}
                scope={scope}
                id={definition.id}
                count={counts.value?.get(definition.id)}
              />
            }
            history={
              <HistoryButton
                audit={audit}
                projectId={projectId}
                name={definition.id}
                filters={{ type: definitionEvents, targetType: 'permission', targetId: definition.id }}
              />
            }
            onEdit={() => setEdited(definition)}
            onDelete={() => setDeleting(definition)}
          />
        )}
      </Rows>
      <PermissionDialog
        scope={scope}
        edited={edited}
        onClose={() => setEdited(null)}
        others={list.value ?? []}
        save={async (values) => {
          if (edited === 'new') await permissions.create(scope, values);
          else if (edited) await permissions.update(scope, edited.id, values);
          await reload();
        }}
      />
      <ConfirmDialog
        isOpen={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t`Delete this permission?`}
        confirmLabel={t`Delete permission`}
        call={deleting ? { method: 'DELETE', path: `/${scope}-permission-definitions/${deleting.id}` } : undefined}
        onConfirm={async () => {
          if (deleting) await permissions.delete(scope, deleting.id);
          await reload();
        }}
      >
        <Trans>
          Everyone who was granted <code>{deleting?.id}</code> loses it, and it is removed from the permissions that
          contain it.
        </Trans>
      </ConfirmDialog>
    </Card>
  );
}

type DefinitionRowProps = {
  definition: PermissionDefinition;
  definitions: readonly PermissionDefinition[];
  holders: ReactNode;
  history: ReactNode;
  onEdit: () => void;
  onDelete: () => void;
};

/** A permission with the tree of those it contains. */
function DefinitionRow({ definition, definitions, holders, history, onEdit, onDelete }: DefinitionRowProps) {
  const { id } = definition;
  const description = describePermission(definition);
  const actions = !isSystemPermission(definition) && (
    <>
      <Button size="compact-sm" variant="subtle" onClick={onEdit} aria-label={t`Edit ${id}`}>
        <Trans>Edit</Trans>
      </Button>
      <Button size="compact-sm" variant="subtle" color="red" onClick={onDelete} aria-label={t`Delete ${id}`}>
        <Trans>Delete</Trans>
      </Button>
    </>
  );
  return (
    <Row
      details={
        <>
          {holders}
          {!isSystemPermission(definition) && history}
        </>
      }
      actions={actions}
    >
      <code>{id}</code>
      {description && <small>{description}</small>}
      <PermissionTree id={id} definitions={definitions} />
    </Row>
  );
}

type DefaultsProps = Omit<Props, 'audit'> & { value: Project };

function Defaults({ permissions, client, projectId, project, value }: DefaultsProps) {
  const teamPermissions = useResource(['permissions', projectId, 'team'], () => permissions.list('team'));
  const projectPermissions = useResource(['permissions', projectId, 'project'], () => permissions.list('project'));
  return (
    <Card title={t`Default permissions`} labelId="defaults-title">
      <DefaultsForm
        config={value.config}
        teamIds={teamPermissions.value?.map(({ id }) => id) ?? []}
        projectIds={projectPermissions.value?.map(({ id }) => id) ?? []}
        save={async (config) => {
          await client.update({ config });
          await project.refresh();
        }}
      />
    </Card>
  );
}
