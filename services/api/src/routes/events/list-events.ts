import { EventListView, EventsQuery } from '@gatebook/contract/events/events';
import { ReadModelNotReadyError } from '@gatebook/projections/wait';
import { openCursor, toCursor } from '@gatebook/readmodel/events/cursor';
import {
  afterPosition,
  type FeedFilters,
  type FeedPage,
  type FeedPlace,
  feedBound,
  feedStart,
  readFeed,
} from '@gatebook/readmodel/events/feed';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { serverAndUp } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { checkCallerAgain } from '../../http/callers.ts';
import { defineRoute } from '../../http/define-route.ts';
import { expectEvent, feedReached } from './wait.ts';
import { toViews } from './wire.ts';

const usualPage = 100;

export const filtersOf = ({
  types,
  user_id,
  team_id,
  since_millis,
  until_millis,
}: Partial<EventsQuery>): FeedFilters => ({
  types: types ?? null,
  userId: user_id ?? null,
  teamId: team_id ?? null,
  since: since_millis ?? null,
  until: until_millis ?? null,
});

/**
 * @throws DomainError EVENT_CURSOR_INVALID
 * @throws ReadModelNotReadyError for the head, if it is not known
 */
export async function placeAfter(deps: Deps, projectId: string, after: string | undefined): Promise<FeedPlace> {
  if (after === undefined) return feedStart;
  if (after !== 'head') return openCursor(deps, projectId, after);
  const bound = feedBound(deps, projectId);
  // A place before all events would tell the whole past as new.
  if (bound < 0n) throw new ReadModelNotReadyError('events');
  return afterPosition(bound);
}

export const listEventsRoute = defineRoute({
  method: 'GET',
  path: '/events',
  access: serverAndUp,
  errors: ['EVENT_CURSOR_INVALID'],
  tags: ['Events'],
  summary: 'List events',
  description:
    'What happened in the project, oldest first. Store `next_after` together with the effect of the events, and send it as `after` next time: no event is missed or comes twice, whatever fails. The API shows what the events tell, or something newer. With `wait_in_millis`, an empty page is answered as soon as there is an event.',
  query: EventsQuery,
  response: { 200: EventListView },
  handle: async ({ deps, request, reply, caller: { projectId }, query }) => {
    const { after, limit = usualPage, wait_in_millis: waitMs = 0, format } = query;
    if ((await feedReached(deps, projectId, await deps.store.head())) === 'behind')
      reply.header('x-read-model', 'behind');
    const from = await placeAfter(deps, projectId, after);
    const page = await readOrWait(deps, { request, reply }, projectId, {
      filters: filtersOf(query),
      from,
      limit,
      waitMs,
    });
    const bound = feedBound(deps, projectId);
    const head = bound > page.next.position ? afterPosition(bound) : page.next;
    const [items, next, headAfter] = await Promise.all([
      toViews(deps, projectId, page.items, format),
      toCursor(deps, projectId, page.next),
      toCursor(deps, projectId, head),
    ]);
    return { items, next_after: next, has_more: page.hasMore, head_after: headAfter };
  },
});

type Wanted = { filters: FeedFilters; from: FeedPage['next']; limit: number; waitMs: number };

/** A page, as soon as it has an item. It goes on where it found nothing. */
async function readOrWait(
  deps: Deps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  projectId: string,
  { filters, from, limit, waitMs }: Wanted,
): Promise<FeedPage> {
  if (waitMs === 0) return readFeed(deps, projectId, filters, { from, limit });
  const endAt = performance.now() + waitMs;
  const began = Date.parse(deps.now());
  const gone = new AbortController();
  const over = AbortSignal.any([gone.signal, request.server.closing]);
  reply.raw.once('close', () => gone.abort());
  const expected = expectEvent(deps.tail, projectId);
  try {
    // An event that was seen before may not be in the rows yet, and wakes nobody again.
    await feedReached(deps, projectId, deps.tail.followed());
    let page = await readFeed(deps, projectId, filters, { from, limit });
    while (page.items.length === 0 && !page.hasMore) {
      const position = await expected.next(endAt - performance.now(), over);
      if (position === null) return page;
      await feedReached(deps, projectId, position);
      await checkCallerAgain(deps, request, began);
      page = await readFeed(deps, projectId, filters, { from: page.next, limit });
    }
    return page;
  } finally {
    expected.stop();
  }
}
