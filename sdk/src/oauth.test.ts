import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { attemptCodeOf } from './auth/second-factor.ts';
import { createClientApp } from './client-app.ts';
import { leadOn } from './redirects.ts';
import { type FakeAnswer, fakeNetwork, refusal, type SentRequest, tokenFor } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';
import type { Urls } from './urls.ts';

const grant = (extra: object = {}): FakeAnswer => ({
  json: { access_token: tokenFor(600_000), refresh_token: 'r9', is_new_user: false, ...extra },
});
const authorize = 'http://gate.test/api/v1/auth/oauth/authorize';
const toAuthorize = ({ url }: SentRequest): FakeAnswer => {
  const location = new URL(url);
  location.searchParams.delete('stack_response_mode');
  return { json: { location: location.href } };
};

type Given = {
  isSignedIn?: boolean;
  sessionId?: string;
  scopes?: Record<string, string[]>;
  urls?: Partial<Urls>;
  cookies?: Record<string, string>;
};

/** An app on a page of a browser that is not there: `went` and `address` hold what the page would have done. */
function appAt(href: string, answer: (request: SentRequest) => FakeAnswer, given: Given = {}) {
  const { network, requests } = fakeNetwork(answer);
  const jar = new Map(Object.entries(given.cookies ?? {}));
  const went: string[] = [];
  const written: string[] = [];
  const page = {
    href,
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      written.push(text);
      const [pair = ''] = text.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (text.includes('Max-Age=0')) jar.delete(name);
      else jar.set(name, value);
    },
    assign: (url: string | URL) => went.push(`to ${url}`),
    replace: (url: string | URL) => went.push(`instead ${url}`),
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
  return { app, requests, page, jar, went, written, tokenStore };
}

const queryOf = (address: string | undefined) => Object.fromEntries(new URL(address?.slice(3) ?? '').searchParams);
/** Lets a call that never returns get as far as it gets. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

beforeEach(() => vi.spyOn(console, 'warn').mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

describe('leaving for a provider', () => {
  test('takes everything along that the server and the way back need', async () => {
    const { app, went, jar, written, requests } = appAt(
      'http://shop.test/handler/sign-in?after_auth_return_to=/deep&code=old',
      toAuthorize,
    );
    let hasReturned = false;
    void app.oauth.signInWithOAuth('GitHub').finally(() => {
      hasReturned = true;
    });
    await vi.waitFor(() => expect(went).toHaveLength(1));
    const { state = '', code_challenge, ...query } = queryOf(went[0]);
    expect(went[0]).toMatch(`to ${authorize}/github?`);
    expect(query).toEqual({
      client_id: 'p1',
      client_secret: 'pck_1',
      redirect_uri: 'http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep',
      scope: 'legacy',
      grant_type: 'authorization_code',
      code_challenge_method: 'S256',
      response_type: 'code',
      type: 'authenticate',
      error_redirect_url: 'http://shop.test/handler/error?after_auth_return_to=%2Fdeep',
    });
    expect(state).toMatch(/^[\w-]{43}$/);
    const verifier = jar.get(`stack-oauth-outer-${state}`) ?? '';
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(code_challenge).toBe(createHash('sha256').update(verifier).digest('base64url'));
    expect(written).toEqual([`stack-oauth-outer-${state}=${verifier}; Path=/; Max-Age=3600; SameSite=Lax`]);
    expect(requests.map(({ url }) => new URL(url).searchParams.get('stack_response_mode'))).toEqual(['json']);
    await settle();
    expect(hasReturned).toBe(false);
  });

  test('is a cookie of https alone where the page is', async () => {
    const { app, written } = appAt('https://shop.test/handler/sign-in', toAuthorize);
    void app.oauth.signInWithOAuth('google');
    await vi.waitFor(() => expect(written).toEqual([expect.stringMatching(/; Secure$/)]));
  });

  test('never uses a state or a verifier twice', async () => {
    const { app, went, jar } = appAt('http://shop.test/handler/sign-in', toAuthorize);
    for (let times = 0; times < 3; times += 1) void app.oauth.signInWithOAuth('google');
    await vi.waitFor(() => expect(went).toHaveLength(3));
    expect(new Set(jar.keys()).size).toBe(3);
    expect(new Set(jar.values()).size).toBe(3);
  });

  test('does not happen where the server refuses, or names no page of the web', async () => {
    const closed = appAt('http://shop.test/', () => refusal('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED', 400));
    await expect(closed.app.oauth.signInWithOAuth('x')).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    });
    const odd = appAt('http://shop.test/', () => ({ json: { location: 'javascript:alert(1)' } }));
    await expect(odd.app.oauth.signInWithOAuth('x')).rejects.toThrow('javascript:alert(1)');
    expect([closed.went, odd.went, [...closed.jar], [...odd.jar]]).toEqual([[], [], [], []]);
  });

  test('asks for the scopes that the app always wants', async () => {
    const scopes = { github: ['repo', 'gist'] };
    const { app, went } = appAt('http://shop.test/handler/sign-in', toAuthorize, { scopes });
    void app.oauth.signInWithOAuth('github');
    await vi.waitFor(() => expect(queryOf(went[0])).toMatchObject({ provider_scope: 'repo gist' }));
  });

  test('needs a browser', async () => {
    const { network } = fakeNetwork(toAuthorize);
    const app = createClientApp({
      ...{ baseUrl: 'http://gate.test', projectId: 'p1', publishableClientKey: 'pck_1', network },
      tokenStore: createMemoryTokenStore(),
    });
    await expect(app.oauth.signInWithOAuth('github')).rejects.toThrow('needs a browser');
    await expect(app.oauth.callOAuthCallback()).rejects.toThrow('needs a browser');
  });
});

describe('coming back', () => {
  const cookies = { 'stack-oauth-outer-s1': 'v1' };

  test('leaves the session alone that somebody had before', async () => {
    const { app, requests } = appAt('http://shop.test/cb?code=c1&state=s1', () => grant(), {
      ...{ cookies, isSignedIn: true, sessionId: 'old session' },
    });
    await app.oauth.callOAuthCallback();
    expect(requests).toHaveLength(1);
  });

  const back = 'http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep&code=c1&state=s1';

  test('takes the session for the code, once, and leaves neither in the address', async () => {
    const { app, requests, page, jar, went, tokenStore } = appAt(back, () => grant(), { cookies });
    expect(await app.oauth.callOAuthCallback()).toBe(true);
    expect(page.href).toBe('http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep');
    expect(jar.size).toBe(0);
    expect(requests).toEqual([
      {
        method: 'POST',
        url: 'http://gate.test/api/v1/auth/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: {
          grant_type: 'authorization_code',
          code: 'c1',
          redirect_uri: 'http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep',
          code_verifier: 'v1',
          client_id: 'p1',
          client_secret: 'pck_1',
        },
      },
    ]);
    expect(tokenStore.read().refreshToken).toBe('r9');
    expect(went).toEqual(['instead /deep']);
  });

  test('names the same redirect address as the start did, whatever the page was called with', async () => {
    const urls = { oauthCallback: '/cb?x=a+b&state=mine' };
    const start = appAt('http://shop.test/in?after_auth_return_to=/a%2Bb%3Fc%3D%26', toAuthorize, { urls });
    void start.app.oauth.signInWithOAuth('github');
    await vi.waitFor(() => expect(start.went).toHaveLength(1));
    const { redirect_uri = '' } = queryOf(start.went[0]);
    const answer = new URL(redirect_uri);
    for (const [name, value] of [
      ['code', 'c1'],
      ['state', 's1'],
    ] as const)
      answer.searchParams.append(name, value);
    const end = appAt(answer.href, () => grant(), { urls, cookies });
    await end.app.oauth.callOAuthCallback();
    expect(end.requests[0]?.body).toMatchObject({ redirect_uri });
  });

  test('parallel calls and later ones find nothing any more', async () => {
    const { app, requests } = appAt(back, () => grant(), { cookies });
    expect(await Promise.all([app.oauth.callOAuthCallback(), app.oauth.callOAuthCallback()])).toEqual([true, false]);
    expect(await app.oauth.callOAuthCallback()).toBe(false);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['no code', 'http://shop.test/cb?state=s1', cookies],
    ['no state', 'http://shop.test/cb?code=c1', cookies],
    ['no cookie, as in another browser', 'http://shop.test/cb?code=c1&state=s1', {}],
    ['the cookie of another attempt', 'http://shop.test/cb?code=c1&state=s2', cookies],
  ])('is nothing with %s', async (_name, href, held) => {
    const { app, requests, page, jar } = appAt(href, () => grant(), { cookies: held });
    expect(await app.oauth.callOAuthCallback()).toBe(false);
    expect([requests, page.href, jar.size]).toEqual([[], href, Object.keys(held).length]);
    expect(console.warn).toHaveBeenCalledOnce();
  });

  test('somebody new is led to where new people go', async () => {
    const urls = { afterSignIn: '/in', afterSignUp: '/welcome' };
    const href = 'http://shop.test/cb?code=c1&state=s1';
    const novel = appAt(href, () => grant({ is_new_user: true }), { cookies, urls });
    await novel.app.oauth.callOAuthCallback();
    const known = appAt(href, () => grant(), { cookies, urls });
    await known.app.oauth.callOAuthCallback();
    expect([novel.went, known.went]).toEqual([['instead /welcome'], ['instead /in']]);
  });

  test.each(['https://evil.example/x', '//evil.example', 'javascript:alert(1)', 'http://shop.test//evil.example'])(
    'is never led to %s',
    async (target) => {
      const { app, went } = appAt(back, () => grant({ after_callback_redirect_url: target }), { cookies });
      await expect(app.oauth.callOAuthCallback()).rejects.toThrow('not on this site');
      expect(went).toEqual([]);
    },
  );

  test('errors of the catalogue arrive as they are, the second factor among them; others as one sentence', async () => {
    const details = { attempt_code: 'a1' };
    const asks = appAt(back, () => refusal('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, details), { cookies });
    await expect(asks.app.oauth.callOAuthCallback()).rejects.toMatchObject({
      ...{ code: 'MULTI_FACTOR_AUTHENTICATION_REQUIRED', details },
    });
    const sentence = 'Error signing in during OAuth callback. Please try again.';
    for (const answer of [
      { status: 500, text: 'no' },
      { status: 400, json: { error: 'invalid_request' } },
      { json: {} },
      { fails: true },
    ]) {
      const { app, requests } = appAt(back, () => answer, { cookies });
      await expect(app.oauth.callOAuthCallback()).rejects.toThrow(sentence);
      expect(requests).toHaveLength(1);
    }
  });

  test.each(['iss=https%3A%2F%2Fother.example', 'error=access_denied'])('is refused with %s', async (more) => {
    const { app, requests } = appAt(`${back}&${more}`, () => grant(), { cookies });
    await expect(app.oauth.callOAuthCallback()).rejects.toThrow('Error signing in');
    expect(requests).toEqual([]);
  });

  test('takes an issuer that is the API', async () => {
    const { app } = appAt(`${back}&iss=http%3A%2F%2Fgate.test`, () => grant(), { cookies });
    expect(await app.oauth.callOAuthCallback()).toBe(true);
  });
});

describe('linking an account', () => {
  const settings = 'http://shop.test/handler/account-settings?x=1#auth';

  test('goes in the name of who is signed in, and comes back to where it began', async () => {
    const { app, went } = appAt(settings, toAuthorize, { isSignedIn: true, scopes: { github: ['repo'] } });
    void app.oauth.linkWithOAuth('github', { scopes: ['gist', 'repo'] });
    await vi.waitFor(() => expect(went).toHaveLength(1));
    const query = queryOf(went[0]);
    expect(query).toMatchObject({
      type: 'link',
      token: tokenFor(600_000),
      provider_scope: 'gist repo',
      after_callback_redirect_url: settings,
      error_redirect_url:
        'http://shop.test/handler/error?after_auth_return_to=%2Fhandler%2Faccount-settings%3Fx%3D1%23auth',
    });
    const cookies = { [`stack-oauth-outer-${query.state}`]: 'v1' };
    const href = `${query.redirect_uri}&code=c1&state=${query.state}`;
    const end = appAt(href, () => grant({ after_callback_redirect_url: settings }), { cookies });
    await end.app.oauth.callOAuthCallback();
    expect(end.went).toEqual(['instead /handler/account-settings?x=1#auth']);
    expect(end.requests[0]?.body).toMatchObject({ redirect_uri: query.redirect_uri });
    // The answer to a second factor does not say where to: the page's own address does.
    const asked = appAt(
      href,
      ({ url }) =>
        url.endsWith('/mfa/sign-in')
          ? grant()
          : refusal('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, { attempt_code: 'a1' }),
      { cookies },
    );
    const attemptCode = attemptCodeOf(await asked.app.oauth.callOAuthCallback().catch((error: unknown) => error)) ?? '';
    await leadOn(asked.app.redirects, await asked.app.auth.signInWithSecondFactor({ attemptCode, totp: '123456' }));
    expect(asked.went).toEqual(['instead /handler/account-settings?x=1#auth']);
  });

  test.each([200, 500])(
    'ends the session that the new one replaces, and goes on where that answers %d',
    async (status) => {
      const cookies = { 'stack-oauth-outer-s1': 'v1' };
      const { app, requests, went, tokenStore } = appAt(
        'http://shop.test/cb?code=c1&state=s1',
        ({ method }) => (method === 'DELETE' ? { status, json: {} } : grant({ after_callback_redirect_url: settings })),
        { cookies, isSignedIn: true, sessionId: 'old session' },
      );
      expect(await app.oauth.callOAuthCallback()).toBe(true);
      expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST http://gate.test/api/v1/auth/oauth/token',
        'DELETE http://gate.test/api/v1/auth/sessions/old%20session?user_id=me',
      ]);
      expect(requests[1]?.headers['x-stack-refresh-token']).toBe('r9');
      expect(tokenStore.read().refreshToken).toBe('r9');
      expect(went).toEqual(['instead /handler/account-settings?x=1#auth']);
    },
  );

  test('is refused by name for nobody', async () => {
    const { app, requests } = appAt(settings, () => refusal('UNPARSABLE_ACCESS_TOKEN', 401));
    await expect(app.oauth.linkWithOAuth('github')).rejects.toMatchObject({ code: 'UNPARSABLE_ACCESS_TOKEN' });
    expect(new URL(requests[0]?.url ?? '').searchParams.get('token')).toBe('');
  });
});

describe('a connected account', () => {
  const path = 'http://gate.test/api/v1/connected-accounts/me/github/access-token';
  const lacking = ['OAUTH_CONNECTION_NOT_CONNECTED_TO_USER', 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE'] as const;

  test('gives tokens of the provider for the scopes asked for', async () => {
    let number = 0;
    const answer = () => {
      number += 1;
      return { status: 201, json: { access_token: `t${number}` } };
    };
    const { app, requests } = appAt('http://shop.test/', answer, { isSignedIn: true });
    const account = await app.getConnectedAccount('GitHub', { scopes: ['repo', 'gist'] });
    expect(account?.id).toBe('github');
    expect(await account?.getAccessToken()).toEqual({ accessToken: 't2' });
    expect(requests.map(({ url, body }) => [url, body])).toEqual(Array(2).fill([path, { scope: 'repo gist' }]));
  });

  test.each(lacking)('is null, quietly, after %s', async (code) => {
    const { app, went } = appAt('http://shop.test/', () => refusal(code, 400), { isSignedIn: true });
    expect(await app.getConnectedAccount('github')).toBeNull();
    expect(went).toEqual([]);
  });

  test.each(lacking)('is asked for at the provider after %s, where the app wants that', async (code) => {
    const { app, went } = appAt(
      'http://shop.test/',
      (request) => (request.url === path ? refusal(code, 400) : toAuthorize(request)),
      { isSignedIn: true },
    );
    void app.getConnectedAccount('github', { scopes: ['gist'], or: 'redirect' });
    await vi.waitFor(() => expect(queryOf(went[0])).toMatchObject({ type: 'link', provider_scope: 'gist' }));
  });

  test('other refusals are thrown', async () => {
    const code = 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS';
    const { app } = appAt('http://shop.test/', () => refusal(code, 400), { isSignedIn: true });
    await expect(app.getConnectedAccount('github', { or: 'redirect' })).rejects.toMatchObject({ code });
  });
});
