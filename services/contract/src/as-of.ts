import { z } from 'zod';
import { AuditActor, FieldChangeView } from './audit.ts';
import { textOf, textUpTo } from './common.ts';

const momentForm = /^(\d{1,15}|[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/i;

/** A moment of the past. */
export const moment = textOf(
  z
    .string()
    .max(36)
    .refine((text) => momentForm.test(text), 'must be a time in milliseconds or the ID of an event')
    .toLowerCase(),
).meta({
  description:
    'A time in milliseconds since 1970, or the ID of an event, for the state right after the action that it belongs to',
});

/** What reads of the past accept, besides their other fields. */
export const asOfField = { as_of: moment.optional() };

/** Headers of each response that shows the past. Older servers ignore `as_of`, so callers must check them. */
export const asOfHeaders = {
  eventId: 'x-as-of-event-id',
  millis: 'x-as-of-millis',
  /** Fields that the past does not know, separated by commas. */
  omitted: 'x-as-of-omitted',
} as const;

export const StateTargetType = z.enum([
  'user',
  'team',
  'membership',
  'contact_channel',
  'api_key',
  'project_key',
  'email_template',
  'team_permission_definition',
  'project_permission_definition',
  'project',
  'settings',
]);
export type StateTargetType = z.infer<typeof StateTargetType>;

export const StateDiffsQuery = z.strictObject({
  target_type: StateTargetType,
  target_id: textUpTo(256).optional().meta({
    description:
      'Not for `project` and `settings`. Of a team member: the IDs of team and user, separated by a dot. Of an email template in a language: its type and the language, such as `magic_link.de-DE`. Of a permission definition: its ID at `to`, or else at `from`.',
  }),
  from: moment,
  to: moment,
});

const stateMoment = z.object({ event_id: z.uuid(), at_millis: z.number().int() });
export const StateDiffView = z
  .object({
    target: z.object({ type: StateTargetType, id: z.string() }),
    from: stateMoment,
    to: stateMoment,
    existed_before: z.boolean(),
    exists_after: z.boolean(),
    changes: z.array(FieldChangeView).meta({ description: 'Fields of the response that reads the target.' }),
    events: z
      .array(
        z.object({
          id: z.uuid(),
          type: z.string(),
          at_millis: z.number().int(),
          action_id: z.string(),
          actor: AuditActor.pick({ kind: true, id: true }),
        }),
      )
      .meta({ description: 'Events of the target between the two moments, oldest first, at most 200.' }),
    has_more_events: z.boolean(),
  })
  .meta({ id: 'StateDiff' });
export type StateDiffView = z.infer<typeof StateDiffView>;
