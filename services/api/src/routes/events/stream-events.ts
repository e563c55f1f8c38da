import { EventStreamQuery } from '@gatebook/contract/events/events';
import { toCursor } from '@gatebook/readmodel/events/cursor';
import { type FeedPlace, readFeed } from '@gatebook/readmodel/events/feed';
import { serverAndUp } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { LiveSource } from '../../http/live-source.ts';
import { lastEventId, liveResponse } from '../../http/server-sent-events.ts';
import { filtersOf, placeAfter } from './list-events.ts';
import { feedReached } from './wait.ts';
import { toViews } from './wire.ts';

const pageSize = 500;

const toText = ({ position, index, nth }: FeedPlace) => `${position}.${index}.${nth}`;
function fromText(text: string): FeedPlace {
  const [position = '0', index, nth] = text.split('.');
  return { position: BigInt(position), index: Number(index), nth: Number(nth) };
}

/** The feed of a project as it grows. */
function sourceOf(deps: Deps, projectId: string, query: EventStreamQuery): LiveSource {
  const filters = filtersOf(query);
  return {
    key: JSON.stringify(['events', projectId, filters, query.format]),
    reached: (position) => feedReached(deps, projectId, position),
    toCursor: (place) => toCursor(deps, projectId, fromText(place)),
    read: async (place) => {
      const page = await readFeed(deps, projectId, filters, { from: fromText(place), limit: pageSize });
      const views = await toViews(deps, projectId, page.items, query.format);
      const items = views.map((data) => ({ cursor: data.cursor, data }));
      return { items, next: toText(page.next), hasMore: page.hasMore };
    },
  };
}

export const streamEventsRoute = defineRoute({
  method: 'GET',
  path: '/events/stream',
  access: serverAndUp,
  errors: ['EVENT_CURSOR_INVALID', 'LIVE_STREAM_LIMIT_REACHED'],
  tags: ['Events'],
  summary: 'Stream events',
  description:
    'The same events as they happen, as server-sent events: `id` is the cursor and `data` the event. After a break, `Last-Event-ID` wins over `after`. Comments come at least every 15 seconds, with a cursor that has moved past events that the filters left out. The stream ends after an hour, and when the right to read it ends.',
  query: EventStreamQuery,
  response: { 200: liveResponse },
  handle: async ({ deps, request, reply, caller: { projectId }, query }) => {
    await feedReached(deps, projectId, await deps.store.head());
    const place = await placeAfter(deps, projectId, lastEventId(request, query.after));
    return request.server.sendLive(request, reply, sourceOf(deps, projectId, query), toText(place));
  },
});
