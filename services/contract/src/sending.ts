import { z } from 'zod';
import { flag, JsonValue, jsonUpTo, millis, numberOf, textOf, textUpTo, uuid } from './common.ts';
import { subject, variables } from './emails.ts';

const html = textUpTo(262_144);
/** More recipients need more calls, or `all_users`. */
const maxRecipients = 1_000;
const isTrue = flag.refine((value) => value, 'must be true');
const isFalse = flag.refine((value) => !value, 'must be false');

const count = (fields: readonly unknown[]) => fields.filter((field) => field !== undefined).length;

/** (protocol, projects §12.1) */
export const SendEmail = z
  .strictObject({
    user_ids: z.array(uuid).min(1).max(maxRecipients).optional(),
    all_users: isTrue.optional(),
    subject: subject.optional(),
    html: html.optional(),
    template_id: uuid.optional(),
    variables: variables.optional(),
    draft_id: uuid.optional(),
    theme_id: z.union([z.null(), isFalse, uuid]).optional(),
    notification_category_name: textOf(z.enum(['Transactional', 'Marketing'])).optional(),
    scheduled_at_millis: millis.optional(),
  })
  .refine(({ user_ids, all_users }) => count([user_ids, all_users]) === 1, 'must have either user_ids or all_users')
  .refine(
    (body) => count([body.html, body.template_id, body.draft_id]) === 1,
    'must have one of html, template_id and draft_id',
  )
  .meta({ id: 'SendEmail' });
export type SendEmail = z.infer<typeof SendEmail>;

export const SendEmailResult = z
  .object({ results: z.array(z.object({ user_id: z.uuid() })) })
  .meta({ id: 'SendEmailResult', description: 'The recipients by ID; empty for all users.' });
export type SendEmailResult = z.infer<typeof SendEmailResult>;

/** What Gatebook reports, of the protocol's statuses. */
export const OutboxStatus = z.enum([
  'paused',
  'preparing',
  'scheduled',
  'queued',
  'server-error',
  'bounced',
  'skipped',
  'sent',
]);
export const OutboxSimpleStatus = z.enum(['in-progress', 'ok', 'error']);
export type OutboxSimpleStatus = z.infer<typeof OutboxSimpleStatus>;

/** Statuses that Gatebook never reports are accepted and find nothing. */
const protocolStatuses = [
  ...OutboxStatus.options,
  'rendering',
  'render-error',
  'sending',
  'delivery-delayed',
  'opened',
  'clicked',
  'marked-as-spam',
] as const;

export const OutboxQuery = z.strictObject({
  status: textOf(z.enum(protocolStatuses)).optional(),
  simple_status: textOf(OutboxSimpleStatus).optional(),
  limit: numberOf(z.number().int().min(1).max(100)).optional(),
  cursor: uuid.optional(),
});

const recipient = z.union([
  z.object({ type: z.literal('user-primary-email'), user_id: z.uuid() }),
  z.object({ type: z.literal('user-custom-emails'), user_id: z.uuid(), emails: z.array(z.string()) }),
  z.object({ type: z.literal('custom-emails'), emails: z.array(z.string()) }),
]);
const attemptError = z.object({
  attempt_number: z.number().int(),
  timestamp: z.string(),
  external_message: z.string(),
  external_details: z.record(z.string(), JsonValue),
  internal_message: z.string(),
  internal_details: z.record(z.string(), JsonValue),
});
const time = z.number().int();

export const OutboxEmailView = z
  .object({
    id: z.uuid(),
    created_at_millis: time,
    updated_at_millis: time,
    tsx_source: z.literal(''),
    theme_id: z.null(),
    to: recipient,
    variables: z.object({}),
    skip_deliverability_check: z.literal(false),
    scheduled_at_millis: time,
    created_with: z.literal('programmatic-call'),
    email_draft_id: z.null(),
    email_programmatic_call_template_id: z.uuid().nullable(),
    send_retries: z.number().int(),
    next_send_retry_at_millis: z.null(),
    send_attempt_errors: z.array(attemptError).nullable(),
    status: OutboxStatus,
    simple_status: OutboxSimpleStatus,
    is_paused: z.boolean(),
    has_rendered: z.boolean(),
    has_delivered: z.boolean(),
    started_rendering_at_millis: time.optional(),
    rendered_at_millis: time.optional(),
    subject: z.string().optional(),
    html: z.null().optional(),
    text: z.null().optional(),
    is_transactional: z.boolean().optional(),
    is_high_priority: z.boolean().optional(),
    notification_category_id: z.uuid().optional(),
    started_sending_at_millis: time.optional(),
    delivered_at_millis: time.optional(),
    can_have_delivery_info: z.literal(false).optional(),
    error_at_millis: time.optional(),
    server_error: z.string().optional(),
    bounced_at_millis: time.optional(),
    skipped_at_millis: time.optional(),
    skipped_reason: z.string().optional(),
    skipped_details: z.object({}).optional(),
  })
  .meta({ id: 'OutboxEmail' });
export type OutboxEmailView = z.infer<typeof OutboxEmailView>;

export const OutboxEmailList = z
  .object({
    items: z.array(OutboxEmailView),
    is_paginated: z.literal(true),
    pagination: z.object({ next_cursor: z.uuid().nullable() }),
  })
  .meta({ id: 'OutboxEmailList' });

const notOffered = jsonUpTo(262_144).optional();
/** The protocol's fields without a type are rejected with a separate error. */
export const OutboxEmailPatch = z
  .strictObject({
    is_paused: flag.optional(),
    cancel: isTrue.optional(),
    scheduled_at_millis: millis.optional(),
    tsx_source: notOffered,
    theme_id: notOffered,
    to: notOffered,
    variables: notOffered,
    skip_deliverability_check: notOffered,
  })
  .meta({ id: 'OutboxEmailPatch' });

const deliveries = z.object({
  sent: z.number().int(),
  bounced: z.number().int(),
  marked_as_spam: z.literal(0),
});
export const DeliveryInfo = z
  .object({
    stats: z.object({ hour: deliveries, day: deliveries, week: deliveries, month: deliveries }),
    capacity: z.object({
      rate_per_second: z.number(),
      boost_multiplier: z.literal(1),
      penalty_factor: z.literal(1),
      is_boost_active: z.literal(false),
      boost_expires_at: z.null(),
    }),
  })
  .meta({ id: 'DeliveryInfo' });
