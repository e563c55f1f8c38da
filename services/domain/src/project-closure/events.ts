import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/**
 * The project was deleted. Every other append of the project requires that this event does not exist, so nothing is
 * written into a deleted project (docs/decisions/0037).
 */
export const projectClosureEvents = defineEvents({
  ProjectClosed: { version: 1, data: z.object({ projectId: z.string(), at: z.iso.datetime() }) },
});
export type ProjectClosureEvent = EventOf<typeof projectClosureEvents>;
