import type { StoredTokens, TokenStore } from './store.ts';

/** Lost with the object; for tests and scripts. */
export function createMemoryTokenStore(initial: StoredTokens = { accessToken: null, refreshToken: null }): TokenStore {
  let held = initial;
  const listeners = new Set<() => void>();
  return {
    read: () => held,
    write: (tokens) => {
      held = tokens;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
