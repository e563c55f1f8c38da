import { createClientApp } from '../client-app.ts';
import { type FakeAnswer, fakeNetwork, type SentRequest, tokenFor } from '../testing.ts';
import { createMemoryTokenStore } from '../token-store/memory.ts';
import type { Urls } from '../urls.ts';

export const grant = (extra: object = {}): FakeAnswer => ({
  json: { access_token: tokenFor(600_000), refresh_token: 'r9', is_new_user: false, ...extra },
});
/** The authorization endpoint. */
export const authorize = 'http://gate.test/api/v1/auth/oauth/authorize';
/** Puts the request into the redirect URL, so that tests can read it. */
export const toAuthorize = ({ url, body }: SentRequest): FakeAnswer => {
  const location = new URL(url);
  for (const [name, value] of Object.entries(body as Record<string, string>)) location.searchParams.set(name, value);
  return { json: { location: location.href } };
};

type Given = {
  isSignedIn?: boolean;
  sessionId?: string;
  scopes?: Record<string, string[]>;
  urls?: Partial<Urls>;
  cookies?: Record<string, string>;
};

/**
 * An app on a fake page: `visited` and `page.href` record its navigation, `browserCookies` and `writtenCookies` its
 * cookies.
 */
export function appAt(href: string, answer: (request: SentRequest) => FakeAnswer, given: Given = {}) {
  const { network, requests } = fakeNetwork(answer);
  const cookies = new Map(Object.entries(given.cookies ?? {}));
  const visited: string[] = [];
  const writtenCookies: string[] = [];
  const page = {
    href,
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      writtenCookies.push(text);
      const [pair = ''] = text.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (text.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    },
    assign: (url: string | URL) => visited.push(`to ${url}`),
    replace: (url: string | URL) => visited.push(`replace ${url}`),
    rewrite: (url: string) => {
      page.href = url;
    },
  };
  const tokenStore = createMemoryTokenStore({
    accessToken: given.isSignedIn
      ? tokenFor(600_000, given.sessionId === undefined ? {} : { refresh_token_id: given.sessionId })
      : null,
    refreshToken: given.isSignedIn ? 'r1' : null,
  });
  const app = createClientApp({
    baseUrl: 'http://gate.test',
    projectId: 'p1',
    publishableClientKey: 'pck_1',
    tokenStore,
    network,
    location: page,
    oauthPage: page,
    ...(given.urls && { urls: given.urls }),
    ...(given.scopes && { oauthScopesOnSignIn: given.scopes }),
  });
  return { app, requests, page, browserCookies: cookies, visited, writtenCookies, tokenStore };
}

export const queryOf = (address: string | undefined) =>
  Object.fromEntries(new URL(address?.slice(3) ?? '').searchParams);
