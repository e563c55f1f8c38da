import type { AuditClient, TeamsClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { PlainLink } from '../../components/app-link.tsx';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { teamName } from '../../lib/team-name.ts';

const PAGE_SIZE = 10;

type Props = { teams: Pick<TeamsClient, 'listOf'>; audit: AuditClient; projectId: string; userId: string };

export function UserTeams({ teams, audit, projectId, userId }: Props) {
  const list = usePagedList(['user-teams', projectId, userId], (page) => teams.listOf(userId, page), PAGE_SIZE);
  return (
    <Card title={t`Teams`} labelId="teams-title" flush>
      <Rows list={list} label={t`Loading teams`} empty={t`Not a member of any team`}>
        {(team) => (
          <Row
            key={team.id}
            icon={<UserAvatar id={team.id} name={teamName(team)} />}
            details={
              <CauseButton
                audit={audit}
                projectId={projectId}
                question={t`Why a member of ${teamName(team)}?`}
                filters={{ type: 'TeamMemberAdded', targetType: 'user', targetId: userId }}
                targetId={team.id}
              />
            }
          >
            <PlainLink href={`/projects/${projectId}/teams/${team.id}`}>{teamName(team)}</PlainLink>
          </Row>
        )}
      </Rows>
      {list.pager}
    </Card>
  );
}
