import type { ProviderGrantEvent } from './events.ts';

/**
 * The newest tokens for one set of scopes; null once the user is erased. `refreshToken` is also null when the provider
 * never issued one.
 */
export type Grant = {
  scopes: readonly string[];
  accessToken: string | null;
  expiresAt: string;
  refreshToken: string | null;
};
/** `grants`: newest first. */
export type ProviderGrantState = { status: 'absent' } | { status: 'stored'; userId: string; grants: readonly Grant[] };

export const initialState: ProviderGrantState = { status: 'absent' };

export function evolveProviderGrant(state: ProviderGrantState, event: ProviderGrantEvent): ProviderGrantState {
  if (event.type === 'ProviderTokensDiscarded') return initialState;
  const { data } = event;
  const { userId, scopes, accessToken, expiresAt } = data;
  // Tokens issued for a previous user of the account are not given to the current one.
  const before = state.status === 'stored' && state.userId === userId ? state.grants : [];
  const isSame = (grant: Grant) => scopeKey(grant.scopes) === scopeKey(scopes);
  const refreshToken = data.refreshToken ?? before.find(isSame)?.refreshToken ?? null;
  const others = before.filter((grant) => !isSame(grant));
  return { status: 'stored', userId, grants: [{ scopes, accessToken, expiresAt, refreshToken }, ...others] };
}

const scopeKey = (scopes: readonly string[]) => scopes.toSorted().join(' ');
