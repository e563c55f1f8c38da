import { typesNamed } from '@gatebook/domain/public-events/type-names';
import {
  afterPosition,
  everyPublicEvent,
  type FeedFilters,
  type FeedPage,
  type FeedPlace,
  feedBound,
  readFeed,
} from '@gatebook/readmodel/events/feed';
import { addDeliveries, findOrPlaceEndpoint, type NewDelivery } from '@gatebook/readmodel/webhooks/deliveries';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { cursorAfter, subjectOf } from '@gatebook/readmodel/webhooks/message';
import { atOf, type WebhookParts } from './parts.ts';

const pageSize = 200;
/** Pages that are taken for an endpoint before it is the turn of others. */
const maxPages = 5;
/** A place that moved by less without a message is not saved: after a restart, it is found again by reading. */
const unsavedPositions = 10_000n;
/** Pages that are kept for other endpoints. */
const maxShared = 10;

/** What endpoints that take the same events together share: cursors by event, and pages by place and types. */
export type Shared = { cursors: Map<string, Promise<string>>; pages: Map<string, Promise<FeedPage>> };
export const createShared = (): Shared => ({ cursors: new Map(), pages: new Map() });

/** Messages of a page. Endpoints that take the same events together send the same bytes. */
export async function toDeliveries(
  parts: Pick<WebhookParts, 'responseCipher' | 'store' | 'newId'>,
  projectId: string,
  items: FeedPage['items'],
  { cursors }: Pick<Shared, 'cursors'> = createShared(),
): Promise<NewDelivery[]> {
  return Promise.all(
    items.map(async (item) => {
      const { event, after } = item;
      const cursor = cursors.get(event.id) ?? cursorAfter(parts, projectId, item);
      cursors.set(event.id, cursor);
      const place = { ...after, nth: after.nth - 1 };
      const subject = subjectOf(event);
      const { id: eventId, type, at: eventAt } = event;
      return { id: parts.newId(), eventId, type, subject, place, cursor: await cursor, eventAt };
    }),
  );
}

/**
 * Makes messages of the next events that an endpoint wants, from where it is.
 * @returns whether there are more, before the end of the feed
 */
export async function takeEvents(
  parts: WebhookParts,
  endpoint: WebhookEndpoint,
  signal: AbortSignal,
  shared: Shared = createShared(),
): Promise<boolean> {
  const { pool, recent } = parts;
  const { projectId, id: endpointId, types, startAfter } = endpoint;
  const start = { ...startAfter, position: BigInt(startAfter.position) };
  let saved = await findOrPlaceEndpoint(pool, { projectId, endpointId, start });
  saved = await fallBack(parts, endpoint, saved);
  const named = types && typesNamed(types);
  for (let [from, pages] = [saved, 1]; !signal.aborted; pages += 1) {
    const page = await readPage(parts, projectId, { types: named, from }, shared);
    const deliveries = await toDeliveries(parts, projectId, page.items, shared);
    const isFar = page.next.position - saved.position > unsavedPositions;
    const isLast = page.hasMore && pages === maxPages;
    if (deliveries.length > 0 || isFar || isLast) {
      recent.add(page.items.map(({ event }) => event));
      const moved = { projectId, endpointId, from: saved, next: page.next, at: atOf(parts) };
      // Another process leads now.
      if (!(await addDeliveries(pool, moved, deliveries))) return false;
      saved = page.next;
    }
    if (!page.hasMore || isLast) return page.hasMore;
    from = page.next;
  }
  return false;
}

/** Deriving the data of events is expensive, and endpoints usually are at the same place. */
function readPage(
  parts: WebhookParts,
  projectId: string,
  { types, from }: { types: FeedFilters['types']; from: FeedPlace },
  { pages }: Shared,
): Promise<FeedPage> {
  const key = `${from.position} ${from.index} ${from.nth} ${types}`;
  const known = pages.get(key);
  if (known) return known;
  const page = readFeed(parts, projectId, { ...everyPublicEvent, types }, { from, limit: pageSize });
  pages.set(key, page);
  const [oldest] = pages.keys();
  if (pages.size > maxShared && oldest !== undefined) pages.delete(oldest);
  return page;
}

/** An endpoint that is ahead of a log which lost events would miss those that come at their places. */
async function fallBack(
  parts: WebhookParts,
  { projectId, id: endpointId }: WebhookEndpoint,
  place: FeedPlace,
): Promise<FeedPlace> {
  const bound = feedBound(parts, projectId);
  if (bound < 0n || place.position <= bound || place.position <= (await parts.store.head())) return place;
  const next = afterPosition(bound);
  await addDeliveries(parts.pool, { projectId, endpointId, from: place, next, at: atOf(parts) }, []);
  return next;
}
