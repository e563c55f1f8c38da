import { DomainError, reject } from '@gatebook/domain/errors';
import { findRefreshableGrant, findUsableToken, providerGrantDecider } from '@gatebook/domain/provider-grant/decide';
import type { ProviderGrantState } from '@gatebook/domain/provider-grant/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { findUser } from '../user/load-user.ts';
import type { ProviderId, ProviderKeys, ProviderTokens } from './oauth-providers.ts';
import { providerKeysOf } from './provider-keys.ts';

type Asked = {
  userId: string;
  provider: ProviderId;
  /** As it was asked for, separated by spaces; null: any token will do. */
  scope: string | null;
};

/**
 * A provider's access token for a user, renewed where it has to be (protocol, auth §8.8).
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS,
 * USER_NOT_FOUND, OAUTH_CONNECTION_NOT_CONNECTED_TO_USER, OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE, PROVIDER_REJECTED,
 * OAUTH_PROVIDER_UNREACHABLE
 */
export async function connectedAccessToken(
  deps: WriteDeps,
  ctx: Context,
  asked: Asked,
): Promise<CommandResult<{ accessToken: string }>> {
  const { userId, provider, scope } = asked;
  const keys = await providerKeysOf(deps, ctx.projectId, provider);
  if (keys.type === 'shared') reject('OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS');
  const user = await findUser(deps, ctx, userId);
  const accounts = user.oauthAccounts.filter((account) => account.provider === provider);
  if (accounts.length === 0) reject('OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
  const scopes = scopesOf(scope);
  const connections = await Promise.all(accounts.map(({ accountRef }) => connectionOf(deps, accountRef)));
  for (const { state } of connections) {
    const accessToken = findUsableToken(state, userId, scopes, deps.now());
    if (accessToken !== null) return { accessToken, position: null };
  }
  for (const { accountRef, state } of connections) {
    const grant = findRefreshableGrant(state, userId, scopes);
    if (grant) return renew(deps, ctx, keys, { ...asked, accountRef, grant });
  }
  return reject('OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
}

type Renewal = Asked & {
  accountRef: string;
  grant: NonNullable<ReturnType<typeof findRefreshableGrant>>;
};

async function renew(
  deps: WriteDeps,
  ctx: Context,
  keys: ProviderKeys,
  { userId, provider, scope, accountRef, grant }: Renewal,
): Promise<CommandResult<{ accessToken: string }>> {
  let tokens: ProviderTokens;
  try {
    tokens = await deps.oauthProviders.refresh(keys, grant.refreshToken, scope);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'PROVIDER_REJECTED') throw error;
    // Somebody else may have renewed it in the same moment, and used up the refresh token that way.
    const { state } = await connectionOf(deps, accountRef);
    const accessToken = findUsableToken(state, userId, scopesOf(scope), deps.now());
    if (accessToken === null) throw error;
    return { accessToken, position: null };
  }
  const at = deps.now();
  const { projectId } = ctx;
  const facts = { accountRef, userId, projectId, provider, scopes: [...grant.scopes] };
  const { position } = await transact(deps, ctx, async (work) => {
    const connection = await work.load(providerGrantDecider, streamOf.providerGrant(accountRef));
    connection.decide({ type: 'StoreTokens', ...facts, ...tokens, at });
  });
  return { accessToken: tokens.accessToken, position };
}

async function connectionOf(
  { store }: WriteDeps,
  accountRef: string,
): Promise<{ accountRef: string; state: ProviderGrantState }> {
  const { state } = await readState(store, providerGrantDecider, streamOf.providerGrant(accountRef));
  return { accountRef, state };
}

const scopesOf = (scope: string | null) => (scope ?? '').split(' ').filter(Boolean);
