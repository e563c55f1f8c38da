import type { Context } from '@gatebook/commands/deps';
import { connectedAccessToken } from '@gatebook/commands/oauth/connected-account';
import { ConnectedToken, ConnectedTokenBody, ProviderPath } from '@gatebook/contract/oauth';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import type { z } from 'zod';
import { actOnUserErrors, clientAndUp } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute, type Written } from '../../http/define-route.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { providerIn } from './authorization-context.ts';

const errors: readonly DomainErrorCode[] = [
  ...actOnUserErrors,
  'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
  'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
  'USER_NOT_FOUND',
  'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER',
  'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE',
  'PROVIDER_REJECTED',
  'OAUTH_PROVIDER_UNREACHABLE',
];

const description =
  'Returns a token of the provider with all requested scopes, refreshed if necessary. Not available with shared OAuth keys.';

/** (protocol, auth §8.8) */
export const connectedAccessTokenRoute = defineRoute({
  method: 'POST',
  path: '/connected-accounts/:user_id/:provider/access-token',
  access: clientAndUp,
  session: 'own',
  errors,
  tags: ['OAuth'],
  summary: 'Get an access token for a connected account',
  description,
  params: ProviderPath.extend({ user_id: pathUserId }),
  body: ConnectedTokenBody,
  response: { 201: ConnectedToken },
  handle: async ({ deps, caller, context, params, body }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    return tokenFor(deps, caller, context, { userId, provider: params.provider, scope: body.scope });
  },
});

export const ownConnectedAccessTokenRoute = defineRoute({
  method: 'POST',
  path: '/auth/oauth/connected-accounts/:provider/access-token',
  access: clientAndUp,
  session: 'own',
  errors,
  tags: ['OAuth'],
  summary: 'Get an access token for your own connected account (old path)',
  description,
  params: ProviderPath,
  body: ConnectedTokenBody,
  response: { 201: ConnectedToken },
  handle: async ({ deps, caller, context, params, body }) => {
    const userId = userIdOf(caller, 'me', 'OTHER_USER_NOT_ALLOWED');
    return tokenFor(deps, caller, context, { userId, provider: params.provider, scope: body.scope });
  },
});

async function tokenFor(
  deps: Deps,
  caller: Caller,
  context: Context,
  { userId, provider, scope }: { userId: string; provider: string; scope: string | undefined },
): Promise<Written<z.infer<typeof ConnectedToken>>> {
  const asked = { userId, provider: providerIn(caller.project.config, provider), scope: scope || null };
  const { accessToken } = await connectedAccessToken(deps, context, asked);
  return { position: null, body: { access_token: accessToken } };
}
