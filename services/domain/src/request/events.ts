import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/**
 * A write with an idempotency key was decided. Appended together with the events of the write, so that a crash can't
 * separate them. `requestId` distinguishes the request that made the write from others with the same key.
 */
export const requestEvents = defineEvents({
  RequestDecided: { version: 1, data: z.object({ requestId: z.string().default(''), at: z.iso.datetime() }) },
});
export type RequestEvent = EventOf<typeof requestEvents>;
