import type { CustomMetric } from '@gatebook/domain/project/metric-definition';
import { maxListed } from '../list-limits.ts';
import type { Count } from '../metrics/counting.ts';
import { defineCrossProjectQuery, defineQuery, type ReadDb } from '../read-db.ts';

export type StoredMetric = CustomMetric & {
  projectId: string;
  /** Changes when something else is counted. */
  revision: string;
  createdAt: number;
  updatedAt: number;
};

const millis = (time: string) => `(extract(epoch from ${time}) * 1000)::float8`;
const columns = `m.id as "metricId", m.project_id as "projectId", m.display_name as "displayName",
  m.event_types as "eventTypes", m.filter, m.group_by as "groupBy", m.unit, m.count, m.revision::text,
  ${millis('m.created_at')} as "createdAt", ${millis('m.updated_at')} as "updatedAt"`;

/** Metrics of a project that awaits its deletion are not counted until it is restored. */
const openMetrics = (schema: string) => `${schema}.custom_metrics m join ${schema}.projects p on p.id = m.project_id`;

const listQuery = defineQuery({
  name: 'list-custom-metrics',
  sql: (schema) => `select ${columns} from ${openMetrics(schema)}
    where m.project_id = $1 order by m.since, m.id limit ${maxListed}`,
});

/** Oldest first. */
export const listCustomMetrics = (db: ReadDb, { projectId }: { projectId: string }): Promise<StoredMetric[]> =>
  db.rows<StoredMetric>(listQuery, [projectId]);

const findQuery = defineQuery({
  name: 'find-custom-metric',
  sql: (schema) => `select ${columns} from ${openMetrics(schema)} where m.project_id = $1 and m.id = $2`,
});

/** null for a metric of another project, too. */
export async function findCustomMetric(db: ReadDb, projectId: string, metricId: string): Promise<StoredMetric | null> {
  const [row] = await db.rows<StoredMetric>(findQuery, [projectId, metricId]);
  return row ?? null;
}

const projectsQuery = defineCrossProjectQuery({
  name: 'list-projects-with-custom-metrics',
  sql: (schema) => `select distinct m.project_id as id from ${schema}.custom_metrics m`,
});

export async function listProjectsWithMetrics(db: ReadDb): Promise<string[]> {
  const rows = await db.rowsOfAllProjects<{ id: string }>(projectsQuery, []);
  return rows.map(({ id }) => id);
}

/** `share`: of the events until the beginning of the run, from 0 to 1. */
export type MetricProgress = { isComplete: boolean; share: number };
type RunRow = {
  metricId: string;
  revision: string;
  run: string;
  isComplete: boolean;
  share: number;
};

const runsQuery = defineQuery({
  name: 'list-metric-runs',
  sql: () => `select p.metric_id as "metricId", p.revision::text, p.run, p.is_complete as "isComplete",
      case when p.is_complete then 1 else greatest(0, least(1, (p.position - p.first_position)::float8
        / greatest(1, p.target_position - p.first_position))) end as share
    from activity.metric_progress p where p.project_id = $1 and p.metric_id = any($2::uuid[])`,
});

const notBegun: MetricProgress = { isComplete: false, share: 0 };
type Run = MetricProgress & { run: string | null };

/** How far these metrics of a project have counted, by ID. Counts of another revision do not count. */
export async function findMetricRuns(
  db: ReadDb,
  projectId: string,
  metrics: readonly Pick<StoredMetric, 'metricId' | 'revision'>[],
): Promise<ReadonlyMap<string, Run>> {
  const rows = await db.rows<RunRow>(runsQuery, [projectId, metrics.map(({ metricId }) => metricId)]);
  const found = new Map(rows.map((row) => [`${row.metricId} ${row.revision}`, row]));
  return new Map(
    metrics.map(({ metricId, revision }) => {
      const row = found.get(`${metricId} ${revision}`);
      return [
        metricId,
        row ? { isComplete: row.isComplete, share: row.share, run: row.run } : { ...notBegun, run: null },
      ];
    }),
  );
}

/** The number of groups with their own counts. */
const shownGroups = 10;

/** Rows of other groups are added up, so that few rows are read however many values there are. */
const countsQuery = defineQuery({
  name: 'custom-metric-counts',
  sql: () => `with counts as (
      select c.start, c.is_total, c.value, c.count from activity.metric_counts c
      where c.project_id = $1 and c.metric_id = $2::uuid and c.run = $3::uuid and c.start >= $4::timestamptz
        and c.start < $5::timestamptz),
    largest as (
      select value from counts where not is_total and value <> ''
      group by value order by sum(count) desc, value limit ${shownGroups})
    select ${millis('c.start')} as at, c.is_total as "isTotal", coalesce(l.value, '') as value,
      sum(c.count)::float8 as count
    from counts c left join largest l on l.value = c.value and not c.is_total group by 1, 2, 3`,
});

/** `value`: empty for what is unknown and all other values. */
export type MetricCount = Count & { isTotal: boolean };
type Range = { run: string; from: number; until: number };

/** Counts of intervals that begin from `from` to `until` (exclusive, in milliseconds). */
export const listMetricCounts = (
  db: ReadDb,
  projectId: string,
  metricId: string,
  { run, from, until }: Range,
): Promise<MetricCount[]> =>
  db.rows<MetricCount>(countsQuery, [projectId, metricId, run, new Date(from), new Date(until)]);
