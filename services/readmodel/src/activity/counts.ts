import type { Count, Dimension, Unit } from '../metrics/counting.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';

/** What is counted when a day is complete. `joined`: users by the week in which they joined. */
export type CountedMeasure = 'sign_ins' | 'active_users' | 'joined';
export type CountedUnit = Exclude<Unit, 'hour'>;

const savedQuery = defineQuery({
  name: 'saved-counts',
  sql: () => `select (extract(epoch from c.start::timestamp at time zone 'UTC') * 1000)::float8 as at, c.value, c.count
    from activity.counts c where c.project_id = $1 and c.measure = $2 and c.unit = $3 and c.dimension = $4
      and c.start >= $5::date and c.start < $6::date order by c.start`,
});

type Which = { measure: CountedMeasure; unit: CountedUnit; dimension: Dimension };

/** Counts that begin from `from` to `until` (exclusive, in milliseconds), oldest first. */
export const findSavedCounts = (
  db: ReadDb,
  projectId: string,
  { measure, unit, dimension }: Which,
  { from, until }: { from: number; until: number },
) => db.rows<Count>(savedQuery, [projectId, measure, unit, dimension, toDay(from), toDay(until)]);

const toDay = (at: number) => new Date(at).toISOString().slice(0, 10);

const lastQuery = defineQuery({
  name: 'last-counted-day',
  sql: () => `select (extract(epoch from c.start::timestamp at time zone 'UTC') * 1000)::float8 as at
    from activity.counts c where c.project_id = $1 and c.measure = $2 and c.unit = 'day' and c.dimension = 'all'
    order by c.start desc limit 1`,
});

/** The last day that was counted, in milliseconds; null: none. */
export async function findLastCountedDay(
  db: ReadDb,
  projectId: string,
  measure: Exclude<CountedMeasure, 'joined'>,
): Promise<number | null> {
  const [row] = await db.rows<{ at: number }>(lastQuery, [projectId, measure]);
  return row?.at ?? null;
}
