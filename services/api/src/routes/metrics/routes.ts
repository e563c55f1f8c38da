import type { Route } from '../../http/define-route.ts';
import { analyticsRoute, funnelRoute, retentionRoute } from './analytics.ts';
import { projectMetricsRoute } from './project-metrics.ts';
import { userActivityRoute, userCountsRoute } from './user-metrics.ts';

export const metricsRoutes: readonly Route[] = [
  projectMetricsRoute,
  userCountsRoute,
  userActivityRoute,
  analyticsRoute,
  retentionRoute,
  funnelRoute,
];
