import { DomainError, reject } from '@gatebook/domain/errors';
import { findRefreshableGrant, findUsableToken, providerGrantDecider } from '@gatebook/domain/provider-grant/decide';
import type { ProviderGrantState } from '@gatebook/domain/provider-grant/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { accountRefOf } from '../reservation/oauth-account.ts';
import { streamOf } from '../streams.ts';
import { findUser } from '../user/load-user.ts';
import type { ProviderKeys, ProviderTokens } from './oauth-providers.ts';
import { readProviderKeys } from './provider-keys.ts';

type TokenRequest = {
  userId: string;
  provider: string;
  /** ID of one account at the provider; null: any account of the user. */
  accountId: string | null;
  /** Requested scopes, separated by spaces; null: any token is accepted. */
  scope: string | null;
};

/**
 * Returns an access token of a provider for a user, refreshed if necessary (protocol, auth §8.8).
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS,
 * USER_NOT_FOUND, OAUTH_CONNECTION_NOT_CONNECTED_TO_USER, OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE,
 * PROVIDER_REJECTED, OAUTH_PROVIDER_UNREACHABLE
 */
export async function connectedAccessToken(
  deps: WriteDeps,
  ctx: Context,
  request: TokenRequest,
): Promise<CommandResult<{ accessToken: string }>> {
  const { userId, provider, accountId, scope } = request;
  const keys = await readProviderKeys(deps, ctx.projectId, provider);
  if (keys.type === 'shared') reject('OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS');
  const user = await findUser(deps, ctx, userId);
  const onlyRef = accountId === null ? null : accountRefOf(deps, ctx.projectId, { provider, accountId });
  const accounts = user.oauthAccounts.filter(
    (account) =>
      account.provider === provider &&
      account.allowConnectedAccounts &&
      (onlyRef === null || account.accountRef === onlyRef),
  );
  if (accounts.length === 0) reject('OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
  const scopes = parseScopes(scope);
  const grants = await Promise.all(accounts.map(({ accountRef }) => readGrant(deps, accountRef)));
  for (const { state } of grants) {
    const accessToken = findUsableToken(state, userId, scopes, deps.now());
    if (accessToken !== null) return { accessToken, position: null };
  }
  for (const { accountRef, state } of grants) {
    const grant = findRefreshableGrant(state, userId, scopes);
    if (grant) return refreshToken(deps, ctx, keys, { ...request, accountRef, grant });
  }
  return reject('OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
}

type Refresh = TokenRequest & {
  accountRef: string;
  grant: NonNullable<ReturnType<typeof findRefreshableGrant>>;
};

async function refreshToken(
  deps: WriteDeps,
  ctx: Context,
  keys: ProviderKeys,
  { userId, provider, scope, accountRef, grant }: Refresh,
): Promise<CommandResult<{ accessToken: string }>> {
  let tokens: ProviderTokens;
  try {
    tokens = await deps.oauthProviders.refresh(keys, grant.refreshToken, scope);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'PROVIDER_REJECTED') throw error;
    // A concurrent request may have refreshed the token and thereby used up the refresh token.
    const { state } = await readGrant(deps, accountRef);
    const accessToken = findUsableToken(state, userId, parseScopes(scope), deps.now());
    if (accessToken === null) throw error;
    return { accessToken, position: null };
  }
  const at = deps.now();
  const { projectId } = ctx;
  const facts = { accountRef, userId, projectId, provider, scopes: [...grant.scopes] };
  const { position } = await transact(deps, ctx, async (work) => {
    const providerGrant = await work.load(providerGrantDecider, streamOf.providerGrant(accountRef));
    providerGrant.decide({ type: 'StoreTokens', ...facts, ...tokens, at });
  });
  return { accessToken: tokens.accessToken, position };
}

async function readGrant(
  { store }: WriteDeps,
  accountRef: string,
): Promise<{ accountRef: string; state: ProviderGrantState }> {
  const { state } = await readState(store, providerGrantDecider, streamOf.providerGrant(accountRef));
  return { accountRef, state };
}

const parseScopes = (scope: string | null) => (scope ?? '').split(' ').filter(Boolean);
