import { readWebhookSecret, rotateWebhookSecret } from '@gatebook/commands/webhook/webhook';
import { RotateWebhookSecret, WebhookEndpointParams, WebhookSecretView } from '@gatebook/contract/webhooks/endpoints';
import { adminOnly } from '../../access.ts';
import { AuditedRead, defineRoute } from '../../http/define-route.ts';
import { previousExpiry, tags } from './wire.ts';

export const getSecretRoute = defineRoute({
  method: 'GET',
  path: '/webhooks/endpoints/:endpoint_id/secret',
  access: adminOnly,
  role: 'developer',
  takesWebhooksToken: true,
  isAudited: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  tags,
  summary: 'Get the secret of a webhook endpoint',
  description: 'The current one. The audit log records that it was shown.',
  params: WebhookEndpointParams,
  response: { 200: WebhookSecretView },
  handle: async ({ deps, context, params }) => {
    const { endpoint, position } = await readWebhookSecret(deps, context, { endpointId: params.endpoint_id });
    const previous = previousExpiry(endpoint.secrets, Date.parse(deps.now()));
    const secret = endpoint.secrets[0]?.secret ?? '';
    return new AuditedRead(position, async () => ({ secret, previous_expires_at_millis: previous }));
  },
});

export const rotateSecretRoute = defineRoute({
  method: 'POST',
  path: '/webhooks/endpoints/:endpoint_id/rotate-secret',
  access: adminOnly,
  takesWebhooksToken: true,
  isPreviewable: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  tags,
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'For a while, deliveries are signed with the new and the earlier secrets: with the three newest at most.',
  params: WebhookEndpointParams,
  body: RotateWebhookSecret,
  response: { 200: WebhookSecretView },
  handle: async ({ deps, context, params, body }) => {
    const input = { endpointId: params.endpoint_id, overlapMs: body.overlap_in_millis };
    const { secret, previousExpiresAt, position } = await rotateWebhookSecret(deps, context, input);
    return { position, body: { secret, previous_expires_at_millis: Date.parse(previousExpiresAt) } };
  },
});
