import type { TeamOverview } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { RelativeTime } from '../../components/relative-time.tsx';
import { RowLink, SortableHead, type SortProps, Table } from '../../components/table.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { formatCount } from '../../lib/format.ts';
import { teamName } from '../../lib/team-name.ts';
import classes from './teams-page.module.css';
import type { TeamListOrder } from './teams-search.ts';

type Props = SortProps<TeamListOrder> & { teams: readonly TeamOverview[]; projectId: string };

export function TeamsTable({ teams, projectId, ...sort }: Props) {
  return (
    <Table>
      <thead>
        <tr>
          <SortableHead
            title={t`Team`}
            first={['name', 'ascending']}
            second={['name-reversed', 'descending']}
            {...sort}
          />
          <SortableHead
            title={t`Members`}
            className={classes.members}
            first={['most-members', 'descending']}
            second={['fewest-members', 'ascending']}
            {...sort}
          />
          <SortableHead
            title={t`Created`}
            className={classes.created}
            first={['newest', 'descending']}
            second={['oldest', 'ascending']}
            {...sort}
          />
        </tr>
      </thead>
      <tbody>
        {teams.map((team) => (
          <tr key={team.id}>
            <td>
              <div className={classes.team}>
                <UserAvatar id={team.id} name={teamName(team)} />
                <RowLink href={`/projects/${projectId}/teams/${team.id}`}>{teamName(team)}</RowLink>
              </div>
            </td>
            <td className={classes.members}>{formatCount(team.memberCount)}</td>
            <td className={classes.created}>
              <RelativeTime at={team.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
