import { createWebhookEndpoint } from '@gatebook/commands/webhook/webhook';
import { CreateWebhookEndpoint, NewWebhookEndpointView } from '@gatebook/contract/webhooks/endpoints';
import type { WebhookValues } from '@gatebook/domain/webhook/state';
import { openCursor } from '@gatebook/readmodel/events/cursor';
import { afterPosition } from '@gatebook/readmodel/events/feed';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';
import { findEndpointView, requireAllowedUrl, tags, toEndpointView } from './wire.ts';

export const createEndpointRoute = defineRoute({
  method: 'POST',
  path: '/webhooks/endpoints',
  access: adminOnly,
  takesWebhooksToken: true,
  isPreviewable: true,
  errors: ['WEBHOOK_URL_NOT_ALLOWED', 'EVENT_CURSOR_INVALID', 'QUOTA_EXCEEDED', 'PROJECT_NOT_FOUND'],
  tags,
  summary: 'Create a webhook endpoint',
  description: 'The answer contains the secret that signs its deliveries.',
  body: CreateWebhookEndpoint,
  response: { 201: NewWebhookEndpointView },
  handle: async ({ deps, caller, context, body }) => {
    const { projectId } = caller;
    await requireAllowedUrl(deps, body.url);
    const [values, isEnabled] = [valuesOf(body), body.is_enabled ?? true];
    const startAfter = await placeOf(deps, projectId, body.start_after);
    const limit = quotaFor(caller, 'webhookEndpoints');
    const input = { values, isEnabled, startAfter, limit };
    const { endpointId, secret, createdAt, position } = await createWebhookEndpoint(deps, context, input);
    const decided = async (): Promise<WebhookEndpoint> => {
      const now = afterPosition(position ?? (await deps.store.head()));
      return {
        ...{
          ...values,
          projectId,
          id: endpointId,
          secrets: [],
          isEnabled,
          disabledReason: isEnabled ? null : 'manual',
        },
        startAfter: startAfter ?? { ...now, position: String(now.position) },
        createdAt: new Date(createdAt),
      };
    };
    return {
      position,
      body: async () => ({ ...(await findEndpointView(deps, projectId, endpointId)), secret }),
      stale: async () => ({ ...(await toEndpointView(deps, projectId, await decided())), secret }),
    };
  },
});

const valuesOf = (body: CreateWebhookEndpoint): WebhookValues => ({
  url: body.url,
  description: body.description ?? '',
  types: body.types ?? null,
  ordering: body.ordering ?? 'subject',
  rateLimitPerSecond: body.rate_limit_per_second ?? null,
  headers: body.headers ?? {},
});

/** null: what happens from now on. @throws DomainError EVENT_CURSOR_INVALID */
async function placeOf(deps: Deps, projectId: string, cursor: string | undefined) {
  if (cursor === undefined || cursor === 'head') return null;
  const { position, ...place } = await openCursor(deps, projectId, cursor);
  return { position: String(position), ...place };
}
