import { WebhooksPageToken } from '@gatebook/contract/webhooks/endpoints';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { issueWebhooksToken } from '../../webhooks-token.ts';
import { tags } from './wire.ts';

/** The name is the protocol's; published clients open the webhook portal of their service with it. */
export const webhooksTokenRoute = defineRoute({
  method: 'POST',
  path: '/webhooks/svix-token',
  access: adminOnly,
  role: 'read_only',
  writesNothing: true,
  storesNothing: true,
  tags,
  summary: 'Create a token for the webhooks page',
  description:
    'The token opens the webhooks of this project and nothing else, for one hour, and no longer than the key or the session of the caller.',
  body: z.strictObject({}),
  response: { 201: WebhooksPageToken },
  handle: async ({ deps, caller }) => {
    const token = await issueWebhooksToken(deps, caller);
    const page = `${deps.config.http.publicUrl}/projects/${encodeURIComponent(caller.projectId)}/webhooks`;
    return { position: null, body: { token, url: `${page}#token=${token}` } };
  },
});
