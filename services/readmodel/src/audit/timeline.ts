import { exceptValues, notExcepted, type RejectionFilters } from '../activity/rejection-list.ts';
import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';
import {
  type AuditDriver,
  type AuditFilters,
  auditDrivers,
  driverOf,
  matches,
  matchValues,
  typeOf,
} from './filters.ts';

/** Equal parts of a time, from `from` (milliseconds since 1970), each `bucketMs` long. */
export type Buckets = { from: number; bucketMs: number; count: number };
/** `isComplete`: whether all rows of the bucket were looked at. */
export type BucketCount = { count: number; isComplete: boolean };

/** The most rows that are counted. */
const maxCounted = 200_000;

const bucketTime = (nth: string) => `to_timestamp(($3::float8 + (${nth}) * $4::float8) / 1000)`;

const eventsSql = (schema: string, driver: AuditDriver) => {
  const sources = driver.columns.map(
    (
      column,
    ) => `(select a.* from ${schema}.audit_events a where a.project_id = $1 and a.${column} = v.value::${typeOf(driver, column)}
      and a.at >= ${bucketTime('b.nth')} and a.at < ${bucketTime('b.nth + 1')} limit $6)`,
  );
  return `select b.nth, r.count, r.scanned from generate_series(0, $5::int - 1) b (nth) cross join lateral (
      select count(*)::int as scanned, count(*) filter (where ${matches(7)})::int as count
      from (select c.* from unnest($2::text[]) v (value)
        cross join lateral (${sources.join(' union all ')}) c limit $6) found
    ) r order by b.nth`;
};

const queries = new Map<string, ProjectQuery>(
  Object.values(auditDrivers).map((driver) => {
    const name = `count-audit-events-${driver.name}`;
    return [driver.name, defineQuery({ name, group: 'audit', sql: (schema) => eventsSql(schema, driver) })];
  }),
);

type CountRow = { count: number; scanned: number };
const capOf = ({ count }: Buckets) => Math.floor(maxCounted / count);
const toCounts = (rows: readonly CountRow[], cap: number): BucketCount[] =>
  rows.map(({ count, scanned }) => ({ count, isComplete: scanned < cap }));

/** The events of each bucket, oldest first. */
export async function countAuditEvents(
  db: ReadDb,
  projectId: string,
  filters: AuditFilters,
  buckets: Buckets,
): Promise<BucketCount[]> {
  const { driver, values } = driverOf(filters);
  const query = queries.get(driver.name);
  if (!query) throw new Error(`no query for ${driver.name}`);
  const cap = capOf(buckets);
  const parameters = [values, buckets.from, buckets.bucketMs, buckets.count, cap, ...matchValues(filters)];
  return toCounts(await db.rows<CountRow>(query, [projectId, ...parameters]), cap);
}

const rejectionsQuery = defineQuery({
  name: 'count-rejections-over-time',
  sql: () => `select b.nth, r.count, r.scanned from generate_series(0, $5::int - 1) b (nth) cross join lateral (
      select count(*)::int as scanned, coalesce(sum(count) filter (where ($2::text[] is null or coalesce(access_type, '') = any($2))
          and ($7::uuid is null or user_id = $7) and (user_id is not null or not $8::boolean)
          and ($9::text is null or $9 in (first_request_id, last_request_id))
          and ($10::inet is null or network::inet && $10) and ${notExcepted(11)}), 0)::float8 as count
      from (select * from activity.rejections r
        where r.project_id = $1 and r.window_at > ${bucketTime('b.nth')} - interval '5 minutes' and r.window_at < ${bucketTime('b.nth + 1')}
          and r.first_at >= ${bucketTime('b.nth')} and r.first_at < ${bucketTime('b.nth + 1')} limit $6) found
    ) r order by b.nth`,
});

/** How often calls were rejected in each bucket: those that began in it. */
export async function countRejections(
  db: ReadDb,
  projectId: string,
  filters: RejectionFilters,
  buckets: Buckets,
): Promise<BucketCount[]> {
  const { accessTypes, isWithUser, userId, requestId, network } = filters;
  const types = accessTypes?.map((type) => type ?? '') ?? null;
  const cap = capOf(buckets);
  const values = [types, buckets.from, buckets.bucketMs, buckets.count, cap, userId, isWithUser, requestId, network];
  return toCounts(await db.rows<CountRow>(rejectionsQuery, [projectId, ...values, ...exceptValues(filters)]), cap);
}
