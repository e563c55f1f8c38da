import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/** A write that came with a key of its own was decided: in the append of what it decided, so that a crash can't part the two. */
export const requestEvents = defineEvents({
  RequestDecided: { version: 1, data: z.object({ at: z.iso.datetime() }) },
});
export type RequestEvent = EventOf<typeof requestEvents>;
