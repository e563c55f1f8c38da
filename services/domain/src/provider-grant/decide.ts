import { type Decider, unreachable } from '../decider.ts';
import type { ProviderGrantEvent } from './events.ts';
import { evolveProviderGrant, type Grant, initialState, type ProviderGrantState } from './state.ts';

type StoreTokens = { type: 'StoreTokens' } & ProviderGrantEvent['data'];
export type ProviderGrantCommand = StoreTokens;

/** A token that lives no longer than this is not given away any more (protocol, auth §8.8). */
const leastLifeMs = 5 * 60_000;

export function decideProviderGrant(
  command: ProviderGrantCommand,
  _: ProviderGrantState,
): readonly ProviderGrantEvent[] {
  switch (command.type) {
    case 'StoreTokens': {
      const { type: __, ...data } = command;
      return [{ type: 'ProviderTokensStored', data }];
    }
    default:
      return unreachable(command.type);
  }
}

/** An access token of this user with all these scopes and life enough at the ISO time `at`; null when there is none. */
export function usableToken(state: ProviderGrantState, userId: string, scopes: readonly string[], at: string) {
  const fresh = covering(state, userId, scopes).find(
    ({ accessToken, expiresAt }) => accessToken !== null && Date.parse(expiresAt) - Date.parse(at) > leastLifeMs,
  );
  return fresh?.accessToken ?? null;
}

/** What a new access token with all these scopes can be had by; null when there is nothing. */
export function renewableGrant(
  state: ProviderGrantState,
  userId: string,
  scopes: readonly string[],
): (Grant & { refreshToken: string }) | null {
  for (const grant of covering(state, userId, scopes)) {
    const { refreshToken } = grant;
    if (refreshToken !== null) return { ...grant, refreshToken };
  }
  return null;
}

function covering(state: ProviderGrantState, userId: string, scopes: readonly string[]): readonly Grant[] {
  if (state.status !== 'stored' || state.userId !== userId) return [];
  return state.grants.filter((grant) => scopes.every((scope) => grant.scopes.includes(scope)));
}

export const providerGrantDecider: Decider<ProviderGrantState, ProviderGrantCommand, ProviderGrantEvent> = {
  initialState,
  decide: decideProviderGrant,
  evolve: evolveProviderGrant,
};
