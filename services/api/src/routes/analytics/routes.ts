import { DroppedEvents } from '@gatebook/contract/analytics';
import { clientAndUp } from '../../access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';

/** Without a body schema, so that no content of a page is rejected (protocol, payments §2). */
const dropEventsRoute = defineRoute({
  method: 'POST',
  path: '/analytics/events/batch',
  bodySize: 'medium',
  access: clientAndUp,
  session: 'any',
  writesNothing: true,
  tags: ['Payments and analytics'],
  summary: 'Accept analytics events',
  description: 'Newer clients send page views and clicks here. Gatebook drops them.',
  response: { 200: DroppedEvents },
  handle: async () => ({ position: null, body: { inserted: 0 as const } }),
});

export const analyticsRoutes: readonly Route[] = [dropEventsRoute];
