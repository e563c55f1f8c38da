import { ReadModelNotReadyError } from '@gatebook/projections/wait';
import { listPendingEndpoints, releaseDeliveries } from '@gatebook/readmodel/webhooks/deliveries';
import { webhooksChannel } from '@gatebook/readmodel/webhooks/delivery-tables';
import { leaseDeliveries } from '@gatebook/readmodel/webhooks/lease-deliveries';
import { pause } from '@gatebook/runtime/pause';
import { createAlarm } from './alarm.ts';
import { attemptOnce, type Leased } from './attempt-once.ts';
import { createDueScan, type DueScan } from './due-scan.ts';
import { findEvents } from './find-events.ts';
import { atOf, type WebhookParts } from './parts.ts';
import { createAttemptLog } from './record-attempts.ts';
import { createSlots } from './slots.ts';

/** How long a process that ends waits for its requests. Those that are cut off are sent again by another. */
const drainMs = 2_000;
/** The safety net, in case a notification is lost. */
const longestWaitMs = 30_000;
const shortestWaitMs = 20;
const retryMs = 1_000;
/** While another process leases messages of an endpoint. */
const busyMs = 50;
/** The shortest pause between two looks at an endpoint that has a rate limit. */
const shortestLimitMs = 250;

export type Sending = { stop(): Promise<void> };

/** An endpoint with messages that this process sends or looks for. */
type Lane = { id: string; projectId: string; scan: DueScan; running: number; isServed: boolean };

/**
 * Sends the messages of all endpoints in this process, next to other processes that do the same. Messages are taken
 * under a lease, so those of a process that dies are sent by another.
 */
export async function startSending(parts: WebhookParts): Promise<Sending> {
  const { pool, endpoints, logger, newId } = parts;
  const stopping = new AbortController();
  const cutting = new AbortController();
  const lanes = new Map<string, Lane>();
  const leases = new Map<Promise<void>, string>();
  const serving = new Set<Promise<void>>();
  const slots = createSlots();
  /** Endpoints for which there was no room, because of others. */
  const crowded = new Set<Lane>();
  let isRetrying = false;
  const alarm = await createAlarm(parts.listener, [webhooksChannel]);
  const log = createAttemptLog(parts, (endpointId, { hasSuccess, subjects, nextMs }) => {
    slots.note(endpointId, hasSuccess);
    if (nextMs !== null) ringAfter(nextMs);
    const lane = lanes.get(endpointId);
    lane?.scan.finish(subjects);
    if (lane) serve(lane);
  });

  /** For what is due before the next look, and was not known at the last one. */
  function ringAfter(ms: number): void {
    if (ms < longestWaitMs) setTimeout(alarm.ring, ms).unref();
  }

  function laneOf(projectId: string, id: string): Lane {
    const known = lanes.get(id);
    if (known) return known;
    const lane = { id, projectId, scan: createDueScan(), running: 0, isServed: false };
    lanes.set(id, lane);
    return lane;
  }

  function start(lane: Lane, leased: Leased): void {
    lane.running += 1;
    const attempt = attemptOnce(parts, leased, log.add, cutting.signal).finally(() => {
      slots.give(lane, 1);
      leases.delete(attempt);
      lane.running -= 1;
      serve(lane);
      retryCrowded();
    });
    leases.set(attempt, leased.lease);
  }

  /** Others wait for room that is free again. */
  function retryCrowded(): void {
    if (crowded.size === 0 || isRetrying) return;
    isRetrying = true;
    setImmediate(serveCrowded);
  }

  function serveCrowded(): void {
    isRetrying = false;
    const waiting = shuffled([...crowded]);
    crowded.clear();
    for (const lane of waiting) serve(lane);
  }

  /** Leases and starts what there is room for. */
  function serve(lane: Lane): void {
    if (lane.isServed) return;
    const served = serveAll(lane).finally(() => serving.delete(served));
    serving.add(served);
  }

  async function serveAll(lane: Lane): Promise<void> {
    lane.isServed = true;
    while (!stopping.signal.aborted && lane.scan.hasMore()) {
      const room = slots.room(lane);
      if (room === 0) {
        if (lane.running === 0) crowded.add(lane);
        break;
      }
      // Before anything is waited for, so that endpoints do not take the same room.
      slots.take(lane, room);
      const started = await leaseSome(lane, room).catch((error: unknown) => {
        const isStarting = error instanceof ReadModelNotReadyError;
        if (!isStarting) logger.warn({ err: error, endpointId: lane.id }, 'could not send webhooks, retrying');
        lane.scan.end();
        ringAfter(retryMs);
        return 0;
      });
      slots.give(lane, room - started);
      if (started < room) retryCrowded();
    }
    lane.isServed = false;
  }

  /** @returns how many were started */
  async function leaseSome(lane: Lane, limit: number): Promise<number> {
    const { id: endpointId, projectId, scan } = lane;
    const endpoint = await endpoints.find(projectId, endpointId);
    if (!endpoint?.isEnabled) {
      scan.end();
      return 0;
    }
    const { ordering, rateLimitPerSecond: perSecond } = endpoint;
    const lease = newId();
    const of = { endpointId, ordering, perSecond };
    const found = await leaseDeliveries(pool, of, scan.begin(ordering), { limit, lease, at: atOf(parts) });
    scan.note(found, { ordering, limit });
    if (!found) {
      ringAfter(busyMs);
      return 0;
    }
    const { deliveries, isLimited } = found;
    if (deliveries.length === 0) return 0;
    if (isLimited && perSecond !== null) ringAfter(Math.max(shortestLimitMs, 1_000 / perSecond));
    const events = findEvents(parts, projectId, deliveries);
    const now = clockFrom(found.now);
    for (const delivery of deliveries) {
      start(lane, { delivery, endpoint, lease, now, event: events.then((find) => find(delivery)) });
    }
    return deliveries.length;
  }

  /** @returns how long until something is due */
  async function sendDue(): Promise<number> {
    const pending = await listPendingEndpoints(pool, atOf(parts));
    const known = new Set(pending.map(({ endpointId }) => endpointId));
    for (const lane of lanes.values()) {
      if (known.has(lane.id) || lane.running > 0 || lane.isServed) continue;
      lanes.delete(lane.id);
      crowded.delete(lane);
    }
    for (const { projectId, endpointId, isDue } of shuffled(pending)) {
      if (!isDue) continue;
      const lane = laneOf(projectId, endpointId);
      lane.scan.restart();
      serve(lane);
    }
    const next = pending.flatMap(({ nextMs }) => (nextMs === null ? [] : [nextMs]));
    return Math.max(shortestWaitMs, Math.min(longestWaitMs, ...next));
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await sendDue().catch((error: unknown) => {
        logger.warn({ err: error }, 'could not find webhooks to send, retrying');
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
      await Promise.all(serving);
      await alarm.close();
      const attempts = Promise.all(leases.keys());
      const drained = new AbortController();
      await Promise.race([attempts.finally(() => drained.abort()), pause(drainMs, drained.signal)]);
      const left = [...leases.values()];
      cutting.abort();
      await attempts;
      await log.close();
      if (left.length === 0) return;
      // Otherwise they are sent again once their leases end.
      await releaseDeliveries(pool, left, atOf(parts)).catch((error: unknown) =>
        logger.warn({ err: error }, 'could not release webhooks'),
      );
    },
  };
}

/** Receivers reject messages whose time is far from theirs, and the clock of this process can be wrong. */
function clockFrom(millis: number): () => string {
  const beganAt = performance.now();
  return () => new Date(millis + performance.now() - beganAt).toISOString();
}

/** When there is not enough room, it is not always the same endpoints that wait. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, key: Math.random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
