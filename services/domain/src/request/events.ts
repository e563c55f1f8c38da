import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/**
 * A write that came with a key of its own was decided: in the append of what it decided, so that a crash can't part the two.
 * `requestId` tells the request that did it from others with the same key.
 */
export const requestEvents = defineEvents({
  RequestDecided: { version: 1, data: z.object({ requestId: z.string().default(''), at: z.iso.datetime() }) },
});
export type RequestEvent = EventOf<typeof requestEvents>;
