import { largest } from '@gatebook/projections/positions';
import { feedBound } from '@gatebook/readmodel/events/feed';
import { findPublicEvents } from '@gatebook/readmodel/events/find-public-events';
import type { LeasedDelivery } from '@gatebook/readmodel/webhooks/lease-deliveries';
import type { WebhookParts } from './parts.ts';
import type { FindEvent } from './recent-events.ts';

/** The events of deliveries, derived together, and once for all endpoints that ask at the same time. */
export async function findEvents(
  parts: WebhookParts,
  projectId: string,
  deliveries: readonly LeasedDelivery[],
): Promise<FindEvent> {
  const { recent } = parts;
  const known = new Map(deliveries.map(({ eventId }) => [eventId, recent.find(eventId)]));
  const missing = deliveries.filter(({ eventId }) => !known.get(eventId));
  const own = missing.filter(({ eventId }) => !recent.loading.has(eventId));
  if (own.length > 0) {
    const read = readEvents(parts, projectId, own);
    for (const { eventId } of own) recent.loading.set(eventId, read);
    const forget = () => {
      for (const { eventId } of own) recent.loading.delete(eventId);
    };
    read.then(forget, forget);
  }
  const reads = missing.map(async ({ eventId }) => [eventId, await recent.loading.get(eventId)] as const);
  const found = new Map(await Promise.all(reads));
  return (delivery) => known.get(delivery.eventId) ?? found.get(delivery.eventId)?.(delivery) ?? null;
}

async function readEvents(
  parts: WebhookParts,
  projectId: string,
  deliveries: readonly LeasedDelivery[],
): Promise<FindEvent> {
  await waitForEvents(parts, projectId, deliveries);
  // Before events are read: one that is projected meanwhile is not taken for one that the log has lost.
  const bound = feedBound(parts, projectId);
  const ids = deliveries.map(({ eventId }) => eventId);
  const found = await findPublicEvents(parts, projectId, ids);
  // Other endpoints get them too.
  parts.recent.add([...found.values()]);
  return ({ eventId, position }) => found.get(eventId) ?? (bound < position ? 'unreadable' : null);
}

/** The process that made the messages knew of their events earlier. */
const waitForEvents = ({ readModels }: WebhookParts, projectId: string, deliveries: readonly LeasedDelivery[]) => {
  const last = largest(deliveries.map(({ position }) => position));
  return Promise.all(['events', 'main'].map((group) => readModels.reached(last, undefined, [projectId], { group })));
};
