import { createBrowserTokenStore } from '../token-store/browser.ts';
import { readTokenCookies } from '../token-store/cookies.ts';
import { createMemoryTokenStore } from '../token-store/memory.ts';
import type { StoredTokens, TokenStore } from '../token-store/store.ts';
import { isBrowser } from './environment.ts';

/** A request of an app server. Headers are those of the web, or an object as in Node.js. */
export type RequestLike = {
  headers:
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | null | undefined>>;
};
/** Where an app finds the tokens of its user; null for an app that works without users. */
export type TokenStoreInit =
  | 'cookie'
  | 'nextjs-cookie'
  | 'memory'
  | RequestLike
  | { accessToken?: string | null; refreshToken?: string | null }
  | TokenStore
  | null;

/** (protocol, client §5). @throws Error for a store that does not work here */
export function openTokenStore(init: Exclude<TokenStoreInit, null>, projectId: string): TokenStore {
  if (init === 'memory') return createMemoryTokenStore();
  if (init === 'cookie' || init === 'nextjs-cookie') {
    if (isBrowser()) return createBrowserTokenStore(projectId);
    throw new Error(`The token store "${init}" needs a browser. Servers pass a request.`);
  }
  if (typeof init === 'object' && 'subscribe' in init) return init;
  if (typeof init === 'object' && 'headers' in init) return createMemoryTokenStore(readRequest(init, projectId));
  if (typeof init === 'object' && ('accessToken' in init || 'refreshToken' in init)) {
    return createMemoryTokenStore(toTokens(init));
  }
  throw new Error(`Unknown token store: ${JSON.stringify(init)}`);
}

const toTokens = (given: { accessToken?: unknown; refreshToken?: unknown }): StoredTokens => ({
  accessToken: (given.accessToken as string) || null,
  refreshToken: (given.refreshToken as string) || null,
});

/** (protocol, client §5.3 and §A.2) */
function readRequest({ headers }: RequestLike, projectId: string): StoredTokens {
  const header = (name: string): string | null => {
    const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : null;
  };
  const [, encoded] = /^Bearer (?:stackauth|hexclave)_(.+)$/i.exec(header('authorization') ?? '') ?? [];
  if (encoded !== undefined) return parseTokens('authorization', fromBase64(encoded));
  const given = header('x-stack-auth') ?? header('x-hexclave-auth');
  return given === null ? readTokenCookies(header('cookie') ?? '', projectId) : parseTokens('x-stack-auth', given);
}

function parseTokens(header: string, text: string): StoredTokens {
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given === 'object' && given !== null) return toTokens(given);
  } catch {
    // Not JSON; the same error follows.
  }
  throw new Error(`The header ${header} does not contain the JSON of getAuthJson().`);
}

const fromBase64 = (text: string): string => {
  try {
    return atob(text);
  } catch {
    return '';
  }
};
