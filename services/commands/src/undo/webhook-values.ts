import { webhookDecider } from '@gatebook/domain/webhook/decide';
import type { WebhookDisabledReason, WebhookOrdering } from '@gatebook/domain/webhook/events';
import type { WebhookState } from '@gatebook/domain/webhook/state';
import { streamOf } from '../streams.ts';
import { keysOnlyIn, type Restorable } from './restorable.ts';

type WebhookFields = {
  url: string;
  description: string;
  types: readonly string[] | null;
  ordering: WebhookOrdering;
  rate_limit_per_second: number | null;
  /** Values are secret. */
  headers: Record<string, { secret: string }>;
  disabled_reason: WebhookDisabledReason | null;
};

export const restorableWebhook: Restorable<WebhookState, WebhookFields> = {
  valuesOf: (endpoint) => {
    if (endpoint.status !== 'active') return null;
    const { url, description, types, ordering, rateLimitPerSecond, headers } = endpoint.values;
    return {
      ...{ url, description, types, ordering, rate_limit_per_second: rateLimitPerSecond },
      headers: Object.fromEntries(Object.entries(headers).map(([name, secret]) => [name, { secret }])),
      disabled_reason: endpoint.disabledReason,
    };
  },
  restore: async (work, endpointId, { from, to }, { at }) => {
    const endpoint = await work.load(webhookDecider, streamOf.webhook(endpointId));
    const { projectId } = work.ctx;
    const { url, description, types, ordering, rate_limit_per_second: rateLimitPerSecond } = to;
    const restored = Object.entries(to.headers).map(([name, { secret }]) => [name, secret] as const);
    const removed = keysOnlyIn(from.headers, to.headers).map((name) => [name, null] as const);
    const headers = Object.fromEntries([...restored, ...removed]);
    const change = { url, description, types, ordering, rateLimitPerSecond, headers };
    endpoint.decide({ type: 'UpdateEndpoint', projectId, change, at });
    if (from.disabled_reason === to.disabled_reason) return;
    endpoint.decide({ type: 'EnableEndpoint', projectId, at });
    if (to.disabled_reason === null) return;
    endpoint.decide({ type: 'DisableEndpoint', projectId, reason: to.disabled_reason, at });
  },
};
