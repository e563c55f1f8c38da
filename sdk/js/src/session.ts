import type { TokenStore } from './token-store/store.ts';

export type SessionTokens = { accessToken: string; refreshToken: string };

export type Session = {
  /** A refresh token is held; whether the server still honours it, only a refresh can tell. */
  isSignedIn(): boolean;
  /**
   * Tokens whose access token lives for at least `minLifeMs` more; refreshed when it does not. Null when signed out.
   * @throws RangeError when 60 s or more are asked for
   */
  tokens(minLifeMs?: number): Promise<SessionTokens | null>;
  /** Makes the next `tokens` refresh, provided that this is still the token that is held. */
  markExpired(accessToken: string): void;
  /** After a sign-in. @throws TypeError for the text `undefined`, which stands for a bug of the caller */
  adopt(tokens: SessionTokens): void;
  /** Forgets both tokens: signed out, or rejected by the server. */
  invalidate(): void;
  /** Called when somebody signs in or out, here or in another tab; not for refreshes. */
  subscribe(listener: () => void): () => void;
};

/** Asks the server for a new access token. `'rejected'`: the session is over. Other failures are thrown. */
export type RefreshGrant = (refreshToken: string) => Promise<string | 'rejected'>;

const MIN_LIFE_MS = 20_000;
const LONGEST_MIN_LIFE_MS = 60_000;

export function createSession(store: TokenStore, refresh: RefreshGrant, now: () => number): Session {
  /** One refresh at a time for each refresh token; callers that come meanwhile share it. */
  const running = new Map<string, Promise<string | null>>();
  const rejected = new Set<string>();

  const renew = async (refreshToken: string, minLifeMs: number): Promise<string | null> => {
    const accessToken = await refresh(refreshToken);
    const isStillStandby = store.read().refreshToken === refreshToken;
    if (accessToken === 'rejected') {
      rejected.add(refreshToken);
      if (isStillStandby) store.write({ accessToken: null, refreshToken: null });
      return null;
    }
    rejectUndefined(accessToken);
    const lifeMs = remainingLifeMs(accessToken, now());
    if (lifeMs > 0 && lifeMs < minLifeMs) {
      throw new Error(`the server gave an access token that lives ${lifeMs} ms; ${minLifeMs} ms are needed`);
    }
    if (isStillStandby) store.write({ accessToken, refreshToken });
    return accessToken;
  };

  return {
    isSignedIn: () => {
      const { refreshToken } = store.read();
      return refreshToken !== null && !rejected.has(refreshToken);
    },
    tokens: async (minLifeMs = MIN_LIFE_MS) => {
      if (minLifeMs >= LONGEST_MIN_LIFE_MS) throw new RangeError('less than 60 s of rest life can be asked for');
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
    markExpired: (accessToken) => {
      const held = store.read();
      if (held.accessToken === accessToken) store.write({ ...held, accessToken: null });
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

/** From the token's `exp`, which is in seconds; the signature is the server's matter. No `exp`: for ever; unreadable: none. */
export function remainingLifeMs(accessToken: string, nowMs: number): number {
  const claims = claimsOf(accessToken);
  if (claims === null) return 0;
  return typeof claims.exp === 'number' ? Math.max(0, claims.exp * 1000 - nowMs) : Number.POSITIVE_INFINITY;
}

/** The payload of a JWT, unverified; null when it is none. */
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
  if (token === 'undefined') throw new TypeError("the text 'undefined' is no token");
}
