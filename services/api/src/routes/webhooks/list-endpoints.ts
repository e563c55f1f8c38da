import {
  WebhookEndpointListView,
  WebhookEndpointParams,
  WebhookEndpointView,
} from '@gatebook/contract/webhooks/endpoints';
import { listWebhookEndpoints } from '@gatebook/readmodel/webhooks/endpoints';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { findEndpointView, tags, toEndpointViews } from './wire.ts';

export const listEndpointsRoute = defineRoute({
  method: 'GET',
  path: '/webhooks/endpoints',
  access: adminOnly,
  takesWebhooksToken: true,
  tags,
  summary: 'List webhook endpoints',
  description: 'Oldest first, with the state of their deliveries.',
  response: { 200: WebhookEndpointListView },
  handle: async ({ deps, caller: { projectId } }) => {
    const endpoints = await listWebhookEndpoints(deps.db, { projectId });
    return { items: await toEndpointViews(deps, projectId, endpoints), is_paginated: false as const };
  },
});

export const getEndpointRoute = defineRoute({
  method: 'GET',
  path: '/webhooks/endpoints/:endpoint_id',
  access: adminOnly,
  takesWebhooksToken: true,
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
  tags,
  summary: 'Get a webhook endpoint',
  description: 'With the state of its deliveries.',
  params: WebhookEndpointParams,
  response: { 200: WebhookEndpointView },
  handle: ({ deps, caller, params }) => findEndpointView(deps, caller.projectId, params.endpoint_id),
});
