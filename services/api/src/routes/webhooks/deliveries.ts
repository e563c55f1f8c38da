import { Success } from '@gatebook/contract/common';
import {
  WebhookDeliveriesQuery,
  WebhookDeliveryDetailView,
  WebhookDeliveryListView,
  WebhookDeliveryParams,
} from '@gatebook/contract/webhooks/deliveries';
import { WebhookEndpointParams } from '@gatebook/contract/webhooks/endpoints';
import { reject } from '@gatebook/domain/errors';
import { findWebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { toDeliveryView, toDetailView } from './delivery-views.ts';
import { requireEndpoint, tags } from './wire.ts';

const usualPage = 50;
const isId = (text: string) => WebhookDeliveryParams.safeParse({ delivery_id: text }).success;

export const listDeliveriesRoute = defineRoute({
  method: 'GET',
  path: '/webhooks/endpoints/:endpoint_id/deliveries',
  access: adminOnly,
  takesWebhooksToken: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  tags,
  summary: 'List deliveries of a webhook endpoint',
  description:
    'In the order of their events, newest first. Delivered ones are kept for 30 days. A page looks at 10,000 deliveries: if few of them match, it is short and `next_before` continues.',
  params: WebhookEndpointParams,
  query: WebhookDeliveriesQuery,
  response: { 200: WebhookDeliveryListView },
  handle: async ({ deps, caller: { projectId }, params, query }) => {
    const endpoint = await requireEndpoint(deps, projectId, params.endpoint_id);
    const { status = null, type = null, before = null, limit = usualPage } = query;
    // Those that wait are parked if the endpoint is disabled, and pending if it is enabled.
    const isEmpty = (status === 'parked' && endpoint.isEnabled) || (status === 'pending' && !endpoint.isEnabled);
    if (isEmpty || (before !== null && !isId(before))) return { items: [], next_before: null };
    const filters = { status: status === 'parked' ? ('pending' as const) : status, type, before, limit };
    const { items, next } = await deps.deliveries.list(projectId, endpoint.id, filters);
    return { items: items.map((delivery) => toDeliveryView(delivery, endpoint)), next_before: next };
  },
});

export const getDeliveryRoute = defineRoute({
  method: 'GET',
  path: '/webhooks/deliveries/:delivery_id',
  access: adminOnly,
  takesWebhooksToken: true,
  errors: ['WEBHOOK_DELIVERY_NOT_FOUND'],
  tags,
  summary: 'Get a webhook delivery',
  description: 'With its request and its attempts.',
  params: WebhookDeliveryParams,
  response: { 200: WebhookDeliveryDetailView },
  handle: async ({ deps, caller: { projectId }, params }) => {
    const delivery = await deps.deliveries.find(projectId, params.delivery_id);
    const endpoint = delivery && (await findWebhookEndpoint(deps.db, projectId, delivery.endpointId));
    if (!delivery || !endpoint) return reject('WEBHOOK_DELIVERY_NOT_FOUND');
    const [body, attempts] = await Promise.all([
      deps.deliveries.bodyOf(projectId, delivery),
      deps.deliveries.attempts(projectId, delivery.id),
    ]);
    return toDetailView(delivery, endpoint, { body, attempts });
  },
});

export const resendDeliveryRoute = defineRoute({
  method: 'POST',
  path: '/webhooks/deliveries/:delivery_id/resend',
  access: adminOnly,
  takesWebhooksToken: true,
  writesNothing: true,
  errors: ['WEBHOOK_DELIVERY_NOT_FOUND'],
  tags,
  summary: 'Send a webhook delivery again',
  description: 'With the same `webhook-id`. Up to ten attempts are made, as for a new delivery.',
  params: WebhookDeliveryParams,
  response: { 200: Success },
  handle: async ({ deps, caller: { projectId }, params }) => {
    const isFound = await deps.deliveries.resend(projectId, params.delivery_id);
    return isFound ? answerSuccess(null) : reject('WEBHOOK_DELIVERY_NOT_FOUND');
  },
});
