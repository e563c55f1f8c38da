import type { TokenStore } from './token-store/store.ts';

export type SessionTokens = { accessToken: string; refreshToken: string };

export type Session = {
  /** Whether there is a refresh token. Only a refresh tells whether the server still accepts it. */
  isSignedIn(): boolean;
  /**
   * Returns tokens whose access token is valid for at least `minLifeMs`, after a refresh if needed; null if signed out.
   * @throws RangeError if `minLifeMs` is 60 s or more
   */
  tokens(minLifeMs?: number): Promise<SessionTokens | null>;
  /** Tokens of another session, which stays beside the current one; null if it has ended. */
  tokensOf(refreshToken: string): Promise<SessionTokens | null>;
  /** Makes the next `tokens` call refresh, if this is still the current access token. */
  markExpired(accessToken: string): void;
  /** Stores the tokens of a sign-in. @throws TypeError for the string `undefined`, which is a bug of the caller */
  adopt(tokens: SessionTokens): void;
  /** Removes both tokens: the user signed out, or the server rejected them. */
  invalidate(): void;
  /** Called after a sign-in or sign-out, here or in another tab; not after a refresh. */
  subscribe(listener: () => void): () => void;
};

/** Requests a new access token. `'rejected'` means that the session has ended. Other errors are thrown. */
export type RefreshGrant = (refreshToken: string) => Promise<string | 'rejected'>;

const MIN_LIFE_MS = 20_000;
const LONGEST_MIN_LIFE_MS = 60_000;

export function createSession(store: TokenStore, refresh: RefreshGrant, now: () => number): Session {
  /** One refresh at a time per refresh token; concurrent callers share it. */
  const running = new Map<string, Promise<string | null>>();
  const rejected = new Set<string>();

  const renew = async (refreshToken: string, minLifeMs: number): Promise<string | null> => {
    const accessToken = await refresh(refreshToken);
    const isCurrent = store.read().refreshToken === refreshToken;
    if (accessToken === 'rejected') {
      rejected.add(refreshToken);
      if (isCurrent) store.write({ accessToken: null, refreshToken: null });
      return null;
    }
    rejectUndefined(accessToken);
    const lifeMs = remainingLifeMs(accessToken, now());
    if (lifeMs > 0 && lifeMs < minLifeMs) {
      throw new Error(
        `The server returned an access token that is valid for ${lifeMs} ms; ${minLifeMs} ms are required.`,
      );
    }
    if (isCurrent) store.write({ accessToken, refreshToken });
    return accessToken;
  };

  return {
    isSignedIn: () => {
      const { refreshToken } = store.read();
      return refreshToken !== null && !rejected.has(refreshToken);
    },
    tokens: async (minLifeMs = MIN_LIFE_MS) => {
      if (minLifeMs >= LONGEST_MIN_LIFE_MS) throw new RangeError('minLifeMs must be less than 60 s.');
      const { refreshToken, accessToken } = store.read();
      if (refreshToken === null || rejected.has(refreshToken)) return null;
      if (accessToken !== null && remainingLifeMs(accessToken, now()) >= minLifeMs)
        return { accessToken, refreshToken };
      let fresh = running.get(refreshToken);
      if (!fresh) {
        fresh = renew(refreshToken, minLifeMs).finally(() => running.delete(refreshToken));
        running.set(refreshToken, fresh);
      }
      const renewed = await fresh;
      return renewed === null ? null : { accessToken: renewed, refreshToken };
    },
    tokensOf: async (refreshToken) => {
      const accessToken = await renew(refreshToken, MIN_LIFE_MS);
      return accessToken === null ? null : { accessToken, refreshToken };
    },
    markExpired: (accessToken) => {
      const stored = store.read();
      if (stored.accessToken === accessToken) store.write({ ...stored, accessToken: null });
    },
    adopt: (tokens) => {
      rejectUndefined(tokens.accessToken);
      rejectUndefined(tokens.refreshToken);
      store.write(tokens);
    },
    invalidate: () => {
      const { refreshToken } = store.read();
      if (refreshToken !== null) rejected.add(refreshToken);
      store.write({ accessToken: null, refreshToken: null });
    },
    subscribe: (listener) => {
      let last = store.read().refreshToken;
      return store.subscribe(() => {
        const { refreshToken } = store.read();
        if (refreshToken === last) return;
        last = refreshToken;
        listener();
      });
    },
  };
}

/** From the token's `exp`, in seconds; the signature is not checked. Infinite without `exp`, 0 if unreadable. */
export function remainingLifeMs(accessToken: string, nowMs: number): number {
  const claims = claimsOf(accessToken);
  if (claims === null) return 0;
  return typeof claims.exp === 'number' ? Math.max(0, claims.exp * 1000 - nowMs) : Number.POSITIVE_INFINITY;
}

/** The unverified payload of a JWT; null if it is not a JWT. */
export function claimsOf(accessToken: string): Readonly<Record<string, unknown>> | null {
  try {
    const payload = (accessToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function rejectUndefined(token: string): void {
  if (token === 'undefined') throw new TypeError("The string 'undefined' is not a token.");
}
