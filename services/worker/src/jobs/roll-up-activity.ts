import { countActiveUsers } from '@gatebook/readmodel/activity/active-users';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { Pool } from '@gatebook/runtime/postgres';
import { type CountingParts, saveCounts } from './save-counts.ts';

type Parts = { pool: Pool; db: ReadDb };

const dayMs = 24 * 60 * 60 * 1000;
/** Activity is written within seconds, so nothing of a day is missing a day after its end. */
const completeAfterDays = 2;
/** A period has 30 days, and its last day is complete two days later. */
const keptDays = 32;
const maxDeletedRows = 10_000;

/**
 * Counts the active users of complete days, then forgets who was active on days older than 32 days. A day is counted
 * once: rows that come later are forgotten uncounted. An interruption at any point loses and repeats nothing, because
 * days are forgotten only after the count of a later or the same day.
 */
export async function rollUpActivity(
  { pool, db, isProjected }: CountingParts,
  now: string,
  signal: AbortSignal,
): Promise<void> {
  await saveCounts({ pool, db, isProjected }, now, signal);
  const today = Date.parse(now.slice(0, 10));
  const lastComplete = toDay(today - completeAfterDays * dayMs);
  const firstKept = toDay(today - keptDays * dayMs);
  for (const { projectId, uncounted } of await listProjects(pool, lastComplete)) {
    for (const day of uncounted) {
      if (signal.aborted) return;
      await saveCount({ pool, db }, projectId, day);
    }
    await forgetCountedDays(pool, projectId, firstKept);
  }
  // A project can be erased while its users are counted.
  await pool.query(
    'delete from activity.active_users a using keys.erased_projects e where e.project_id = a.project_id',
  );
}

const toDay = (millis: number) => new Date(millis).toISOString().slice(0, 10);

/** Projects with activity, and their complete days since the last count. Takes one index lookup per project. */
async function listProjects(pool: Pool, lastComplete: string): Promise<{ projectId: string; uncounted: string[] }[]> {
  const { rows } = await pool.query(
    `with recursive projects as (
       select min(project_id) as id from activity.days
       union all
       select (select min(d.project_id) from activity.days d where d.project_id > p.id) from projects p where p.id is not null
     )
     select p.id as "projectId", array(
         select to_char(day, 'YYYY-MM-DD') from generate_series(
           greatest(
             (select min(d.day) from activity.days d where d.project_id = p.id),
             (select max(a.day) + 1 from activity.active_users a where a.project_id = p.id and a.days = 30)),
           $1::date, interval '1 day') day
       ) as uncounted
     from projects p where p.id is not null`,
    [lastComplete],
  );
  return rows;
}

/** One statement for all periods of a day: a day is counted completely or not at all. */
async function saveCount({ pool, db }: Parts, projectId: string, day: string): Promise<void> {
  const counts = await countActiveUsers(db, projectId, day);
  await pool.query(
    `insert into activity.active_users (project_id, day, days, users, anonymous_users, new_users)
     select $1, $2, c.days, c.users, c."anonymousUsers", c."newUsers"
     from json_to_recordset($3::json) as c(days int, users int, "anonymousUsers" int, "newUsers" int)
     on conflict do nothing`,
    [projectId, day, JSON.stringify(counts)],
  );
}

/** In slices, so that no statement runs for long or locks many rows. */
async function forgetCountedDays(pool: Pool, projectId: string, firstKept: string): Promise<void> {
  const text = `delete from activity.days where ctid = any (array(
    select d.ctid from activity.days d where d.project_id = $1 and d.day < $2 and d.day <= (
      select max(a.day) from activity.active_users a where a.project_id = $1 and a.days = 30) limit ${maxDeletedRows}))`;
  for (let deleted: number | null = maxDeletedRows; deleted === maxDeletedRows; ) {
    ({ rowCount: deleted } = await pool.query(text, [projectId, firstKept]));
  }
}
