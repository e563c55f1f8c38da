import type { StoredTokens, TokenStore } from './store.ts';

/** Keeps tokens in memory; for tests and scripts. */
export function createMemoryTokenStore(initial: StoredTokens = { accessToken: null, refreshToken: null }): TokenStore {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    read: () => current,
    write: (tokens) => {
      current = tokens;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
