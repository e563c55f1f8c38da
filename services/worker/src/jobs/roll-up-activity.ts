import { isTemporary } from '@gatebook/projections/subscriptions/temporary';
import { countActiveUsers } from '@gatebook/readmodel/activity/active-users';
import type { Pool } from '@gatebook/runtime/postgres';
import { type CountingParts, saveCounts } from './save-counts.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Activity is written within seconds, so nothing of a day is missing a day after its end. */
const completeAfterDays = 2;
/** A period has 30 days, and its last day is complete two days later. */
const keptDays = 32;
const maxDeletedRows = 10_000;

/**
 * Counts the active users of complete days, then forgets who was active on days older than 32 days. A day is counted
 * once: rows that come later are forgotten uncounted. An interruption at any point loses and repeats nothing, because
 * days are forgotten only after the count of a later or the same day. A project that can't be counted does not keep
 * others from it. @throws AggregateError with the failures of single projects
 */
export async function rollUpActivity(parts: CountingParts, now: string, signal: AbortSignal): Promise<void> {
  const { pool } = parts;
  const lastComplete = toDay(Date.parse(now.slice(0, 10)) - completeAfterDays * dayMs);
  const failures: unknown[] = [];
  for (const project of await listProjects(pool, lastComplete)) {
    if (signal.aborted) break;
    try {
      await rollUpProject(parts, project, now, signal);
    } catch (error) {
      if (isTemporary(error)) throw error;
      failures.push(error);
    }
  }
  // A project can be erased while its users are counted.
  for (const table of ['active_users', 'counts']) {
    await pool.query(`delete from activity.${table} c using keys.erased_projects e where e.project_id = c.project_id`);
  }
  if (failures.length > 0) throw new AggregateError(failures, `could not count ${failures.length} projects`);
}

type UncountedProject = { projectId: string; uncounted: string[] };

async function rollUpProject(
  parts: CountingParts,
  { projectId, uncounted }: UncountedProject,
  now: string,
  signal: AbortSignal,
): Promise<void> {
  await saveCounts(parts, projectId, now, signal);
  for (const day of uncounted) {
    if (signal.aborted) return;
    await saveCount(parts, projectId, day);
  }
  if (signal.aborted) return;
  await forgetCountedDays(parts.pool, projectId, toDay(Date.parse(now.slice(0, 10)) - keptDays * dayMs));
}

const toDay = (millis: number) => new Date(millis).toISOString().slice(0, 10);

/** Projects with activity, and their complete days since the last count. Takes one index lookup per project. */
async function listProjects(pool: Pool, lastComplete: string): Promise<UncountedProject[]> {
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
async function saveCount({ pool, db }: CountingParts, projectId: string, day: string): Promise<void> {
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
