import { PublicEventParams } from '@gatebook/contract/events/events';
import { PublicEventView } from '@gatebook/contract/events/public-event-types';
import { reject } from '@gatebook/domain/errors';
import { findPublicEvent } from '@gatebook/readmodel/events/find-public-events';
import { serverAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { feedReached } from './wait.ts';
import { toEventView } from './wire.ts';

export const findEventRoute = defineRoute({
  method: 'GET',
  path: '/events/:event_id',
  access: serverAndUp,
  errors: ['EVENT_NOT_FOUND'],
  tags: ['Events'],
  summary: 'Get an event',
  description: 'With the cursor at which the feed continues after it.',
  params: PublicEventParams,
  response: { 200: PublicEventView },
  handle: async ({ deps, reply, caller: { projectId }, params }) => {
    if ((await feedReached(deps, projectId, await deps.store.head())) === 'behind')
      reply.header('x-read-model', 'behind');
    const found = await findPublicEvent(deps, projectId, params.event_id);
    return found ? toEventView(deps, projectId, found) : reject('EVENT_NOT_FOUND');
  },
});
