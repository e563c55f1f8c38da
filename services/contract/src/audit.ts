import { z } from 'zod';
import { flagText, JsonValue, millis, numberOf, pagedListOf, textOf, textUpTo, uuid } from './common.ts';

const actor = { kind: z.string(), id: z.string().nullable(), display_name: z.string().nullable() };

export const AuditTargetType = z.enum([
  'user',
  'team',
  'session',
  'api_key',
  'project_key',
  'permission',
  'email',
  'email_template',
  'mailing',
  'project',
  'webhook_endpoint',
  'custom_metric',
  'user_batch',
]);
export type AuditTargetType = z.infer<typeof AuditTargetType>;

export const AuditActor = z
  .object({
    ...actor,
    project_id: z.string().meta({ description: 'Where the actor belongs: owners to `internal`.' }),
    key_id: z.string().nullable().meta({ description: 'The project key of a server or an admin.' }),
    session_id: z.string().nullable(),
    impersonator: z.object(actor).nullable().meta({ description: 'Who acted for the user.' }),
    is_erased: z.boolean(),
  })
  .meta({ id: 'AuditActor' });

export const AuditTarget = z
  .object({ type: AuditTargetType, id: z.string(), display_name: z.string().nullable(), is_erased: z.boolean() })
  .meta({ id: 'AuditTarget' });

const origin = z.object({
  ip: z.string().nullable().meta({ description: 'Of a rejection: the network, not the address.' }),
  user_agent: z.string().nullable(),
  country: z.string().nullable(),
});

const auditEvent = {
  id: z.uuid(),
  type: z.string().meta({ description: 'The type of the event; `CallRejected` for rejections.' }),
  category: z.string(),
  text: z.string(),
  outcome: z.enum(['success', 'rejected']),
  error_code: z.string().nullable(),
  count: z.number().int().meta({ description: 'Equal rejections of one window of five minutes; otherwise 1.' }),
  at_millis: z.number().int(),
  last_at_millis: z.number().int(),
  action_id: z.string().meta({ description: 'The ID of the request. Its events are one action.' }),
  caused_by_event_id: z.uuid().nullable(),
  actor: AuditActor,
  targets: z.array(AuditTarget),
  origin: origin.nullable(),
  is_technical: z.boolean(),
  undone_by_action_id: z.string().nullable(),
};

export const AuditEventView = z
  .object(auditEvent)
  .meta({ id: 'AuditEvent', description: 'One event of the log, or equal rejections of one window.' });
export type AuditEventView = z.infer<typeof AuditEventView>;

export const FieldChangeView = z
  .object({ field: z.string(), before: JsonValue, after: JsonValue, is_redacted: z.boolean() })
  .meta({
    id: 'FieldChange',
    description: 'null: no value. A large value is `{ bytes, sha256 }`; a secret is `"redacted"`, with `is_redacted`.',
  });
export type FieldChangeView = z.infer<typeof FieldChangeView>;

export const UndoState = z.enum(['possible', 'partial', 'conflict', 'not_reversible', 'undone']);

export const AuditUndoView = z
  .object({
    state: UndoState,
    reasons: z.array(z.string()),
  })
  .meta({ id: 'AuditUndo' });
export type AuditUndoView = z.infer<typeof AuditUndoView>;

export const AuditEventDetailView = z
  .object({
    ...auditEvent,
    changes: z.array(FieldChangeView).nullable().meta({ description: 'null: the history of the object is too long.' }),
    data: z.record(z.string(), JsonValue).meta({ description: 'The data of the event, without secrets.' }),
    effects: z.array(AuditEventView).meta({ description: 'Events that this one caused after the request.' }),
    undo: AuditUndoView,
    actions_same_request: z
      .array(AuditEventView)
      .meta({ description: 'The other events of the request, oldest first.' }),
  })
  .meta({ id: 'AuditEventDetail' });
export type AuditEventDetailView = z.infer<typeof AuditEventDetailView>;

export const AuditEventListView = pagedListOf(AuditEventView).meta({ id: 'AuditEventList' });
export type AuditEventListView = z.infer<typeof AuditEventListView>;

/** A comma-separated list of event types, or of categories with `.*`. */
const types = textOf(
  z
    .string()
    .max(2_000)
    .regex(/^\w+(\.\*)?(,\w+(\.\*)?)*$/, 'must be a comma-separated list of types or of categories with .*'),
).transform((list) => list.split(','));

/** An address, or the first bits of one: `203.0.113.0/24`. */
const addressOrNetwork = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const isNetwork = (text: string) => addressOrNetwork.safeParse(text).success;
const network = textOf(z.string().max(49).refine(isNetwork, 'must be an IP address or a network'));

export const AuditActorKind = z.enum(['user', 'client', 'server', 'admin', 'owner', 'operator', 'system']);

const maxExcluded = 50;
const listOf = <Item extends z.ZodType<string>>(item: Item, maxLength = 2_000) =>
  textOf(z.string().max(maxLength))
    .transform((list) => list.split(',') as z.input<Item>[])
    .pipe(z.array(item).max(maxExcluded));
const actorKinds = listOf(AuditActorKind, 100);
const excluded = <Item extends z.ZodType<string>>(item: Item, of: string) =>
  listOf(item)
    .optional()
    .meta({ description: `Leaves out what \`${of}\` would find; several separated by commas.` });

/** What lists, timelines and exports of audit events accept. */
export const auditFilters = {
  type: types.optional().meta({ description: 'Event types, or categories such as `session.*`, separated by commas.' }),
  category: textUpTo(50).optional(),
  outcome: z.enum(['success', 'rejected']).optional(),
  actor_kind: actorKinds.optional().meta({ description: 'One or more kinds, separated by commas.' }),
  actor_id: uuid.optional(),
  target_type: AuditTargetType.optional(),
  target_id: textUpTo(256).optional(),
  action_id: textUpTo(256).optional(),
  ip: network.optional(),
  from_millis: millis.optional(),
  until_millis: millis.optional(),
  include_technical: flagText.optional(),
  exclude_type: types.optional().meta({ description: 'Leaves out these types and categories, such as `session.*`.' }),
  exclude_category: excluded(z.string().max(50), 'category'),
  exclude_actor_kind: excluded(AuditActorKind, 'actor_kind'),
  exclude_actor_id: excluded(uuid, 'actor_id'),
  exclude_target_type: excluded(AuditTargetType, 'target_type'),
  exclude_target_id: excluded(z.string().max(256), 'target_id'),
  exclude_action_id: excluded(z.string().max(256), 'action_id'),
  exclude_ip: listOf(network).optional().meta({
    description:
      'Addresses or networks, separated by commas. Rejected calls name a network, and are left out if all of it is excluded.',
  }),
};

export const AuditEventsQuery = z.strictObject({
  ...auditFilters,
  order: z.enum(['desc', 'asc']).optional(),
  limit: numberOf(z.number().int().min(1).max(200)).optional(),
  cursor: textUpTo(512).optional(),
});
export const AuditStreamQuery = z.strictObject({
  ...auditFilters,
  after: textUpTo(512).optional().meta({
    description:
      'The cursor of an event of this stream, or `next_cursor` of an export or of a list with `order=asc` and the same filters. `head`, or absent: only what happens from now on.',
  }),
});
export const AuditEventParams = z.strictObject({ event_id: uuid });

export const AuditTimelineQuery = z.strictObject({
  ...auditFilters,
  from_millis: millis,
  until_millis: millis,
  buckets: numberOf(z.number().int().min(1).max(200)).optional(),
});
export const AuditTimelineView = z
  .object({
    buckets: z.array(
      z.object({
        at_millis: z.number().int(),
        count: z.number().int(),
        is_complete: z.boolean().meta({ description: 'false: there are more, which were not counted.' }),
      }),
    ),
  })
  .meta({
    id: 'AuditTimeline',
    description: 'Buckets of equal length, oldest first. Rejections count as often as they happened.',
  });
export type AuditTimelineView = z.infer<typeof AuditTimelineView>;

export const AuditEventTypeListView = z
  .object({
    items: z.array(
      z.object({
        type: z.string(),
        category: z.string(),
        text: z.string(),
        is_technical: z.boolean(),
        is_reversible: z.boolean(),
      }),
    ),
    is_paginated: z.literal(false),
  })
  .meta({ id: 'AuditEventTypeList' });
export type AuditEventTypeListView = z.infer<typeof AuditEventTypeListView>;
