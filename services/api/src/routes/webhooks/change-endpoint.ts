import { deleteWebhookEndpoint, updateWebhookEndpoint } from '@gatebook/commands/webhook/webhook';
import { Success } from '@gatebook/contract/common';
import {
  WebhookEndpointParams,
  WebhookEndpointPatch,
  WebhookEndpointView,
} from '@gatebook/contract/webhooks/endpoints';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { afterCommand, findEndpointView, requireAllowedUrl, requireEndpoint, tags, toEndpointView } from './wire.ts';

export const updateEndpointRoute = defineRoute({
  method: 'PATCH',
  path: '/webhooks/endpoints/:endpoint_id',
  access: adminOnly,
  takesWebhooksToken: true,
  isPreviewable: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_URL_NOT_ALLOWED'],
  tags,
  summary: 'Update a webhook endpoint',
  description:
    'Fields that are not named stay. Enables or disables the endpoint too. Waiting deliveries go to the new URL.',
  params: WebhookEndpointParams,
  body: WebhookEndpointPatch,
  response: { 200: WebhookEndpointView },
  handle: async ({ deps, caller: { projectId }, context, params, body }) => {
    const endpointId = params.endpoint_id;
    const before = await requireEndpoint(deps, projectId, endpointId);
    if (body.url !== undefined) await requireAllowedUrl(deps, body.url);
    const { is_enabled: isEnabled, rate_limit_per_second: rateLimitPerSecond, ...values } = body;
    const change = { ...values, rateLimitPerSecond };
    const { endpoint, position } = await updateWebhookEndpoint(deps, context, { endpointId, change, isEnabled });
    return {
      position,
      body: () => findEndpointView(deps, projectId, endpointId),
      stale: () => toEndpointView(deps, projectId, afterCommand(before, endpoint)),
    };
  },
});

export const deleteEndpointRoute = defineRoute({
  method: 'DELETE',
  path: '/webhooks/endpoints/:endpoint_id',
  access: adminOnly,
  takesWebhooksToken: true,
  isPreviewable: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  tags,
  summary: 'Delete a webhook endpoint',
  description: 'Its waiting deliveries are not sent.',
  params: WebhookEndpointParams,
  response: { 200: Success },
  handle: async ({ deps, context, params }) => {
    const { position } = await deleteWebhookEndpoint(deps, context, { endpointId: params.endpoint_id });
    return answerSuccess(position);
  },
});
