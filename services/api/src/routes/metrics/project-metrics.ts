import { MetricsQuery, MetricsView } from '@gatebook/contract/metrics';
import { type DayCount, projectMetrics } from '@gatebook/readmodel/metrics/queries';
import { adminOnly } from '../../access.ts';
import { anonymousLeftOutSince, isPublishedSince } from '../../http/client-version.ts';
import { defineRoute } from '../../http/define-route.ts';
import { toServerUserView } from '../users/wire.ts';

const toDay = ({ date, count }: DayCount) => ({ date, activity: count });

/** Project metrics (protocol, projects §3). They can lag by a few seconds. */
export const projectMetricsRoute = defineRoute({
  method: 'GET',
  path: '/internal/metrics',
  access: adminOnly,
  tags: ['Operations'],
  summary: 'Get project metrics',
  description:
    'Covers the last 31 days (UTC). The numbers can lag by a few seconds. Newer client libraries count anonymous users only if they ask for them; other callers leave them out with `include_anonymous=false`.',
  query: MetricsQuery,
  response: { 200: MetricsView },
  handle: async ({ deps, request, caller, query }) => {
    const today = deps.now().slice(0, 10);
    const withAnonymous = query.include_anonymous ?? !isPublishedSince(request, anonymousLeftOutSince);
    const metrics = await projectMetrics(deps.db, caller.projectId, { today, withAnonymous });
    return {
      total_users: metrics.totalUsers,
      daily_users: metrics.dailyUsers.map(toDay),
      daily_active_users: metrics.dailyActiveUsers.map(toDay),
      users_by_country: Object.fromEntries(metrics.usersByCountry.map(({ country, count }) => [country, count])),
      recently_registered: metrics.recentlyRegistered.map((user) => toServerUserView(request, user)),
      recently_active: metrics.recentlyActive.map((user) => toServerUserView(request, user)),
      login_methods: metrics.loginMethods,
    };
  },
});
