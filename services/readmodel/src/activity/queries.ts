import type { ReadDb } from '../read-db.ts';

export type UserActivityRow = {
  /** ISO 3166 alpha-2, of the last use whose place is known. */
  country: string | null;
  /** UTC days (YYYY-MM-DD) on which the user was active, newest first; older ones are forgotten (`forgetDaysBefore`). */
  days: string[];
};

/** Each day is looked up by itself: the index leads with the day, and a project's days hold all of its users. */
const userActivityQuery = {
  name: 'find-user-activity',
  sql: () => `select
      (select u.country from activity.users u where u.user_id = $2 and u.project_id = $1) as country,
      array(select d.day::text from activity.days d
        where d.project_id = $1 and d.user_id = $2 and d.day = any (array(
          select generate_series(current_date - 60, current_date + 1, interval '1 day')::date))
        order by d.day desc) as days`,
};

/** Of an unknown user, no days. */
export async function findUserActivity(db: ReadDb, projectId: string, userId: string): Promise<UserActivityRow> {
  const [row] = await db.rows<UserActivityRow>(userActivityQuery, [projectId, userId]);
  return row ?? { country: null, days: [] };
}
