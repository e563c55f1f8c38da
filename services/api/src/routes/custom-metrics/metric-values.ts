import { CustomMetricParams, CustomMetricValuesQuery, CustomMetricValuesView } from '@gatebook/contract/custom-metrics';
import { reject } from '@gatebook/domain/errors';
import type { MetricUnit } from '@gatebook/domain/project/metric-definition';
import {
  findCustomMetric,
  findMetricRuns,
  listMetricCounts,
  type MetricCount,
} from '@gatebook/readmodel/custom-metrics/queries';
import { addIntervals, startOf } from '@gatebook/readmodel/metrics/intervals';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { tags, toProgressView } from './wire.ts';

const usualIntervals = 30;
const maxIntervals = 1_000;

export const metricValuesRoute = defineRoute({
  method: 'GET',
  path: '/internal/custom-metrics/:metric_id/values',
  access: adminOnly,
  errors: ['CUSTOM_METRIC_NOT_FOUND'],
  tags,
  summary: 'Get the values of a custom metric',
  description: 'The numbers can lag by a few seconds, and grow while events of the past are being counted.',
  params: CustomMetricParams,
  query: CustomMetricValuesQuery,
  response: { 200: CustomMetricValuesView },
  handle: async ({ deps: { db, now }, caller: { projectId }, params: { metric_id: metricId }, query }) => {
    const metric = (await findCustomMetric(db, projectId, metricId)) ?? reject('CUSTOM_METRIC_NOT_FOUND');
    const { unit, count } = metric;
    const bounds = boundsOf(unit, query, Date.parse(now()));
    const [progress] = (await findMetricRuns(db, projectId, [metric])).values();
    const { run = null, ...state } = progress ?? { isComplete: false, share: 0 };
    const range = { from: bounds[0] ?? 0, until: bounds.at(-1) ?? 0 };
    const found = run === null ? [] : await listMetricCounts(db, projectId, metricId, { run, ...range });
    const [all] = seriesOf(
      bounds,
      found.filter(({ isTotal }) => isTotal),
    );
    const counts = all?.counts ?? bounds.slice(1).map(() => 0);
    return {
      unit,
      intervals: bounds
        .slice(0, -1)
        .map((start, nth) => ({ start_millis: start, end_millis: bounds[nth + 1] ?? start })),
      total: count === 'events' ? sum(counts) : null,
      counts,
      groups: seriesOf(
        bounds,
        found.filter(({ isTotal }) => !isTotal),
      ),
      ...toProgressView(state),
    };
  },
});

/** The bounds of the intervals, ascending: one more than intervals. */
function boundsOf(unit: MetricUnit, { from_millis, until_millis }: CustomMetricValuesQuery, now: number): number[] {
  const until = until_millis ?? now + 1;
  const last = startOf(unit, until - 1);
  const first = from_millis === undefined ? addIntervals(unit, last, 1 - usualIntervals) : startOf(unit, from_millis);
  const bounds = [addIntervals(unit, last, 1)];
  for (let start = last; start >= Math.max(0, first) && bounds.length <= maxIntervals; ) {
    bounds.unshift(start);
    start = addIntervals(unit, start, -1);
  }
  return bounds;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** One series per value, the largest first, and last what is unknown or other. */
function seriesOf(bounds: readonly number[], found: readonly MetricCount[]) {
  const nths = new Map(bounds.map((bound, nth) => [bound, nth]));
  const series = [...Map.groupBy(found, ({ value }) => value)].map(([value, rows]) => {
    const counts = bounds.slice(1).map(() => 0);
    for (const { at, count } of rows) counts[nths.get(at) ?? 0] = count;
    return { value: value === '' ? null : value, counts };
  });
  const orderOf = ({ value, counts }: (typeof series)[number]) => (value === null ? -1 : sum(counts));
  return series.sort((one, other) => orderOf(other) - orderOf(one));
}
