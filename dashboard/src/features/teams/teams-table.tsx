import type { TeamOverview } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { PlainLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { formatCount } from '../../lib/format.ts';
import { teamName } from '../../lib/team-name.ts';
import classes from './teams-page.module.css';
import type { TeamListOrder } from './teams-search.ts';

type SortProps = { order: TeamListOrder; onSort: (order: TeamListOrder) => void };
type Props = SortProps & { teams: readonly TeamOverview[]; projectId: string };

export function TeamsTable({ teams, projectId, ...sort }: Props) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <ColumnHead
            title={t`Team`}
            first={['name', 'ascending']}
            second={['name-reversed', 'descending']}
            {...sort}
          />
          <ColumnHead
            title={t`Members`}
            className={classes.members}
            first={['most-members', 'descending']}
            second={['fewest-members', 'ascending']}
            {...sort}
          />
          <ColumnHead
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
                <PlainLink href={`/projects/${projectId}/teams/${team.id}`} className={classes.name}>
                  {teamName(team)}
                </PlainLink>
              </div>
            </td>
            <td className={classes.members}>{formatCount(team.memberCount)}</td>
            <td className={classes.created}>
              <RelativeTime at={team.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Direction = 'ascending' | 'descending';
type HeadProps = SortProps & {
  title: string;
  className?: string | undefined;
  first: readonly [TeamListOrder, Direction];
  second: readonly [TeamListOrder, Direction];
};

/** The first press sorts by the first order, the next one by the second. */
function ColumnHead({ title, className, first, second, order, onSort }: HeadProps) {
  const [, direction] = [first, second].find(([one]) => one === order) ?? [];
  const Arrow = direction === undefined ? IconArrowsSort : direction === 'ascending' ? IconArrowUp : IconArrowDown;
  return (
    <th scope="col" className={className} {...(direction && { 'aria-sort': direction })}>
      <button type="button" className={classes.sort} onClick={() => onSort(order === first[0] ? second[0] : first[0])}>
        {title} <Arrow size={14} aria-hidden />
      </button>
    </th>
  );
}
