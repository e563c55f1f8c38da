import { isTypeName } from '@gatebook/domain/public-events/type-names';
import { WebhookDisabledReason, WebhookOrdering } from '@gatebook/domain/webhook/events';
import { z } from 'zod';
import { description, flag, listOf, numberOf, textOf, textUpTo, url, uuid } from '../common.ts';

const dayMs = 86_400_000;
const millis = z.number().int();
const count = z.number().int();

const endpoint = {
  id: z.uuid(),
  url: z.string(),
  description: z.string(),
  types: z.array(z.string()).nullable().meta({ description: 'Types such as `user.created` or `user.*`; null: all.' }),
  ordering: WebhookOrdering.meta({
    description:
      'What waits for a failing delivery: `subject`, later ones about the same user or team; `strict`, all later ones; `none`, nothing.',
  }),
  is_enabled: z.boolean(),
  disabled_reason: WebhookDisabledReason.nullable().meta({
    description: '`gone`: the receiver answered 410. `failing`: it accepted nothing for five days.',
  }),
  rate_limit_per_second: z.number().int().nullable(),
  header_names: z.array(z.string()).meta({ description: 'Values of headers are not shown.' }),
  cursor: z.string().meta({ description: 'Of the feed: everything before it was sent, or waits for another attempt.' }),
  lag: count.meta({ description: 'Events after the cursor, counted up to 10,000.' }),
  failing_since_millis: millis.nullable(),
  last_success_at_millis: millis.nullable(),
  last_failure_at_millis: millis.nullable(),
  success_rate: z
    .number()
    .nullable()
    .meta({ description: 'Of the latest attempts: up to 10,000 of the last 24 hours. From 0 to 1.' }),
  p95_duration_in_millis: z.number().int().nullable().meta({ description: 'Of the same attempts.' }),
  counts: z
    .object({ delivered: count, failed: count, pending: count })
    .meta({ description: 'Of the latest 10,000 deliveries.' }),
  created_at_millis: millis,
};

export const WebhookEndpointView = z.object(endpoint).meta({ id: 'WebhookEndpoint' });
export type WebhookEndpointView = z.infer<typeof WebhookEndpointView>;

const secret = z.string().meta({ description: '`whsec_` and 32 bytes in base64.' });

export const NewWebhookEndpointView = z
  .object({ ...endpoint, secret })
  .meta({ id: 'NewWebhookEndpoint', description: 'With the secret that signs deliveries.' });
export type NewWebhookEndpointView = z.infer<typeof NewWebhookEndpointView>;

export const WebhookEndpointListView = listOf(WebhookEndpointView).meta({ id: 'WebhookEndpointList' });
export type WebhookEndpointListView = z.infer<typeof WebhookEndpointListView>;

const typeName = z
  .string()
  .max(60)
  .regex(/^[a-z_.*]+$/)
  .refine(isTypeName, 'must be a type of event, or the beginning of some with .*');
export const webhookTypes = z
  .array(textOf(typeName))
  .min(1)
  .max(60)
  .transform((names) => [...new Set(names)]);

/** A token (RFC 9110 §5.6.2). */
const headerName = z
  .string()
  .max(100)
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header')
  .toLowerCase();
/** Set for each delivery, by the transport or by the signature. */
const reservedHeaders =
  /^(host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|user-agent|(webhook|svix|ce)-.*)$/;
const headerValue = textOf(
  z
    .string()
    .max(1_024)
    .regex(/^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII'),
);
const maxHeaders = 10;
const headersOf = <Value extends z.ZodType>(value: Value, about: string) =>
  z
    .record(headerName, value)
    .refine((headers) => Object.keys(headers).length <= maxHeaders, `must not have more than ${maxHeaders} headers`)
    .refine((headers) => !Object.keys(headers).some((name) => reservedHeaders.test(name)), {
      message: 'must not name headers of the transport or of the signature',
    })
    .meta({ maxProperties: maxHeaders, description: about });

const rateLimit = numberOf(z.number().int().min(1).max(1_000));
const ordering = WebhookOrdering.optional();

export const CreateWebhookEndpoint = z
  .strictObject({
    url,
    description: description.optional(),
    types: webhookTypes.nullable().optional(),
    ordering,
    is_enabled: flag.optional(),
    rate_limit_per_second: rateLimit.nullable().optional(),
    headers: headersOf(headerValue, 'Sent with each delivery. The values can’t be read again.').optional(),
    start_after: textUpTo(512)
      .optional()
      .meta({ description: 'A cursor of the feed. `head`, or absent: only what happens from now on.' }),
  })
  .meta({ id: 'CreateWebhookEndpoint' });
export type CreateWebhookEndpoint = z.infer<typeof CreateWebhookEndpoint>;

export const WebhookEndpointPatch = z
  .strictObject({
    url: url.optional(),
    description: description.optional(),
    types: webhookTypes.nullable().optional(),
    ordering,
    is_enabled: flag.optional().meta({ description: 'Deliveries of an enabled endpoint go on where they stopped.' }),
    rate_limit_per_second: rateLimit.nullable().optional(),
    headers: headersOf(headerValue.nullable(), 'null removes a header. Headers that are not named stay.').optional(),
  })
  .meta({ id: 'WebhookEndpointPatch' });
export type WebhookEndpointPatch = z.infer<typeof WebhookEndpointPatch>;

export const WebhookEndpointParams = z.strictObject({ endpoint_id: uuid });

const expiry = {
  previous_expires_at_millis: millis
    .nullable()
    .meta({ description: 'Until then, earlier secrets sign deliveries too; null: there are none.' }),
};
export const WebhookSecretView = z.object({ secret, ...expiry }).meta({ id: 'WebhookSecret' });
export type WebhookSecretView = z.infer<typeof WebhookSecretView>;

export const RotateWebhookSecret = z
  .strictObject({
    overlap_in_millis: numberOf(
      z
        .number()
        .int()
        .min(0)
        .max(7 * dayMs),
    )
      .default(dayMs)
      .meta({ description: 'How long earlier secrets also sign deliveries. 0: they end at once.' }),
  })
  .meta({ id: 'RotateWebhookSecret' });
export type RotateWebhookSecret = z.infer<typeof RotateWebhookSecret>;

export const WebhooksPageToken = z
  .object({
    token: z.string().meta({ description: 'An admin access token for the webhooks of this project, for one hour.' }),
    url: z.string().meta({ description: 'The page of the project’s webhooks, opened with the token.' }),
  })
  .meta({ id: 'WebhooksPageToken' });
export type WebhooksPageToken = z.infer<typeof WebhooksPageToken>;
