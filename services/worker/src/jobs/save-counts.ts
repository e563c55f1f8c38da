import { type CountedMeasure, type CountedUnit, findLastCountedDay } from '@gatebook/readmodel/activity/counts';
import {
  type Count,
  countActiveBetween,
  countJoined,
  countSignIns,
  type Dimension,
  dimensions,
} from '@gatebook/readmodel/metrics/counting';
import { startOf } from '@gatebook/readmodel/metrics/intervals';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';

type Parts = { pool: Pool; db: ReadDb };
/** `isProjected`: whether the group `metrics` contains all events of a project. */
export type CountingParts = Parts & { isProjected: (projectId: string) => Promise<boolean> };

const dayMs = 24 * 60 * 60_000;
/** Activity is written within seconds. */
const settleMs = 5 * 60_000;
/** What the longest range and the one before it need. */
const keptCountsMs = 2 * 366 * dayMs;
const rowsPerWrite = 5_000;
const units = ['day', 'week', 'month'] as const;

/**
 * Saves the counts of a project's complete days, weeks so far and months so far, before it is forgotten who was active.
 * What was saved is written again with the same or later values after an interruption. A project whose events are
 * projected late is counted later, because no day is counted twice.
 */
export async function saveCounts(
  { pool, db, isProjected }: CountingParts,
  projectId: string,
  now: string,
  signal: AbortSignal,
): Promise<void> {
  const today = startOf('day', Date.parse(now) - settleMs);
  if (!(await isProjected(projectId))) return;
  await saveSignIns({ pool, db }, projectId, today);
  await saveActive({ pool, db }, projectId, today, signal);
}

/** All days at once: the first time, those of two years. */
async function saveSignIns({ pool, db }: Parts, projectId: string, today: number): Promise<void> {
  const last = await findLastCountedDay(db, projectId, 'sign_ins');
  const days = daysBetween(last === null ? today - keptCountsMs : last + dayMs, today);
  if (days.length === 0) return;
  const rows = [];
  for (const dimension of dimensions) {
    if (dimension === 'cohort') continue;
    const found = await countSignIns(db, projectId, dimension, [...days, today]);
    rows.push(...rowsOf({ measure: 'sign_ins', unit: 'day', dimension }, found));
  }
  // Last, because it says which days are counted.
  const first = Math.min(...rows.map(({ at }) => at), today - dayMs);
  const empty = { measure: 'sign_ins', unit: 'day', dimension: 'all', value: '', count: 0 } as const;
  await save(pool, projectId, [
    ...rows.filter(({ dimension }) => dimension !== 'all'),
    ...withoutGaps(
      rows.filter(({ dimension }) => dimension === 'all'),
      days.filter((at) => at >= first).map((at) => ({ ...empty, at })),
    ),
  ]);
}

/** Day after day, because only the latest ones are not forgotten. */
async function saveActive({ pool, db }: Parts, projectId: string, today: number, signal: AbortSignal): Promise<void> {
  const last = await findLastCountedDay(db, projectId, 'active_users');
  const { rows } = await pool.query<{ day: string }>(
    'select min(day)::text as day from activity.days where project_id = $1',
    [projectId],
  );
  const first = Math.max(Date.parse(rows[0]?.day ?? ''), last === null ? -Infinity : last + dayMs);
  for (const day of Number.isNaN(first) ? [] : daysBetween(first, today)) {
    if (signal.aborted) return;
    const counts = await countDay(db, projectId, day);
    await inTransaction(pool, (tx) => saveDay(tx, projectId, day, counts));
  }
}

/**
 * Replaces the counts of the day, and of the week and month so far, including values that no user has any more.
 * Another worker may have saved the day, and later ones, meanwhile.
 */
async function saveDay(tx: PoolClient, projectId: string, day: number, counts: readonly CountRow[]): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`active users of ${projectId}`]);
  const starts = units.map((unit) => new Date(startOf(unit, day)).toISOString().slice(0, 10));
  const saved = await tx.query(
    `select from activity.counts where project_id = $1 and measure = 'active_users' and unit = 'day'
       and dimension = 'all' and start >= $2 limit 1`,
    [projectId, starts[0]],
  );
  if (saved.rowCount !== 0) return;
  await tx.query(
    `delete from activity.counts c using unnest($2::text[], $3::date[]) as p(unit, start)
     where c.project_id = $1 and c.measure = 'active_users' and c.unit = p.unit and c.start = p.start`,
    [projectId, units, starts],
  );
  await save(tx, projectId, counts);
}

async function countDay(db: ReadDb, projectId: string, day: number): Promise<CountRow[]> {
  const week = startOf('week', day);
  const joined = await countJoined(db, projectId, [week, week + 7 * dayMs]);
  const counts = rowsOf({ measure: 'joined', unit: 'week', dimension: 'all' }, joined);
  for (const unit of units) {
    for (const dimension of dimensions) {
      if (dimension === 'cohort' && unit !== 'week') continue;
      const found = await countActiveBetween(db, projectId, dimension, { from: startOf(unit, day), until: day });
      counts.push(...rowsOf({ measure: 'active_users', unit, dimension }, found));
    }
  }
  const isCounted = { measure: 'active_users', unit: 'day', dimension: 'all', at: day, value: '', count: 0 } as const;
  return withoutGaps(counts, [isCounted]);
}

type CountRow = Count & { measure: CountedMeasure; unit: CountedUnit; dimension: Dimension };

const rowsOf = (which: Pick<CountRow, 'measure' | 'unit' | 'dimension'>, counts: readonly Count[]): CountRow[] =>
  counts.map((count) => ({ ...which, ...count }));

/** Adds empty counts where there are none: a day without anybody is counted too. */
function withoutGaps(counts: readonly CountRow[], empty: readonly CountRow[]): CountRow[] {
  const keyOf = ({ measure, unit, dimension, at }: CountRow) => [measure, unit, dimension, at].join();
  const found = new Set(counts.map(keyOf));
  return [...counts, ...empty.filter((row) => !found.has(keyOf(row)))];
}

function daysBetween(from: number, until: number): number[] {
  return Array.from({ length: Math.max(0, (until - from) / dayMs) }, (_, nth) => from + nth * dayMs);
}

async function save(
  pool: Pick<Pool | PoolClient, 'query'>,
  projectId: string,
  rows: readonly CountRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerWrite) {
    await pool.query(
      `insert into activity.counts (project_id, measure, unit, dimension, start, value, count)
       select $1, c.measure, c.unit, c.dimension, (to_timestamp(c.at / 1000) at time zone 'UTC')::date, c.value, c.count
       from json_to_recordset($2::json) as c(measure text, unit text, dimension text, at float8, value text, count int)
       order by 2, 3, 4, 5, 6
       on conflict (project_id, measure, unit, dimension, start, value) do update set count = excluded.count`,
      [projectId, JSON.stringify(rows.slice(from, from + rowsPerWrite))],
    );
  }
}
