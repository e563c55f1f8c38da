import type { Route } from '../../http/define-route.ts';
import { backendUrlsRoute } from './backend-urls.ts';
import { checkFeatureSupportRoute, checkVersionRoute } from './checks.ts';
import { greetingRoute } from './greeting.ts';
import { healthRoute, readyRoute } from './health.ts';

export const healthRoutes: readonly Route[] = [
  healthRoute,
  readyRoute,
  greetingRoute,
  checkVersionRoute,
  checkFeatureSupportRoute,
  backendUrlsRoute,
];
