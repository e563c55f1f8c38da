import { connectedAccessToken } from '@gatebook/commands/oauth/connected-account';
import { ConnectedToken, ConnectedTokenBody, ProviderPath } from '@gatebook/contract/oauth';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { providerIn } from './authorization-context.ts';

const shared = {
  tags: ['OAuth'],
  description:
    'A token of the provider that has all the scopes asked for, renewed where it has to be. Only with keys of the project’s own.',
  body: ConnectedTokenBody,
  response: { 201: ConnectedToken },
};

/** Protocol, auth §8.8. */
export const connectedAccessTokenRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/connected-accounts/:user_id/:provider/access-token', {
      schema: {
        ...shared,
        summary: 'Get an access token of a connected account',
        params: ProviderPath.extend({ user_id: pathUserId }),
      },
      handler: async (request, reply) => {
        const { user_id, provider } = request.params;
        return reply.code(201).send(await tokenFor(deps, request, user_id, provider, request.body));
      },
    });
    app.post('/auth/oauth/connected-accounts/:provider/access-token', {
      schema: {
        ...shared,
        summary: 'Get an access token of one’s own connected account (old form)',
        params: ProviderPath,
      },
      handler: async (request, reply) =>
        reply.code(201).send(await tokenFor(deps, request, 'me', request.params.provider, request.body)),
    });
  };

async function tokenFor(
  deps: Deps,
  request: FastifyRequest,
  user: string,
  providerText: string,
  { scope }: z.infer<typeof ConnectedTokenBody>,
): Promise<z.infer<typeof ConnectedToken>> {
  const caller = callerOf(request);
  const userId = userIdOf(caller, user, 'ACTS_ON_ANOTHER_USER');
  const provider = providerIn(caller.project.project.config, providerText);
  const asked = { userId, provider, scope: scope || null };
  const { accessToken } = await connectedAccessToken(deps, contextOf(request, caller), asked);
  return { access_token: accessToken };
}
