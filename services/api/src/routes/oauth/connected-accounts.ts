import type { Context } from '@gatebook/commands/deps';
import { connectedAccessToken } from '@gatebook/commands/oauth/connected-account';
import { textUpTo } from '@gatebook/contract/common';
import { ConnectedAccountList, ConnectedToken, ConnectedTokenBody, ProviderPath } from '@gatebook/contract/oauth';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { maxListed } from '@gatebook/readmodel/list-limits';
import { listOAuthAccounts } from '@gatebook/readmodel/users/oauth-accounts';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { isPublishedSince } from '../../http/client-version.ts';
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
  role: 'developer',
  session: 'own',
  errors: [...errors, 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE'],
  tags: ['OAuth'],
  summary: 'Get an access token for a connected account',
  description,
  params: ProviderPath.extend({ user_id: pathUserId }),
  body: ConnectedTokenBody,
  response: { 201: ConnectedToken },
  handle: async ({ deps, request, caller, context, params, body }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const connectsAgain = isPublishedSince(request, 77);
    const asked = { userId, provider: params.provider, accountId: null, scope: body.scope, connectsAgain };
    return tokenFor(deps, caller, context, asked);
  },
});

/** (protocol, auth §8.9) */
export const connectedAccountTokenRoute = defineRoute({
  method: 'POST',
  path: '/connected-accounts/:user_id/:provider/:provider_account_id/access-token',
  access: clientAndUp,
  role: 'developer',
  session: 'own',
  errors: [...errors, 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE'],
  tags: ['OAuth'],
  summary: 'Get an access token for one of several connected accounts',
  description,
  params: ProviderPath.extend({ user_id: pathUserId, provider_account_id: textUpTo(255) }),
  body: ConnectedTokenBody,
  response: { 201: ConnectedToken },
  handle: async ({ deps, caller, context, params, body }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const { provider, provider_account_id: accountId } = params;
    const asked = { userId, provider, accountId, scope: body.scope, connectsAgain: true };
    return tokenFor(deps, caller, context, asked);
  },
});

/** (protocol, auth §8.9) */
export const listConnectedAccountsRoute = defineRoute({
  method: 'GET',
  path: '/connected-accounts/:user_id',
  access: clientAndUp,
  errors: actOnUserErrors,
  tags: ['OAuth'],
  summary: 'List connected accounts',
  description: 'The accounts of a user whose access tokens apps can get, in the order of linking.',
  params: z.strictObject({ user_id: pathUserId }),
  response: { 200: ConnectedAccountList },
  handle: async ({ deps, caller, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const rows = await listOAuthAccounts(deps.db, caller.projectId, { userId }, maxListed);
    const items = rows.flatMap(({ provider, accountId, allowConnectedAccounts }) =>
      allowConnectedAccounts && accountId !== null
        ? [{ user_id: userId, provider, provider_account_id: accountId }]
        : [],
    );
    return { items, is_paginated: false as const };
  },
});

export const ownConnectedAccessTokenRoute = defineRoute({
  method: 'POST',
  path: '/auth/oauth/connected-accounts/:provider/access-token',
  access: clientAndUp,
  role: 'developer',
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
    const asked = { userId, provider: params.provider, accountId: null, scope: body.scope, connectsAgain: false };
    return tokenFor(deps, caller, context, asked);
  },
});

type AskedToken = {
  userId: string;
  provider: string;
  accountId: string | null;
  scope?: string | undefined;
  /** The client offers to connect the account again on OAUTH_ACCESS_TOKEN_NOT_AVAILABLE. Older ones do not know it. */
  connectsAgain: boolean;
};

async function tokenFor(
  deps: Deps,
  caller: Caller,
  context: Context,
  { userId, provider, accountId, scope, connectsAgain }: AskedToken,
): Promise<Written<z.infer<typeof ConnectedToken>>> {
  const asked = { userId, accountId, provider: providerIn(caller.project.config, provider), scope: scope || null };
  try {
    const { accessToken } = await connectedAccessToken(deps, context, asked);
    return { position: null, body: { access_token: accessToken } };
  } catch (error) {
    if (!connectsAgain || !(error instanceof DomainError) || error.code !== 'PROVIDER_REJECTED') throw error;
    const details = 'The provider rejected the refresh token. Connect the account again.';
    return reject('OAUTH_ACCESS_TOKEN_NOT_AVAILABLE', { provider: asked.provider, details });
  }
}
