import type { TeamsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { PlainLink } from '../../components/app-link.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { teamName } from '../../lib/team-name.ts';

type Props = { teams: Pick<TeamsClient, 'listOf'>; projectId: string; userId: string };

export function UserTeams({ teams, projectId, userId }: Props) {
  const list = useResource(['user-teams', projectId, userId], () => teams.listOf(userId));
  return (
    <Card title="Teams" labelId="teams-title" flush>
      <Rows list={list} label="Loading teams" empty="Not a member of any team">
        {(team) => (
          <Row key={team.id} icon={<UserAvatar id={team.id} name={teamName(team)} />}>
            <PlainLink href={`/projects/${projectId}/teams/${team.id}`}>{teamName(team)}</PlainLink>
          </Row>
        )}
      </Rows>
    </Card>
  );
}
