import type { SendTestWebhookView } from '@gatebook/contract/webhooks/deliveries';
import {
  type CreateWebhookEndpoint,
  type ListWebhookDeliveries,
  type NewWebhookEndpoint,
  type ReplayWebhooks,
  type StartedWebhookReplay,
  type WebhookDeliveryDetail,
  type WebhookDeliveryPage,
  type WebhookEndpoint,
  type WebhookEndpointChanges,
  type WebhookReplay,
  type WebhookSecret,
  type WebhooksPageToken,
  type WebhookTest,
  webhooksClient,
} from '../webhooks.ts';
import type { Read } from './cache.ts';
import { queryOf } from './fields.ts';
import { createRead } from './reads.ts';
import type { Result } from './result.ts';
import type { ServerContext } from './server-objects.ts';

export type WebhookMethods = {
  /** Where public events are sent. */
  listWebhookEndpoints: Read<[], readonly WebhookEndpoint[]>;
  getWebhookEndpoint: Read<[endpointId: string], WebhookEndpoint>;
  /** @throws KnownError WEBHOOK_URL_NOT_ALLOWED */
  createWebhookEndpoint(options: CreateWebhookEndpoint): Promise<NewWebhookEndpoint>;
  /** @throws KnownError WEBHOOK_URL_NOT_ALLOWED */
  updateWebhookEndpoint(endpointId: string, changes: WebhookEndpointChanges): Promise<WebhookEndpoint>;
  /** Cannot be undone. */
  deleteWebhookEndpoint(endpointId: string): Promise<void>;
  /** The secret that signs deliveries. Each call is recorded in the audit log. */
  getWebhookSecret(endpointId: string): Promise<WebhookSecret>;
  /** Earlier secrets also sign deliveries for the overlap: 24 hours by default, at most 7 days. */
  rotateWebhookSecret(endpointId: string, options?: { overlapInMillis?: number }): Promise<WebhookSecret>;
  /** Makes one attempt with the example of a type; absent: `gatebook.test`. */
  testWebhookEndpoint(endpointId: string, options?: { type?: string }): Promise<WebhookTest>;
  /** Newest first. */
  listWebhookDeliveries: Read<[endpointId: string, options?: ListWebhookDeliveries], WebhookDeliveryPage>;
  getWebhookDelivery: Read<[deliveryId: string], WebhookDeliveryDetail>;
  /** With the same `webhook-id` and a new signature. */
  resendWebhookDelivery(deliveryId: string): Promise<void>;
  /** Sends events again, or those that were missed. */
  replayWebhooks(endpointId: string, replay: ReplayWebhooks): Promise<StartedWebhookReplay>;
  getWebhookReplay: Read<[replayId: string], WebhookReplay>;
  cancelWebhookReplay(replayId: string): Promise<void>;
  /** Opens the page of the project's webhooks, and nothing else, for one hour. */
  getSvixToken: Read<[], WebhooksPageToken>;
  /** As in published apps; see `testWebhookEndpoint`. */
  sendTestWebhook(options: { endpointId: string }): Promise<Result<undefined, { errorMessage: string }>>;
};

const endpoints = '/webhooks/endpoints';
const deliveries = '/webhooks/deliveries';
const replays = '/webhooks/replays';

export function webhookMethods(context: ServerContext): WebhookMethods {
  const { send, cache } = context;
  const webhooks = webhooksClient(send);
  /** Refreshes what the call can have changed. */
  const change = async <Value>(call: Promise<Value>): Promise<Value> => {
    const value = await call;
    await cache.refresh(endpoints, deliveries, replays);
    return value;
  };
  return {
    listWebhookEndpoints: createRead(context, () => endpoints, webhooks.list),
    getWebhookEndpoint: createRead(context, (id) => `${endpoints}/${id}`, webhooks.find),
    createWebhookEndpoint: (options) => change(webhooks.create(options)),
    updateWebhookEndpoint: (id, changes) => change(webhooks.update(id, changes)),
    deleteWebhookEndpoint: (id) => change(webhooks.delete(id)),
    getWebhookSecret: webhooks.findSecret,
    rotateWebhookSecret: (id, { overlapInMillis } = {}) => change(webhooks.rotateSecret(id, overlapInMillis)),
    testWebhookEndpoint: (id, { type } = {}) => webhooks.test(id, type),
    listWebhookDeliveries: createRead(
      context,
      (id, options = {}) => `${endpoints}/${id}/deliveries${queryOf(options)}`,
      webhooks.listDeliveries,
    ),
    getWebhookDelivery: createRead(context, (id) => `${deliveries}/${id}`, webhooks.findDelivery),
    resendWebhookDelivery: (id) => change(webhooks.resend(id)),
    replayWebhooks: (id, replay) => (replay.dryRun ? webhooks.replay(id, replay) : change(webhooks.replay(id, replay))),
    getWebhookReplay: createRead(context, (id) => `${replays}/${id}`, webhooks.findReplay),
    cancelWebhookReplay: (id) => change(webhooks.cancelReplay(id)),
    getSvixToken: createRead(context, () => '/webhooks/svix-token', webhooks.createPageToken),
    sendTestWebhook: async ({ endpointId }) => {
      const body = { endpoint_id: endpointId };
      const { success, error_message } = await send<SendTestWebhookView>('POST', '/internal/send-test-webhook', body);
      if (success) return { status: 'ok', data: undefined };
      return { status: 'error', error: { errorMessage: error_message ?? 'The test failed.' } };
    },
  };
}
