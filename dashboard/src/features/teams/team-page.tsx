import type {
  AuditClient,
  ExplanationsClient,
  PermissionsClient,
  ProjectConfig,
  Team,
  TeamChanges,
  TeamsClient,
  UsersClient,
} from '@gatebook/js/admin';
import type { ApiKeysClient } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
import { useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiKeysCard } from '../../components/api-keys-card.tsx';
import { AuditCard } from '../../components/audit/audit-card.tsx';
import { Columns } from '../../components/columns.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Later } from '../../components/later.tsx';
import { MetadataCard } from '../../components/metadata-card.tsx';
import { MissingObjectPage } from '../../components/missing-object-page.tsx';
import { type BackLink, Page } from '../../components/page.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { TitleWithImage } from '../../components/title-with-image.tsx';
import { Writing } from '../../components/writing.tsx';
import { lastListHref } from '../../lib/last-list.ts';
import { useNavigation } from '../../lib/navigation.ts';
import { teamName } from '../../lib/team-name.ts';
import { useTitle } from '../../lib/use-title.ts';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { TeamImage } from './team-image.tsx';
import classes from './team-page.module.css';

const EditTeamDialog = lateDialog(async () => (await import('./edit-team-dialog.tsx')).EditTeamDialog);

type Props = {
  teams: TeamsClient;
  users: Pick<UsersClient, 'search'>;
  permissions: PermissionsClient;
  explanations: Pick<ExplanationsClient, 'permission'>;
  audit: AuditClient;
  apiKeys: ApiKeysClient;
  projectId: string;
  teamId: string;
  /** undefined while loading. */
  config: ProjectConfig | undefined;
};

export function TeamPage({ teamId, projectId, ...clients }: Props) {
  const { teams } = clients;
  const found = useResource(['team', projectId, teamId], () => teams.find(teamId));
  useTitle(found.value ? teamName(found.value) : t`Team`);
  const back = { href: lastListHref(projectId, 'teams'), label: t`Teams` };
  if (found.value) {
    return <FoundTeam team={found.value} projectId={projectId} back={back} refresh={found.refresh} {...clients} />;
  }
  if (isKnownError(found.error, 'TEAM_NOT_FOUND') || isKnownError(found.error, 'SCHEMA_ERROR')) {
    return (
      <MissingObjectPage
        audit={clients.audit}
        projectId={projectId}
        target={{ type: 'team', id: teamId }}
        back={back}
      />
    );
  }
  return (
    <Page title={t`Team`} back={back}>
      {found.error === undefined ? (
        <BlockLoading height={320} label={t`Loading team`} />
      ) : (
        <ErrorNote
          title={t`This team could not be loaded`}
          error={found.error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
    </Page>
  );
}

type FoundTeamProps = Omit<Props, 'teamId'> & { team: Team; back: BackLink; refresh: () => Promise<void> };

function FoundTeam({ team, config, back, refresh, ...parts }: FoundTeamProps) {
  const { teams, users, permissions, explanations, audit, apiKeys, projectId } = parts;
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const cache = useResourceCache();
  const { go } = useNavigation();
  const close = (): void => setDialog(null);
  const update = async (changes: TeamChanges): Promise<void> => {
    await teams.update(team.id, changes);
    await Promise.all([refresh(), cache.invalidate(['teams', projectId])]);
  };
  return (
    <Page
      back={back}
      title={<TitleWithImage image={<TeamImage team={team} />}>{teamName(team)}</TitleWithImage>}
      lead={<code className={classes.id}>{team.id}</code>}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setDialog('edit')}
          >
            <Trans>Edit team</Trans>
          </Button>
          <Writing needs="developer">
            <Button
              variant="default"
              c="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => setDialog('delete')}
            >
              <Trans>Delete team</Trans>
            </Button>
          </Writing>
        </>
      }
    >
      <Columns isEven aside={<AuditCard audit={audit} projectId={projectId} target={{ type: 'team', id: team.id }} />}>
        <Members
          teams={teams}
          users={users}
          permissions={permissions}
          explanations={explanations}
          audit={audit}
          projectId={projectId}
          teamId={team.id}
        />
        <MetadataCard owner={team} reader={t`The browsers of members`} update={update} />
        <Later height={400}>
          <Invitations teams={teams} projectId={projectId} teamId={team.id} config={config} />
          {config && (
            <ApiKeysCard
              apiKeys={apiKeys}
              audit={audit}
              owner={{ type: 'team', id: team.id }}
              projectId={projectId}
              isAllowed={config.allowTeamApiKeys}
            />
          )}
        </Later>
      </Columns>
      <EditTeamDialog isOpen={dialog === 'edit'} onClose={close} team={team} update={update} />
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        onClose={close}
        title={t`Delete this team?`}
        call={{ method: 'DELETE', path: `/teams/${team.id}` }}
        confirmLabel={t`Delete team`}
        typedConfirmation={team.displayName || team.id}
        onConfirm={async () => {
          await teams.delete(team.id);
          go(`/projects/${projectId}/teams`, { replace: true });
          await Promise.all([cache.invalidate(['teams', projectId]), cache.invalidate(['deleted-teams', projectId])]);
        }}
      >
        <Trans>
          Deletes its memberships, permissions, pending invitations and API keys. The users are not deleted. If the
          project has a grace period for teams, you can restore the team until it ends.
        </Trans>
      </ConfirmDialog>
    </Page>
  );
}
