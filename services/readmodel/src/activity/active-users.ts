import { maxListed } from '../list-limits.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';

/** Active users of a period: of 1, 7 or 30 days. */
export type ActiveUsers = {
  /** Includes anonymous users, and users who were deleted later. */
  users: number;
  anonymousUsers: number;
  /** Signed up in the period. */
  newUsers: number;
};
export const periods = [1, 7, 30] as const;
export type Period = (typeof periods)[number];

const countQuery = defineQuery({
  name: 'count-active-users',
  group: 'metrics' as const,
  sql: (schema: string) => `select p.days, count(*)::int as users,
      count(*) filter (where s.is_anonymous)::int as "anonymousUsers",
      count(*) filter (where (s.signed_up_at at time zone 'UTC')::date > $2::date - p.days)::int as "newUsers"
    from (values ${periods.map((days) => `(${days})`).join(', ')}) p(days)
    join (
      select d.user_id, max(d.day) as last_day from activity.days d
      where d.project_id = $1 and d.day > $2::date - ${Math.max(...periods)} and d.day <= $2::date group by d.user_id
    ) a on a.last_day > $2::date - p.days
    left join ${schema}.sign_ups s on s.user_id = a.user_id and s.project_id = $1
    group by p.days order by p.days`,
});

/**
 * Counts the users who were active in the periods that end with `day` (YYYY-MM-DD in UTC), as far as their days are not
 * forgotten. Periods without users are left out.
 */
export function countActiveUsers(
  db: ReadDb,
  projectId: string,
  day: string,
): Promise<(ActiveUsers & { days: Period })[]> {
  return db.rows(countQuery, [projectId, day]);
}

const listQuery = defineQuery({
  name: 'list-active-users',
  sql: () => `select to_char(a.day, 'YYYY-MM-DD') as day, a.users, a.anonymous_users as "anonymousUsers",
      a.new_users as "newUsers"
    from activity.active_users a
    where a.project_id = $1 and a.days = $2 and a.day between $3::date and $4::date
    order by a.day limit ${maxListed}`,
});

/** Counts of complete days from `from` to `until` (YYYY-MM-DD in UTC), oldest first, without days without users. */
export function listActiveUsers(
  db: ReadDb,
  projectId: string,
  { days, from, until }: { days: Period; from: string; until: string },
): Promise<(ActiveUsers & { day: string })[]> {
  return db.rows(listQuery, [projectId, days, from, until]);
}
