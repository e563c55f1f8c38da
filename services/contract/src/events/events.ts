import { isTypeName, typesNamed } from '@gatebook/domain/public-events/type-names';
import { z } from 'zod';
import { filledTextUpTo, JsonValue, millis, numberOf, textOf, textUpTo, uuid } from '../common.ts';
import { PublicEventView } from './public-event-types.ts';

/** A comma-separated list of types, also with wildcards: `user.*,team.created`. */
const types = textOf(z.string().max(2_000))
  .transform((list) => list.split(',').map((name) => name.trim()))
  .pipe(z.array(z.string().refine(isTypeName, 'must be a type of event, or the beginning of some with .*')))
  .transform(typesNamed);

const format = z
  .enum(['gatebook', 'cloudevents'])
  .meta({ description: '`cloudevents`: the events as CloudEvents 1.0 in structured mode.' });

/** What the feed and the live stream accept. */
const filters = {
  types: types.optional().meta({ description: 'Types such as `user.created` or `user.*`, separated by commas.' }),
  user_id: uuid.optional(),
  team_id: uuid.optional(),
  format: format.optional(),
};
const after = textUpTo(512)
  .optional()
  .meta({ description: 'A cursor. Absent: from the first event of the project; `head`: only new events.' });

export const EventsQuery = z.strictObject({
  ...filters,
  after,
  limit: numberOf(z.number().int().min(1).max(1_000)).optional(),
  since_millis: millis.optional(),
  until_millis: millis.optional(),
  wait_in_millis: numberOf(z.number().int().min(0).max(30_000))
    .optional()
    .meta({ description: 'How long to wait for an event if there is none.' }),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

export const EventStreamQuery = z.strictObject({ ...filters, after });
export type EventStreamQuery = z.infer<typeof EventStreamQuery>;
export const PublicEventParams = z.strictObject({ event_id: filledTextUpTo(64) });

export const CloudEventView = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string(),
    source: z.string(),
    type: z.string(),
    subject: z.string().optional(),
    time: z.string(),
    datacontenttype: z.string(),
    dataschema: z.string(),
    cursor: z.string(),
    data: z.record(z.string(), JsonValue),
  })
  .meta({ id: 'CloudEvent', description: 'CloudEvents 1.0' });
export type CloudEventView = z.infer<typeof CloudEventView>;

export const EventListView = z
  .object({
    items: z.array(z.union([PublicEventView, CloudEventView])),
    next_after: z.string().meta({
      description: 'Where to go on; never null. It has moved past events that the filters left out.',
    }),
    has_more: z.boolean().meta({ description: 'false: these were the last events for now.' }),
    head_after: z.string().meta({ description: 'The cursor after the newest event of the project.' }),
  })
  .meta({ id: 'PublicEventList', description: 'Oldest first. A page can be short, or empty, and have a next one.' });
export type EventListView = z.infer<typeof EventListView>;

export const EventTypeListView = z
  .object({
    items: z.array(
      z.object({
        type: z.string(),
        description: z.string(),
        tags: z.array(z.string()),
        schema: z.record(z.string(), JsonValue).meta({ description: 'JSON Schema of the event.' }),
        example: z.record(z.string(), JsonValue).meta({ description: 'An example of `data`.' }),
      }),
    ),
    is_paginated: z.literal(false),
  })
  .meta({ id: 'PublicEventTypeList' });
export type EventTypeListView = z.infer<typeof EventTypeListView>;
