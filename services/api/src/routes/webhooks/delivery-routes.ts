import type { Route } from '../../http/define-route.ts';
import { getDeliveryRoute, listDeliveriesRoute, resendDeliveryRoute } from './deliveries.ts';
import { cancelReplayRoute, getReplayRoute, replayRoute } from './replays.ts';
import { sendTestWebhookRoute, testEndpointRoute } from './send-test.ts';

export const webhookDeliveryRoutes: readonly Route[] = [
  listDeliveriesRoute,
  getDeliveryRoute,
  resendDeliveryRoute,
  testEndpointRoute,
  sendTestWebhookRoute,
  replayRoute,
  getReplayRoute,
  cancelReplayRoute,
];
