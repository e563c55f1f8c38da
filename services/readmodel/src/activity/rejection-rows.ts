import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import { type RejectionRow, windowMs } from './rejection-counts.ts';

/** How many rows a statement deletes at once. */
const maxDeletedRows = 500;

const columns = `project_id, window_at, code, route, access_type, user_id, network, count, first_at, last_at,
  first_request_id, last_request_id`;

const addCounts = `on conflict (project_id, window_at, code, route, coalesce(access_type, ''),
    coalesce(user_id, '00000000-0000-0000-0000-000000000000'), coalesce(network, '')) do update
  set count = r.count + excluded.count,
    first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at),
    first_request_id = case when excluded.first_at < r.first_at then excluded.first_request_id else r.first_request_id end,
    last_request_id = case when excluded.last_at >= r.last_at then excluded.last_request_id else r.last_request_id end`;

/** Held in common by transactions that add counts, and alone to be sure that there are none. */
const lockOfWrites = "hashtext('activity.rejections')";

/** Begins a transaction that adds counts, which ends if its process freezes: exports wait for it. @returns its ID */
export async function beginRejections(tx: PoolClient): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `select set_config('idle_in_transaction_session_timeout', '3000', true),
       pg_current_xact_id()::text as id, pg_advisory_xact_lock_shared(${lockOfWrites})`,
  );
  return rows[0]?.id;
}

/**
 * A time of the database, in milliseconds, at which no transaction adds counts: later ones find that counts of windows
 * that were settled then are late. null while a transaction does.
 */
export async function findQuietTime(pool: Pool): Promise<number | null> {
  const { rows } = await pool.query<{ isFree: boolean; millis: number }>(
    `select pg_try_advisory_xact_lock(${lockOfWrites}) as "isFree",
       (extract(epoch from statement_timestamp()) * 1000)::float8 as millis`,
  );
  const [{ isFree = false, millis = 0 } = {}] = rows;
  return isFree ? millis : null;
}

/**
 * Adds the counts to those of other processes. In one order, so that processes do not deadlock. What is late, because
 * the database was unavailable, counts from the beginning of the current window on: exports have passed its own.
 */
export async function addRejections(tx: PoolClient, rows: readonly RejectionRow[], lateAfterMs: number): Promise<void> {
  await tx.query(
    `insert into activity.rejections as r (${columns})
     select "projectId", greatest("windowAt", "sinceAt") as "windowAt", code, route, "accessType", "userId", network,
       sum(count), min(greatest("firstAt", "sinceAt")), max(greatest("lastAt", "sinceAt")),
       (array_agg("firstRequestId" order by "firstAt"))[1], (array_agg("lastRequestId" order by "lastAt" desc))[1]
     from json_to_recordset($1::json) as x("projectId" text, "windowAt" timestamptz, code text, route text,
       "accessType" text, "userId" uuid, network text, count bigint, "firstAt" timestamptz, "lastAt" timestamptz,
       "firstRequestId" text, "lastRequestId" text)
     cross join lateral (select case when clock_timestamp() > "windowAt" + make_interval(secs => $2::float8 / 1000)
       then date_bin(make_interval(secs => $3::float8 / 1000), clock_timestamp(), 'epoch') end as "sinceAt") late
     group by 1, 2, 3, 4, 5, 6, 7
     order by 1, 2, 3, 4, 5, 6, 7
     ${addCounts}`,
    [JSON.stringify(rows), windowMs + lateAfterMs, windowMs],
  );
}

/** Counts the rejections of a deleted user as those of an unknown account. */
export async function anonymizeRejections(pool: Pool, userId: string): Promise<void> {
  const text = `with removed as (
      delete from activity.rejections where ctid = any (array(
        select ctid from activity.rejections where user_id = $1 limit ${maxDeletedRows})) returning *),
    added as (
      insert into activity.rejections as r (${columns})
      select project_id, window_at, code, route, access_type, null, null, sum(count), min(first_at), max(last_at),
        (array_agg(first_request_id order by first_at))[1], (array_agg(last_request_id order by last_at desc))[1]
      from removed group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      ${addCounts})
    select count(*)::int as removed from removed`;
  for (let removed = maxDeletedRows; removed === maxDeletedRows; ) {
    const { rows } = await pool.query<{ removed: number }>(text, [userId]);
    removed = rows[0]?.removed ?? 0;
  }
}

/** The tables with rejections of projects. */
const tables = ['rejections', 'rejected_requests'] as const;
type Table = (typeof tables)[number];

/** Projects with rejections. Reads one row per project and table. */
export async function listProjectsWithRejections(pool: Pool): Promise<string[]> {
  const listFrom = async (table: Table) => {
    const { rows } = await pool.query<{ id: string }>(
      `with recursive projects (id) as (
         select min(project_id) from activity.${table}
         union all
         select (select min(r.project_id) from activity.${table} r where r.project_id > p.id)
         from projects p where p.id is not null
       )
       select id from projects where id is not null`,
    );
    return rows.map(({ id }) => id);
  };
  return [...new Set((await Promise.all(tables.map(listFrom))).flat())];
}

/** Users with rejections in windows since `since` (ISO time) whose keys are destroyed. */
export async function listErasedUsers(pool: Pool, projectId: string, since: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with people as (
       select user_id as id from activity.rejections where project_id = $1 and window_at >= $2
       union
       select unnest(array[user_id, actor_id, impersonator_id]) from activity.rejected_requests
       where project_id = $1 and window_at >= $2)
     select p.id from people p join keys.subjects s on s.subject_id = p.id::text and s.wrapped is null`,
    [projectId, since],
  );
  return rows.map(({ id }) => id);
}

/** Deletes at most 500 rows of windows that began before `before` (ISO time). @returns whether there may be more */
export async function deleteRejections(pool: Pool, projectId: string, before: string): Promise<boolean> {
  return deleteFrom(
    pool,
    (table) => `select ctid from activity.${table} where project_id = $1 and window_at < $2 limit ${maxDeletedRows}`,
    [projectId, before],
  );
}

/** The same for projects whose keys are destroyed. */
export async function deleteRejectionsOfErasedProjects(pool: Pool): Promise<boolean> {
  return deleteFrom(
    pool,
    (table) => `select r.ctid from keys.erased_projects e join activity.${table} r on r.project_id = e.project_id
       limit ${maxDeletedRows}`,
  );
}

async function deleteFrom(pool: Pool, rowsOf: (table: Table) => string, values: unknown[] = []): Promise<boolean> {
  for (const table of tables) {
    const text = `delete from activity.${table} where ctid = any (array(${rowsOf(table)}))`;
    if ((await pool.query(text, values)).rowCount === maxDeletedRows) return true;
  }
  return false;
}

/** The same for accounts whose throttling was recorded before. */
export async function deleteThrottledAccounts(pool: Pool, before: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `delete from activity.throttled_accounts where user_id = any (array(
       select user_id from activity.throttled_accounts where at < $1 limit ${maxDeletedRows}))`,
    [before],
  );
  return rowCount === maxDeletedRows;
}

/** `minutes`: how long nobody else can mark the account. */
export type ThrottleMark = { userId: string; projectId: string; minutes: number; at: string };

/** Within five minutes, so that an attack on many accounts of a project adds fewer than 100 events to the log. */
const maxThrottledPerProject = 40;

/** @returns whether this process is the one that records the throttling of the account; the same for the same `at` */
export async function markThrottled(pool: Pool, { userId, projectId, minutes, at }: ThrottleMark): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into activity.throttled_accounts as t (user_id, project_id, at)
     select $1, $2, $3 where $5 > (select count(*) from activity.throttled_accounts
       where project_id = $2 and user_id <> $1 and at > $3::timestamptz - interval '5 minutes')
     on conflict (user_id) do update set at = excluded.at
     where t.at = excluded.at or t.at <= excluded.at - make_interval(mins => $4)`,
    [userId, projectId, at, minutes, maxThrottledPerProject],
  );
  return rowCount === 1;
}

/** Notes that everything that is too old at a time (ISO 8601) is deleted. */
export async function noteExpiry(pool: Pool, at: string): Promise<void> {
  await pool.query(
    `insert into activity.rejection_expiry (finished_at) values ($1)
     on conflict (is_only) do update set finished_at = excluded.finished_at`,
    [at],
  );
}

/** When old rejections were last deleted, in milliseconds; null: never. */
export async function findLastExpiry(pool: Pool): Promise<number | null> {
  const { rows } = await pool.query<{ at: Date }>('select finished_at as at from activity.rejection_expiry');
  return rows[0]?.at.getTime() ?? null;
}
