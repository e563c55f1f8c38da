import { z } from 'zod';
import { numberOf, textUpTo, uuid } from './common.ts';

const actor = { kind: z.string(), id: z.string().nullable(), display_name: z.string().nullable() };

export const HistoryItem = z
  .object({
    id: z.string(),
    type: z.string(),
    text: z.string(),
    at_millis: z.number().int(),
    actor: z.object({ ...actor, impersonator: z.object(actor).nullable() }),
  })
  .meta({
    id: 'HistoryItem',
    description:
      'One event in plain words. `type` is the event’s. `actor.id` is that of a user, an owner or a project key, null for Gatebook itself and for people not signed in; `actor.impersonator` is who acted for that user.',
  });
export type HistoryItem = z.infer<typeof HistoryItem>;

export const HistoryView = z
  .object({ items: z.array(HistoryItem), next_before: z.string().nullable() })
  .meta({ id: 'History', description: 'Newest first; `next_before` asks for the next page, null on the last one.' });
export type HistoryView = z.infer<typeof HistoryView>;

export const HistoryParams = z.strictObject({ user_id: uuid });
export const HistoryQuery = z.strictObject({
  before: textUpTo(512).optional(),
  limit: numberOf(z.number().int().min(1).max(200)).optional(),
});
