import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

/** Which deliveries wait for a failing one: those of the same user or team, all, or none. */
export const WebhookOrdering = z.enum(['subject', 'strict', 'none']);
export type WebhookOrdering = z.infer<typeof WebhookOrdering>;

/** `gone`: the receiver answered 410. `failing`: it accepted nothing for days. */
export const WebhookDisabledReason = z.enum(['manual', 'gone', 'failing']);
export type WebhookDisabledReason = z.infer<typeof WebhookDisabledReason>;

const at = z.iso.datetime();
const ids = { endpointId: z.uuid(), projectId: z.string() };
/** URLs, headers and secrets are encrypted under the key of the project's secrets. */
const subjectId = z.uuid();
const values = {
  /** Secret: URLs of many receivers contain their token. */
  url: z.string().nullable(),
  description: z.string(),
  /** Types of public events, or the beginnings of some: `user.*`; null: all. */
  types: z.array(z.string()).nullable(),
  ordering: WebhookOrdering,
  rateLimitPerSecond: z.number().int().nullable(),
  /** Sent with each delivery, by name in lowercase. */
  headers: z.record(z.string(), z.string()).nullable(),
};

/** Newest first. `expiresAt`: null for the current one. */
const secrets = z.array(z.object({ secret: z.string(), expiresAt: at.nullable() })).nullable();

/** Where to send public events. What was sent is not history (docs/decisions/0098). */
export const webhookEvents = defineEvents({
  WebhookEndpointCreated: {
    version: 1,
    data: z.object({
      ...ids,
      subjectId,
      ...values,
      secrets,
      isEnabled: z.boolean(),
      /** The place in the feed after which deliveries begin; null: with what happens after this event. */
      startAfter: z.object({ position: z.string(), index: z.number().int(), nth: z.number().int() }).nullable(),
      at,
    }),
    personal: { subject: 'subjectId', fields: ['url', 'headers', 'secrets'] },
  },
  /** `changed` names the fields that differ, for the audit log. The other fields are complete. */
  WebhookEndpointUpdated: {
    version: 1,
    data: z.object({ ...ids, subjectId, ...values, changed: z.array(z.string()), at }),
    personal: { subject: 'subjectId', fields: ['url', 'headers'] },
  },
  /** `secrets`: all that sign deliveries from now on. */
  WebhookSecretRotated: {
    version: 1,
    data: z.object({ ...ids, subjectId, secrets, previousExpiresAt: at, at }),
    personal: { subject: 'subjectId', fields: ['secrets'] },
  },
  /** An admin has seen the current secret. */
  WebhookSecretRead: { version: 1, data: z.object({ ...ids, at }) },
  /** Deliveries go on where they stopped. */
  WebhookEndpointEnabled: { version: 1, data: z.object({ ...ids, at }) },
  WebhookEndpointDisabled: { version: 1, data: z.object({ ...ids, reason: WebhookDisabledReason, at }) },
  WebhookEndpointDeleted: { version: 1, data: z.object({ ...ids, at }) },
});
export type WebhookEvent = EventOf<typeof webhookEvents>;
