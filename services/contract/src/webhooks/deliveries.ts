import { z } from 'zod';
import { filledTextUpTo, flag, millis as millisField, numberOf, textUpTo, uuid } from '../common.ts';
import { webhookTypes } from './endpoints.ts';

const millis = z.number().int();

export const WebhookDeliveryStatus = z.enum(['pending', 'delivered', 'failed', 'parked']);
export type WebhookDeliveryStatus = z.infer<typeof WebhookDeliveryStatus>;

const delivery = {
  id: z.uuid(),
  event_id: z.string().meta({ description: 'Also the header `webhook-id`, the same in every attempt.' }),
  type: z.string(),
  status: WebhookDeliveryStatus.meta({
    description:
      '`pending`: another attempt follows. `parked`: it follows once the endpoint is enabled. `failed`: none follows; resend or replay it.',
  }),
  attempt_count: z.number().int(),
  next_attempt_at_millis: millis.nullable(),
  last_status_code: z.number().int().nullable(),
  created_at_millis: millis,
};

export const WebhookDeliveryView = z.object(delivery).meta({ id: 'WebhookDelivery' });
export type WebhookDeliveryView = z.infer<typeof WebhookDeliveryView>;

export const WebhookDeliveriesQuery = z.strictObject({
  status: WebhookDeliveryStatus.optional(),
  type: textUpTo(100).optional(),
  before: textUpTo(512).optional().meta({ description: '`next_before` of the page before.' }),
  limit: numberOf(z.number().int().min(1).max(200)).optional(),
});
export type WebhookDeliveriesQuery = z.infer<typeof WebhookDeliveriesQuery>;

export const WebhookDeliveryListView = z
  .object({ items: z.array(WebhookDeliveryView), next_before: z.string().nullable() })
  .meta({ id: 'WebhookDeliveryList', description: 'Newest first.' });
export type WebhookDeliveryListView = z.infer<typeof WebhookDeliveryListView>;

export const WebhookAttemptView = z
  .object({
    at_millis: millis,
    trigger: z.enum(['scheduled', 'manual', 'replay']),
    status_code: z.number().int().nullable(),
    error_code: z.string().nullable().meta({ description: 'Why there was no response, such as `timeout`.' }),
    duration_in_millis: z.number().int(),
    response_body: z.string().nullable().meta({ description: 'Its first 4 kB.' }),
  })
  .meta({ id: 'WebhookAttempt' });
export type WebhookAttemptView = z.infer<typeof WebhookAttemptView>;

export const WebhookDeliveryDetailView = z
  .object({
    ...delivery,
    endpoint_id: z.uuid(),
    request: z
      .object({
        headers: z
          .record(z.string(), z.string())
          .meta({ description: 'Signatures and headers of the endpoint are not shown.' }),
        body: z.string().nullable().meta({ description: 'null: the event is not there any more.' }),
      })
      .meta({ description: 'As it would be sent now.' }),
    attempts: z.array(WebhookAttemptView).meta({ description: 'Those of the last 30 days, oldest first.' }),
  })
  .meta({ id: 'WebhookDeliveryDetail' });
export type WebhookDeliveryDetailView = z.infer<typeof WebhookDeliveryDetailView>;

export const WebhookDeliveryParams = z.strictObject({ delivery_id: uuid });

export const TestWebhook = z
  .strictObject({
    type: textUpTo(100).optional().meta({ description: 'Whose example is sent; absent: `gatebook.test`.' }),
  })
  .meta({ id: 'TestWebhook' });
export type TestWebhook = z.infer<typeof TestWebhook>;

export const TestWebhookView = z
  .object({
    success: z.boolean(),
    status_code: z.number().int().nullable(),
    duration_in_millis: z.number().int(),
    error_message: z.string().optional().meta({ description: 'Present if the test failed.' }),
  })
  .meta({ id: 'TestWebhookResult' });
export type TestWebhookView = z.infer<typeof TestWebhookView>;

/** As published clients send and read it. */
export const SendTestWebhook = z.strictObject({ endpoint_id: filledTextUpTo(100) }).meta({ id: 'SendTestWebhook' });
export const SendTestWebhookView = z
  .object({ success: z.boolean(), error_message: z.string().optional() })
  .meta({ id: 'SendTestWebhookResult' });
export type SendTestWebhookView = z.infer<typeof SendTestWebhookView>;

export const ReplayOnly = z.enum(['failed', 'missing', 'all']).meta({
  description:
    '`failed`: deliveries of which no attempt follows; `missing`: events that the receiver has never accepted, also those without a delivery; `all`: everything again, except what waits for an attempt.',
});
export type ReplayOnly = z.infer<typeof ReplayOnly>;

export const ReplayWebhooks = z
  .strictObject({
    after: textUpTo(512).optional().meta({ description: 'A cursor of the feed.' }),
    since_millis: millisField.optional(),
    until_millis: millisField.optional(),
    only: ReplayOnly,
    types: webhookTypes.optional(),
    dry_run: flag.optional().meta({ description: 'Only counts.' }),
  })
  .refine(({ after, since_millis }) => (after === undefined) !== (since_millis === undefined), {
    message: 'must have either after or since_millis',
  })
  .meta({ id: 'ReplayWebhooks' });
export type ReplayWebhooks = z.infer<typeof ReplayWebhooks>;

const matches = {
  matched: z.number().int().meta({ description: 'How many events are sent; at least so many if `is_exact` is false.' }),
  is_exact: z.boolean().meta({
    description: 'false: there were too many events to count at once. The replay counts them while it runs.',
  }),
};

export const StartedReplayView = z
  .object({ replay_id: z.uuid().nullable().meta({ description: 'null: nothing is sent.' }), ...matches })
  .meta({ id: 'StartedWebhookReplay' });
export type StartedReplayView = z.infer<typeof StartedReplayView>;

export const WebhookReplayView = z
  .object({
    id: z.uuid(),
    endpoint_id: z.uuid(),
    status: z.enum(['running', 'completed', 'canceled']),
    only: ReplayOnly,
    ...matches,
    sent: z.number().int(),
    delivered: z.number().int(),
    failed: z.number().int(),
    created_at_millis: millis,
  })
  .meta({ id: 'WebhookReplay' });
export type WebhookReplayView = z.infer<typeof WebhookReplayView>;

export const WebhookReplayParams = z.strictObject({ replay_id: uuid });
