import type { TeamsClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { DeletedPage } from '../../components/deleted-page.tsx';
import { teamName } from '../../lib/team-name.ts';

type Props = { teams: TeamsClient; projectId: string; projectName: string | undefined };

/** Teams that can be restored until their grace period ends. */
export function DeletedTeamsPage({ teams, projectId, projectName }: Props) {
  return (
    <DeletedPage
      kind="team"
      lead={t`They can be restored until their data is erased, with members, permissions, invitations and API keys.`}
      setting={t`Deleted teams appear here if the project has a grace period. Set it in the project’s settings.`}
      settingHref={`/projects/${projectId}/settings/security#retention-title`}
      client={teams}
      back={{ href: `/projects/${projectId}/teams`, label: t`Teams` }}
      scope={projectId}
      projectName={projectName}
      describe={(team) => ({ name: teamName(team), note: team.id })}
      changes={[['teams', projectId]]}
    />
  );
}
