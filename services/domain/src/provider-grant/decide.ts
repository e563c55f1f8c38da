import { type Decider, unreachable } from '../decider.ts';
import { stateVersions } from '../state-versions.ts';
import type { ProviderGrantEvent } from './events.ts';
import { evolveProviderGrant, type Grant, initialState, type ProviderGrantState } from './state.ts';

type StoreTokens = { type: 'StoreTokens' } & Extract<ProviderGrantEvent, { type: 'ProviderTokensStored' }>['data'];
/** Discards the tokens of this user. Tokens that another user has stored since stay. */
type DiscardTokens = { type: 'DiscardTokens'; accountRef: string; userId: string; at: string };
export type ProviderGrantCommand = StoreTokens | DiscardTokens;

/** A token that expires within this time is not handed out (protocol, auth §8.8). */
const minimumLifeMs = 5 * 60_000;

function decideProviderGrant(command: ProviderGrantCommand, state: ProviderGrantState): readonly ProviderGrantEvent[] {
  switch (command.type) {
    case 'StoreTokens': {
      const { type: _, ...data } = command;
      return [{ type: 'ProviderTokensStored', data }];
    }
    case 'DiscardTokens': {
      const { accountRef, userId, at } = command;
      if (state.status === 'absent' || state.userId !== userId) return [];
      return [{ type: 'ProviderTokensDiscarded', data: { accountRef, userId, at } }];
    }
    default:
      return unreachable(command);
  }
}

/**
 * Finds an access token of this user with all these scopes that is still valid for long enough at the ISO time `at`.
 */
export function findUsableToken(state: ProviderGrantState, userId: string, scopes: readonly string[], at: string) {
  const fresh = filterByScopes(state, userId, scopes).find(
    ({ accessToken, expiresAt }) => accessToken !== null && Date.parse(expiresAt) - Date.parse(at) > minimumLifeMs,
  );
  return fresh?.accessToken ?? null;
}

/** Finds a grant with all these scopes that can be refreshed. */
export function findRefreshableGrant(
  state: ProviderGrantState,
  userId: string,
  scopes: readonly string[],
): (Grant & { refreshToken: string }) | null {
  for (const grant of filterByScopes(state, userId, scopes)) {
    const { refreshToken } = grant;
    if (refreshToken !== null) return { ...grant, refreshToken };
  }
  return null;
}

function filterByScopes(state: ProviderGrantState, userId: string, scopes: readonly string[]): readonly Grant[] {
  if (state.status !== 'stored' || state.userId !== userId) return [];
  return state.grants.filter((grant) => scopes.every((scope) => grant.scopes.includes(scope)));
}

export const providerGrantDecider: Decider<ProviderGrantState, ProviderGrantCommand, ProviderGrantEvent> = {
  initialState,
  decide: decideProviderGrant,
  evolve: evolveProviderGrant,
  stateVersion: stateVersions['provider-grant'],
};
