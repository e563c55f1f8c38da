import { isDelivered, type WebhookResult } from '@gatebook/commands/webhook/sender';
import { publicEventDefinitions } from '@gatebook/contract/events/public-event-types';
import {
  SendTestWebhook,
  SendTestWebhookView,
  TestWebhook,
  TestWebhookView,
} from '@gatebook/contract/webhooks/deliveries';
import { WebhookEndpointParams } from '@gatebook/contract/webhooks/endpoints';
import { toCursor } from '@gatebook/readmodel/events/cursor';
import { toPublicId } from '@gatebook/readmodel/events/event-id';
import { afterPosition } from '@gatebook/readmodel/events/feed';
import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { messageBody } from '@gatebook/readmodel/webhooks/message';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { webhookTestText } from './test-texts.ts';
import { requireEndpoint, tags } from './wire.ts';

const deadlineMs = 10_000;
const testType = 'gatebook.test';
const testMessage = { message: 'This is a test of the webhook endpoint.' };

const examples: Readonly<Record<string, { example: object }>> = publicEventDefinitions;

/** Sends one request that looks like any other. */
async function sendTest(
  deps: Deps,
  projectId: string,
  endpoint: WebhookEndpoint,
  type: string,
): Promise<WebhookResult> {
  const id = toPublicId({ eventId: deps.newId(), index: 0, nth: 0 });
  const at = deps.now();
  const data = { ...(examples[type]?.example ?? testMessage) };
  const cursor = await toCursor(deps, projectId, afterPosition(await deps.store.head()));
  const body = messageBody({ id, type, at: Date.parse(at), data }, cursor);
  return deps.webhookSender.send(endpoint, { id, body }, { at, deadlineMs });
}

/** Without an error if the test succeeded. */
const errorOf = (language: TextLanguage, result: WebhookResult) =>
  isDelivered(result) ? {} : { error_message: webhookTestText(language, result, deadlineMs) };

export const testEndpointRoute = defineRoute({
  method: 'POST',
  path: '/webhooks/endpoints/:endpoint_id/test',
  access: adminOnly,
  limit: 'test-webhook',
  takesWebhooksToken: true,
  writesNothing: true,
  storesNothing: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  tags,
  summary: 'Test a webhook endpoint',
  description: 'Sends one request and waits for the answer, also to a disabled endpoint. It is not a delivery.',
  params: WebhookEndpointParams,
  body: TestWebhook,
  response: { 200: TestWebhookView },
  isTranslated: true,
  handle: async ({ deps, caller: { projectId }, params, body, language }) => {
    const endpoint = await requireEndpoint(deps, projectId, params.endpoint_id);
    const result = await sendTest(deps, projectId, endpoint, body.type ?? testType);
    const { statusCode, durationMs } = result;
    const view = { success: isDelivered(result), status_code: statusCode, duration_in_millis: durationMs };
    return { position: null, body: { ...view, ...errorOf(language, result) } };
  },
});

/** As published clients call it. */
export const sendTestWebhookRoute = defineRoute({
  method: 'POST',
  path: '/internal/send-test-webhook',
  access: adminOnly,
  limit: 'test-webhook',
  writesNothing: true,
  storesNothing: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  tags,
  summary: 'Send a test webhook',
  description: 'For published clients. Returns 200 whether the endpoint accepts it or not.',
  body: SendTestWebhook,
  response: { 200: SendTestWebhookView },
  handle: async ({ deps, caller: { projectId }, body, language }) => {
    const params = WebhookEndpointParams.safeParse(body);
    if (!params.success) return { position: null, body: unknownEndpoint };
    const endpoint = await requireEndpoint(deps, projectId, params.data.endpoint_id);
    const result = await sendTest(deps, projectId, endpoint, testType);
    return { position: null, body: { success: isDelivered(result), ...errorOf(language, result) } };
  },
});

const unknownEndpoint = { success: false, error_message: 'This webhook endpoint does not exist.' };
