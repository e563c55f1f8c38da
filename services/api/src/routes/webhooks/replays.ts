import { Success } from '@gatebook/contract/common';
import {
  ReplayWebhooks,
  StartedReplayView,
  WebhookReplayParams,
  WebhookReplayView,
} from '@gatebook/contract/webhooks/deliveries';
import { WebhookEndpointParams } from '@gatebook/contract/webhooks/endpoints';
import { reject } from '@gatebook/domain/errors';
import { openCursor } from '@gatebook/readmodel/events/cursor';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { toReplayView } from './delivery-views.ts';
import { requireEndpoint, tags } from './wire.ts';

export const replayRoute = defineRoute({
  method: 'POST',
  path: '/webhooks/endpoints/:endpoint_id/replay',
  access: adminOnly,
  takesWebhooksToken: true,
  writesNothing: true,
  limit: 'replay-webhooks',
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'EVENT_CURSOR_INVALID'],
  tags,
  summary: 'Send past events to a webhook endpoint again',
  description:
    'Up to where the endpoint is in the feed; later events are sent anyway. `missing` and `all` reach back 30 days, because nobody knows longer what was delivered. `types` narrows the types of the endpoint. Messages keep their `webhook-id`.',
  params: WebhookEndpointParams,
  body: ReplayWebhooks,
  response: { 200: StartedReplayView },
  handle: async ({ deps, caller: { projectId }, params, body }) => {
    const endpoint = await requireEndpoint(deps, projectId, params.endpoint_id);
    const from = body.after === undefined ? null : await openCursor(deps, projectId, body.after);
    const times = { since: body.since_millis ?? null, until: body.until_millis ?? null };
    const replay = { wanted: body.only, types: body.types ?? null, from, ...times };
    const options = { isDryRun: body.dry_run ?? false };
    const { id, matched, isExact } = await deps.deliveries.replay(projectId, endpoint, replay, options);
    return { position: null, body: { replay_id: id, matched, is_exact: isExact } };
  },
});

export const getReplayRoute = defineRoute({
  method: 'GET',
  path: '/webhooks/replays/:replay_id',
  access: adminOnly,
  takesWebhooksToken: true,
  errors: ['WEBHOOK_REPLAY_NOT_FOUND'],
  tags,
  summary: 'Get the progress of a replay',
  description: 'It is completed once none of its events waits for an attempt.',
  params: WebhookReplayParams,
  response: { 200: WebhookReplayView },
  handle: async ({ deps, caller: { projectId }, params }) => {
    const replay = await deps.deliveries.findReplay(projectId, params.replay_id);
    return replay ? toReplayView(replay) : reject('WEBHOOK_REPLAY_NOT_FOUND');
  },
});

export const cancelReplayRoute = defineRoute({
  method: 'DELETE',
  path: '/webhooks/replays/:replay_id',
  access: adminOnly,
  takesWebhooksToken: true,
  writesNothing: true,
  errors: ['WEBHOOK_REPLAY_NOT_FOUND'],
  tags,
  summary: 'Cancel a replay',
  description: 'What has not been sent is as it was before the replay.',
  params: WebhookReplayParams,
  response: { 200: Success },
  handle: async ({ deps, caller: { projectId }, params }) => {
    const isFound = await deps.deliveries.cancelReplay(projectId, params.replay_id);
    return isFound ? answerSuccess(null) : reject('WEBHOOK_REPLAY_NOT_FOUND');
  },
});
