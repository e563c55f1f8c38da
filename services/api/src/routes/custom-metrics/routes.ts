import type { Route } from '../../http/define-route.ts';
import { listMetricsRoute } from './list-metrics.ts';
import { metricValuesRoute } from './metric-values.ts';
import { createMetricRoute, deleteMetricRoute, updateMetricRoute } from './write-metrics.ts';

export const customMetricsRoutes: readonly Route[] = [
  listMetricsRoute,
  createMetricRoute,
  updateMetricRoute,
  deleteMetricRoute,
  metricValuesRoute,
];
