import type { Route } from '../../http/define-route.ts';
import { findEventRoute } from './find-event.ts';
import { listEventTypesRoute } from './list-event-types.ts';
import { listEventsRoute } from './list-events.ts';
import { streamEventsRoute } from './stream-events.ts';

export const eventRoutes: readonly Route[] = [listEventsRoute, streamEventsRoute, listEventTypesRoute, findEventRoute];
