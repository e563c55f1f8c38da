import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool } from '@gatebook/runtime/postgres';
import { type FeedPlace, feedStart } from '../events/feed.ts';
import type { Counted } from './count-events.ts';

/** A count of all events of a metric, from the first one on. `eventId`: of the event of the log at the place. */
export type MetricRun = {
  metricId: string;
  revision: string;
  run: string;
  place: FeedPlace;
  eventId: string | null;
  target: bigint;
  isComplete: boolean;
};

type RunRow = Pick<MetricRun, 'metricId' | 'revision' | 'run' | 'eventId' | 'isComplete'> & {
  position: string;
  index: number;
  nth: number;
  target: string;
};
const columns = `metric_id as "metricId", revision::text, run, position::text, index, nth, event_id as "eventId",
  target_position::text as target, is_complete as "isComplete"`;
const toRun = ({ position, index, nth, target, ...run }: RunRow): MetricRun => ({
  ...run,
  place: { position: BigInt(position), index, nth },
  target: BigInt(target),
});

export async function findRun(pool: Pool, metricId: string): Promise<MetricRun | null> {
  const { rows } = await pool.query<RunRow>(`select ${columns} from activity.metric_progress where metric_id = $1`, [
    metricId,
  ]);
  return rows[0] ? toRun(rows[0]) : null;
}

type Beginning = { metricId: string; projectId: string; revision: string; first: bigint; target: bigint };

/**
 * Begins to count from the first event on. `before`: the run that it replaces.
 * @returns null if another process has begun one
 */
export async function beginRun(
  pool: Pool,
  { metricId, projectId, revision, first, target }: Beginning,
  before: MetricRun | null,
): Promise<MetricRun | null> {
  const { position, index, nth } = feedStart;
  const { rows } = await pool.query<RunRow>(
    `insert into activity.metric_progress as p
       (metric_id, project_id, revision, run, position, index, nth, event_id, first_position, target_position, is_complete)
     values ($1, $2, $3, gen_random_uuid(), $4, $5, $6, null, $7, $8, false)
     on conflict (metric_id) do update set revision = excluded.revision, run = excluded.run, position = excluded.position,
       index = excluded.index, nth = excluded.nth, event_id = null, first_position = excluded.first_position,
       target_position = excluded.target_position, is_complete = false
     where p.run = $9::uuid
     returning ${columns}`,
    [metricId, projectId, revision, position, index, nth, first, target, before?.run ?? null],
  );
  return rows[0] ? toRun(rows[0]) : null;
}

type Advance = { projectId: string; next: FeedPlace; eventId: string | null; isComplete: boolean };

/** Columns of `r`. */
const keyColumns = `start float8, "isTotal" boolean, value text`;
const startOfRow = 'to_timestamp(r.start / 1000)';

/**
 * Adds what the events between two places add, and moves the run: both or nothing.
 * @returns null if another process has moved it, or begun another run
 */
export async function advanceRun(
  pool: Pool,
  before: MetricRun,
  { projectId, next, eventId, isComplete }: Advance,
  { counts, users }: Counted,
): Promise<MetricRun | null> {
  const { place } = before;
  const { rows } = await pool.query<RunRow>({
    name: 'advance-metric-run',
    text: `with moved as (
       update activity.metric_progress set position = $6, index = $7, nth = $8, event_id = $9, is_complete = $10
       where metric_id = $1 and run = $2 and (position, index, nth) = ($3::bigint, $4::int, $5::int) and project_id = $11
       returning *),
     new_users as (
       insert into activity.metric_users (metric_id, run, start, is_total, value, user_hash, project_id)
       select m.metric_id, m.run, ${startOfRow}, r."isTotal", r.value, decode(r.hash, 'hex'), m.project_id
       from moved m, json_to_recordset($13::json) as r(${keyColumns}, hash text)
       on conflict do nothing returning start, is_total, value),
     added as (
       select ${startOfRow} as start, r."isTotal" as is_total, r.value, r.count
       from json_to_recordset($12::json) as r(${keyColumns}, count int)
       union all select start, is_total, value, count(*)::int from new_users group by 1, 2, 3),
     counted as (
       insert into activity.metric_counts as c (metric_id, run, start, is_total, value, project_id, count)
       select m.metric_id, m.run, a.start, a.is_total, a.value, m.project_id, a.count from moved m, added a
       on conflict (metric_id, run, start, is_total, value) do update set count = c.count + excluded.count)
     select ${columns} from moved`,
    values: [
      ...[before.metricId, before.run, place.position, place.index, place.nth],
      ...[next.position, next.index, next.nth, eventId, isComplete, projectId],
      ...[JSON.stringify(counts), JSON.stringify(users)],
    ],
  });
  return rows[0] ? toRun(rows[0]) : null;
}

/** Whether the log still has the events that were counted, at their places. */
export async function isOfThisLog(
  store: Pick<EventStore, 'identify' | 'head'>,
  { place: { position }, eventId }: MetricRun,
): Promise<boolean> {
  if (position === 0n) return true;
  if (eventId !== null) return (await store.identify(position)) === eventId;
  return position <= (await store.head());
}

const maxDeletedRows = 10_000;

async function deleteRows(pool: Pool, table: string, condition: string, values: readonly unknown[]): Promise<void> {
  const text = `delete from activity.${table} where ctid = any (array(
    select t.ctid from activity.${table} t where ${condition} limit ${maxDeletedRows}))`;
  for (let deleted: number | null = maxDeletedRows; deleted === maxDeletedRows; ) {
    ({ rowCount: deleted } = await pool.query(text, [...values]));
  }
}

/** Forgets who was counted in intervals before `before` (milliseconds). No event of theirs follows. */
export const forgetCountedUsers = (pool: Pool, { metricId, run }: MetricRun, before: number): Promise<void> =>
  deleteRows(pool, 'metric_users', 't.metric_id = $1 and t.run = $2 and t.start < $3', [
    metricId,
    run,
    new Date(before),
  ]);

/** Deletes what was counted in other runs. They have ended. */
export async function deleteOtherRuns(pool: Pool, { metricId, run }: MetricRun): Promise<void> {
  for (const table of ['metric_counts', 'metric_users']) {
    await deleteRows(pool, table, 't.metric_id = $1 and (t.run < $2 or t.run > $2)', [metricId, run]);
  }
}

/**
 * Deletes what was counted of metrics that do not exist. `existing`: those that did when the call began. A process that
 * did not know of a deletion may have added rows.
 */
export async function deleteUnusedRuns(pool: Pool, existing: readonly string[]): Promise<void> {
  for (const table of ['metric_progress', 'metric_counts', 'metric_users']) {
    await deleteRows(pool, table, 't.metric_id <> all($1::uuid[])', [existing]);
  }
}
