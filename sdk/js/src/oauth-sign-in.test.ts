import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClientApp } from './client-app.ts';
import { appAt, authorize, grant, queryOf, toAuthorize } from './testing/oauth-app.ts';
import { fakeNetwork, rejection } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

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
      redirect_uri: 'http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep',
      code_challenge_method: 'S256',
      type: 'authenticate',
      error_redirect_uri: 'http://shop.test/handler/error?after_auth_return_to=%2Fdeep',
    });
    expect(state).toMatch(/^[\w-]{43}$/);
    const verifier = jar.get(`stack-oauth-outer-${state}`) ?? '';
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(code_challenge).toBe(createHash('sha256').update(verifier).digest('base64url'));
    expect(written).toEqual([`stack-oauth-outer-${state}=${verifier}; Path=/; Max-Age=3600; SameSite=Lax`]);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${authorize}/github`]);
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

  test('does not happen where the server rejects, or names no page of the web', async () => {
    const closed = appAt('http://shop.test/', () => rejection('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED', 400));
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
    const asks = appAt(back, () => rejection('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, details), { cookies });
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

  test.each(['iss=https%3A%2F%2Fother.example', 'error=access_denied'])('is rejected with %s', async (more) => {
    const { app, requests } = appAt(`${back}&${more}`, () => grant(), { cookies });
    await expect(app.oauth.callOAuthCallback()).rejects.toThrow('Error signing in');
    expect(requests).toEqual([]);
  });

  test('takes an issuer that is the API', async () => {
    const { app } = appAt(`${back}&iss=http%3A%2F%2Fgate.test`, () => grant(), { cookies });
    expect(await app.oauth.callOAuthCallback()).toBe(true);
  });
});
