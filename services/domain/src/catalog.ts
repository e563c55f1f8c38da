import type { z } from 'zod';
import { apiKeyEvents } from './api-key/events.ts';
import { codeEvents } from './code/events.ts';
import { emailEvents } from './email/events.ts';
import type { EventDefinition, EventOf } from './event.ts';
import { mailingEvents } from './mailing/events.ts';
import { membershipEvents } from './membership/events.ts';
import { projectEvents } from './project/events.ts';
import { projectClosureEvents } from './project-closure/events.ts';
import { projectKeyEvents } from './project-key/events.ts';
import { providerGrantEvents } from './provider-grant/events.ts';
import { quotaEvents } from './quota/events.ts';
import { requestEvents } from './request/events.ts';
import { reservationEvents } from './reservation/events.ts';
import { sessionEvents } from './session/events.ts';
import { teamEvents } from './team/events.ts';
import { userEvents } from './user/events.ts';
import { userBatchEvents } from './user-batch/events.ts';
import { webhookEvents } from './webhook/events.ts';

/** Every event says when it happened (ISO 8601 in UTC). */
type TimedEvent = Omit<EventDefinition, 'data'> & { data: z.ZodObject<{ at: z.ZodISODateTime }> };

/** All events of Gatebook by type. The codec validates, encrypts and upcasts events by this table. */
export const catalog = {
  ...userEvents,
  ...sessionEvents,
  ...projectEvents,
  ...projectClosureEvents,
  ...projectKeyEvents,
  ...reservationEvents,
  ...codeEvents,
  ...emailEvents,
  ...mailingEvents,
  ...teamEvents,
  ...membershipEvents,
  ...apiKeyEvents,
  ...requestEvents,
  ...providerGrantEvents,
  ...quotaEvents,
  ...webhookEvents,
  ...userBatchEvents,
} satisfies Readonly<Record<string, TimedEvent>>;
export type GatebookEvent = EventOf<typeof catalog>;

/** All event types but these. */
export function typesBesides(types: readonly GatebookEvent['type'][]): ReadonlySet<string> {
  const besides = new Set<string>(Object.keys(catalog));
  for (const type of types) besides.delete(type);
  return besides;
}
