import { isDelivered, type WebhookErrorCode, type WebhookResult } from '@gatebook/commands/webhook/sender';
import type { PublicEvent } from '@gatebook/readmodel/events/feed';
import { postponeDelivery } from '@gatebook/readmodel/webhooks/deliveries';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import type { LeasedDelivery } from '@gatebook/readmodel/webhooks/lease-deliveries';
import { messageBody, peopleOf, responseName } from '@gatebook/readmodel/webhooks/message';
import { atOf, type WebhookParts } from './parts.ts';
import type { Recording } from './record-attempts.ts';
import { judge } from './schedule.ts';

/** While an event can't be read, because its project is quarantined or its read models are being built. */
const unreadableMs = 30_000;
/** After an error while an event was read. */
const retryReadMs = 5_000;

/** `event`: null if the log does not have it any more. `now`: the time by the clock of the database (ISO 8601). */
export type Leased = {
  delivery: LeasedDelivery;
  endpoint: WebhookEndpoint;
  lease: string;
  now: () => string;
  event: Promise<PublicEvent | 'unreadable' | null>;
};

/** Sends a message once and hands the outcome to `record`. */
export async function attemptOnce(
  parts: WebhookParts,
  { delivery, endpoint, lease, now, event: found }: Leased,
  record: (recording: Recording) => void,
  signal: AbortSignal,
): Promise<void> {
  const { pool, responseCipher, logger, random = Math.random } = parts;
  const { id: deliveryId, subject, trigger, step } = delivery;
  const postpone = (laterMs: number) => postponeDelivery(pool, { id: deliveryId, lease, laterMs, at: atOf(parts) });
  try {
    const event = await found.catch((error: unknown) => {
      logger.warn({ err: error, deliveryId }, 'could not read the event of a webhook, retrying');
      return 'failed' as const;
    });
    if (event === 'unreadable' || event === 'failed') {
      await postpone(event === 'failed' ? retryReadMs : unreadableMs);
      return;
    }
    const result = event
      ? await send(parts, { delivery, endpoint, event, at: now() }, signal)
      : failedWith('event_unavailable');
    // What happened is not known: another process sends it.
    if (signal.aborted && !isDelivered(result)) return;
    const { isGone, ...verdict } = judge(result, step, random());
    const { statusCode, errorCode, durationMs, responseBody } = result;
    const encrypted =
      responseBody === '' || event === null
        ? null
        : await responseCipher.encrypt(responseName(deliveryId), peopleOf(event), responseBody);
    const outcome = { ...verdict, trigger, statusCode, errorCode, durationMs };
    const response = { response: encrypted?.answer ?? null, subjects: encrypted?.subjects ?? [] };
    record({
      endpoint,
      isGone,
      subject,
      attempt: { deliveryId, endpointId: endpoint.id, lease, ...outcome, ...response },
    });
  } catch (error) {
    logger.warn({ err: error, deliveryId }, 'could not send a webhook');
    // It is sent again once the lease ends.
  }
}

const failedWith = (errorCode: WebhookErrorCode): WebhookResult => ({
  ...{ statusCode: null, errorCode, durationMs: 0, responseBody: '', retryAfterMs: null },
});

type Message = { delivery: LeasedDelivery; endpoint: WebhookEndpoint; event: PublicEvent; at: string };

const send = (
  { sender }: WebhookParts,
  { delivery: { eventId, cursor }, endpoint, event, at }: Message,
  signal: AbortSignal,
): Promise<WebhookResult> => sender.send(endpoint, { id: eventId, body: messageBody(event, cursor) }, { at, signal });
