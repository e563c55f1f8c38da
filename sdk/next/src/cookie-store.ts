import type { StoredTokens, TokenStore } from '@gatebook/js';
import { deletedNewerCookies, readTokenCookies, tokenCookies } from '@gatebook/js/server';

type CookieAttributes = {
  path: string;
  maxAge: number;
  sameSite: 'lax' | 'none';
  secure: boolean;
  partitioned: boolean;
};
/** What `cookies()` of Next.js returns. */
export type CookieJar = {
  getAll(): readonly { name: string; value: string }[];
  set(name: string, value: string, attributes: CookieAttributes): unknown;
};

/** The same cookies as in a browser, of one request. Server Components cannot write them. */
export function createCookieStore(jar: CookieJar, projectId: string, isHttps: boolean): TokenStore {
  const readJar = () => readTokenCookies(cookieHeader(jar), projectId);
  /** What could not be written; it lasts as long as the request. */
  let unwritten: StoredTokens | null = null;
  return {
    read: () => unwritten ?? readJar(),
    write: (tokens) => {
      const isSignIn = tokens.refreshToken !== null && tokens.refreshToken !== readJar().refreshToken;
      try {
        for (const text of assignments(jar, tokens, projectId, isHttps)) assign(jar, text);
        unwritten = null;
      } catch (error) {
        // A new access token can be fetched again, and ended sessions stay ended. Only a new session would be lost.
        if (isSignIn) throw error;
        unwritten = tokens;
      }
    },
    subscribe: () => () => {},
  };
}

export const cookieHeader = (jar: Pick<CookieJar, 'getAll'>): string =>
  jar
    .getAll()
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join('; ');

/** Cookies of newer clients are deleted in the form in which those set them; otherwise they would win over ours. */
function assignments(jar: CookieJar, tokens: StoredTokens, projectId: string, isHttps: boolean): string[] {
  const newer = deletedNewerCookies(cookieHeader(jar), projectId, '');
  return [
    ...newer.filter((text) => (isHttps ? text.includes('; Partitioned') : !text.includes('; Secure'))),
    ...tokenCookies(tokens, projectId, isHttps),
  ];
}

/** `text` has the form of a header `set-cookie`. */
function assign(jar: CookieJar, text: string): void {
  const [pair = '', ...attributes] = text.split('; ');
  const cut = pair.indexOf('=');
  jar.set(pair.slice(0, cut), decodeURIComponent(pair.slice(cut + 1)), {
    path: '/',
    maxAge: Number(attributes.find((attribute) => attribute.startsWith('Max-Age='))?.slice('Max-Age='.length)),
    sameSite: attributes.includes('SameSite=None') ? 'none' : 'lax',
    secure: attributes.includes('Secure'),
    partitioned: attributes.includes('Partitioned'),
  });
}
