import type {
  WebhookAttemptView,
  WebhookDeliveryDetailView,
  WebhookDeliveryView,
  WebhookReplayView,
} from '@gatebook/contract/webhooks/deliveries';
import type { Attempt, Delivery } from '@gatebook/readmodel/webhooks/delivery-lists';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import type { ReplayProgress } from '@gatebook/readmodel/webhooks/replays';

/** What waits for a disabled endpoint is parked. */
const statusOf = ({ status }: Delivery, { isEnabled }: Pick<WebhookEndpoint, 'isEnabled'>) =>
  status === 'pending' && !isEnabled ? 'parked' : status;

export const toDeliveryView = (
  delivery: Delivery,
  endpoint: Pick<WebhookEndpoint, 'isEnabled'>,
): WebhookDeliveryView => ({
  id: delivery.id,
  event_id: delivery.eventId,
  type: delivery.type,
  status: statusOf(delivery, endpoint),
  attempt_count: delivery.attemptCount,
  next_attempt_at_millis: delivery.nextAttemptAt,
  last_status_code: delivery.lastStatusCode,
  created_at_millis: delivery.createdAt,
});

type ShownAttempt = Omit<Attempt, 'subjects'>;

const toAttemptView = (attempt: ShownAttempt): WebhookAttemptView => ({
  at_millis: attempt.at,
  trigger: attempt.trigger,
  status_code: attempt.statusCode,
  error_code: attempt.errorCode,
  duration_in_millis: attempt.durationMs,
  response_body: attempt.response,
});

/** Headers that depend on the attempt are left out. */
export const toDetailView = (
  delivery: Delivery,
  endpoint: Pick<WebhookEndpoint, 'isEnabled'>,
  { body, attempts }: { body: string | null; attempts: readonly ShownAttempt[] },
): WebhookDeliveryDetailView => ({
  ...toDeliveryView(delivery, endpoint),
  endpoint_id: delivery.endpointId,
  request: {
    headers: {
      'content-type': 'application/json',
      'webhook-id': delivery.eventId,
      'svix-id': delivery.eventId,
    },
    body,
  },
  attempts: attempts.map(toAttemptView),
});

export const toReplayView = (replay: ReplayProgress): WebhookReplayView => ({
  id: replay.id,
  endpoint_id: replay.endpointId,
  status: replay.status,
  only: replay.wanted,
  matched: replay.matched,
  is_exact: replay.isExact,
  sent: replay.sent,
  delivered: replay.delivered,
  failed: replay.failed,
  created_at_millis: replay.createdAt,
});
