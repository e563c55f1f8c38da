import { isDelivered, type WebhookErrorCode, type WebhookResult } from '@gatebook/commands/webhook/sender';
import { largest } from '@gatebook/projections/positions';
import { ReadModelNotReadyError } from '@gatebook/projections/wait';
import { feedBound, findPublicEvents, type PublicEvent } from '@gatebook/readmodel/events/feed';
import {
  type LeasedDelivery,
  leaseDeliveries,
  listPendingEndpoints,
  postponeDelivery,
  releaseDeliveries,
} from '@gatebook/readmodel/webhooks/deliveries';
import { webhooksChannel } from '@gatebook/readmodel/webhooks/delivery-tables';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { messageBody, peopleOf, responseName } from '@gatebook/readmodel/webhooks/message';
import { createAlarm } from './alarm.ts';
import { atOf, type WebhookParts } from './parts.ts';
import { createAttemptLog } from './record-attempts.ts';
import { judge } from './schedule.ts';

/** So many requests to one endpoint run at once in this process; one that fails gets fewer. */
const usualSlots = 20;
const failingSlots = 2;
/** The safety net, in case a notification is lost. */
const longestWaitMs = 30_000;
const shortestWaitMs = 20;
const retryMs = 1_000;
/** While an event can't be read, because its project is quarantined or its read models are being built. */
const unreadableMs = 30_000;

export type Sending = { stop(): Promise<void> };

/** `event`: null if the log does not have it any more. */
type Leased = {
  delivery: LeasedDelivery;
  endpoint: WebhookEndpoint;
  lease: string;
  event: Promise<PublicEvent | 'unreadable' | null>;
};

/**
 * Sends the messages of all endpoints in this process, next to other processes that do the same. Messages are taken
 * under a lease, so those of a process that dies are sent by another.
 */
export async function startSending(parts: WebhookParts): Promise<Sending> {
  const { pool, endpoints, logger, newId } = parts;
  const stopping = new AbortController();
  const running = new Map<string, Set<Promise<void>>>();
  const failing = new Set<string>();
  const leases = new Map<Promise<void>, string>();
  const alarm = await createAlarm(parts.listener, [webhooksChannel]);
  const log = createAttemptLog(parts, (endpointId, isFailing) => {
    if (isFailing) failing.add(endpointId);
    else failing.delete(endpointId);
    alarm.ring();
  });

  function start(leased: Leased): void {
    const { id } = leased.endpoint;
    const ofEndpoint = running.get(id) ?? new Set();
    const attempt = attemptOnce(parts, leased, log.add, stopping.signal).finally(() => {
      ofEndpoint.delete(attempt);
      leases.delete(attempt);
      if (ofEndpoint.size === 0) running.delete(id);
      alarm.ring();
    });
    running.set(id, ofEndpoint.add(attempt));
    leases.set(attempt, leased.lease);
  }

  async function leaseSome(projectId: string, endpointId: string): Promise<void> {
    const slots = failing.has(endpointId) ? failingSlots : usualSlots;
    const limit = slots - (running.get(endpointId)?.size ?? 0);
    // Few at a time would cost as many statements as many.
    if (limit < slots / 4) return;
    const endpoint = await endpoints.find(projectId, endpointId);
    if (!endpoint?.isEnabled) return;
    const { ordering, rateLimitPerSecond: perSecond } = endpoint;
    const lease = newId();
    const leased = await leaseDeliveries(pool, { endpointId, ordering, perSecond }, { limit, lease, at: atOf(parts) });
    const found = findEvents(parts, projectId, leased);
    for (const delivery of leased) {
      start({ delivery, endpoint, lease, event: found.then((find) => find(delivery)) });
    }
  }

  /** @returns how long until something is due */
  async function sendDue(): Promise<number> {
    const pending = await listPendingEndpoints(pool, atOf(parts));
    const due = pending.filter(({ isDue }) => isDue);
    await Promise.all(due.map(({ projectId, endpointId }) => leaseSome(projectId, endpointId)));
    const next = pending.flatMap(({ nextMs }) => (nextMs === null ? [] : [nextMs]));
    return Math.max(shortestWaitMs, Math.min(longestWaitMs, ...next));
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await sendDue().catch((error: unknown) => {
        const isStarting = error instanceof ReadModelNotReadyError;
        if (!isStarting) logger.warn({ err: error }, 'could not send webhooks, retrying');
        return retryMs;
      });
      await alarm.next(waitMs, stopping.signal);
    }
  }

  const ended = run();
  return {
    stop: async () => {
      stopping.abort();
      await ended;
      await alarm.close();
      const left = [...leases.values()];
      await Promise.all(leases.keys());
      await log.close();
      if (left.length > 0) await releaseDeliveries(pool, left, atOf(parts));
    },
  };
}

type Recording = Parameters<ReturnType<typeof createAttemptLog>['add']>[0];

async function attemptOnce(
  parts: WebhookParts,
  { delivery, endpoint, lease, event: found }: Leased,
  record: (recording: Recording) => void,
  signal: AbortSignal,
): Promise<void> {
  const { pool, responseCipher, logger, random = Math.random } = parts;
  const { id: deliveryId, trigger, step } = delivery;
  try {
    const event = await found;
    if (event === 'unreadable') {
      await postponeDelivery(pool, { id: deliveryId, lease, laterMs: unreadableMs, at: atOf(parts) });
      return;
    }
    const result = event ? await send(parts, { delivery, endpoint, event }, signal) : failedWith('event_unavailable');
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
    record({ endpoint, isGone, attempt: { deliveryId, lease, ...outcome, ...response } });
  } catch (error) {
    logger.warn({ err: error, deliveryId }, 'could not send a webhook');
    // It is sent again once the lease ends.
  }
}

const failedWith = (errorCode: WebhookErrorCode): WebhookResult => ({
  ...{ statusCode: null, errorCode, durationMs: 0, responseBody: '', retryAfterMs: null },
});

/** The events of deliveries, derived together. */
async function findEvents(
  parts: WebhookParts,
  projectId: string,
  deliveries: readonly LeasedDelivery[],
): Promise<(delivery: LeasedDelivery) => PublicEvent | 'unreadable' | null> {
  const recent = new Map(deliveries.map(({ eventId }) => [eventId, parts.recent.find(eventId)]));
  const missing = deliveries.filter(({ eventId }) => !recent.get(eventId));
  if (missing.length > 0) await waitForEvents(parts, projectId, missing);
  // Before events are read: one that is projected meanwhile is not taken for one that the log has lost.
  const bound = feedBound(parts, projectId);
  const ids = missing.map(({ eventId }) => eventId);
  const found = ids.length > 0 ? await findPublicEvents(parts, projectId, ids) : new Map<string, PublicEvent>();
  return ({ eventId, position }) =>
    recent.get(eventId) ?? found.get(eventId) ?? (bound < position ? 'unreadable' : null);
}

/** The process that made the messages knew of their events earlier. */
const waitForEvents = ({ readModels }: WebhookParts, projectId: string, deliveries: readonly LeasedDelivery[]) => {
  const last = largest(deliveries.map(({ position }) => position));
  return Promise.all(['events', 'main'].map((group) => readModels.reached(last, undefined, [projectId], { group })));
};

type Message = { delivery: LeasedDelivery; endpoint: WebhookEndpoint; event: PublicEvent };

const send = (
  { sender, clock = () => new Date().toISOString() }: WebhookParts,
  { delivery: { eventId, cursor }, endpoint, event }: Message,
  signal: AbortSignal,
): Promise<WebhookResult> =>
  sender.send(endpoint, { id: eventId, body: messageBody(event, cursor) }, { at: clock(), signal });
