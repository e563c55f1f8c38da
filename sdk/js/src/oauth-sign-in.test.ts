import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClientApp } from './client-app.ts';
import { appAt, authorize, grant, queryOf, toAuthorize } from './testing/oauth-app.ts';
import { fakeNetwork, rejection } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

/** Runs a call that never resolves. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

beforeEach(() => vi.spyOn(console, 'warn').mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

describe('signInWithOAuth', () => {
  test('sends everything that the server and the callback need', async () => {
    const { app, visited, browserCookies, writtenCookies, requests } = appAt(
      'http://shop.test/handler/sign-in?after_auth_return_to=/deep&code=old',
      toAuthorize,
    );
    let hasReturned = false;
    void app.oauth.signInWithOAuth('GitHub').finally(() => {
      hasReturned = true;
    });
    await vi.waitFor(() => expect(visited).toHaveLength(1));
    const { state = '', code_challenge, ...query } = queryOf(visited[0]);
    expect(visited[0]).toMatch(`to ${authorize}/github?`);
    expect(query).toEqual({
      redirect_uri: 'http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep',
      code_challenge_method: 'S256',
      type: 'authenticate',
      error_redirect_uri: 'http://shop.test/handler/error?after_auth_return_to=%2Fdeep',
    });
    expect(state).toMatch(/^[\w-]{43}$/);
    const verifier = browserCookies.get(`stack-oauth-outer-${state}`) ?? '';
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(code_challenge).toBe(createHash('sha256').update(verifier).digest('base64url'));
    expect(writtenCookies).toEqual([`stack-oauth-outer-${state}=${verifier}; Path=/; Max-Age=3600; SameSite=Lax`]);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${authorize}/github`]);
    await settle();
    expect(hasReturned).toBe(false);
  });

  test('sets a Secure cookie on an HTTPS page', async () => {
    const { app, writtenCookies } = appAt('https://shop.test/handler/sign-in', toAuthorize);
    void app.oauth.signInWithOAuth('google');
    await vi.waitFor(() => expect(writtenCookies).toEqual([expect.stringMatching(/; Secure$/)]));
  });

  test('never uses a state or a verifier twice', async () => {
    const { app, visited, browserCookies } = appAt('http://shop.test/handler/sign-in', toAuthorize);
    for (let times = 0; times < 3; times += 1) void app.oauth.signInWithOAuth('google');
    await vi.waitFor(() => expect(visited).toHaveLength(3));
    expect(new Set(browserCookies.keys()).size).toBe(3);
    expect(new Set(browserCookies.values()).size).toBe(3);
  });

  test('does not redirect if the server rejects or returns a URL that is not HTTP', async () => {
    const closed = appAt('http://shop.test/', () => rejection('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED', 400));
    await expect(closed.app.oauth.signInWithOAuth('x')).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    });
    const odd = appAt('http://shop.test/', () => ({ json: { location: 'javascript:alert(1)' } }));
    await expect(odd.app.oauth.signInWithOAuth('x')).rejects.toThrow('javascript:alert(1)');
    expect([closed.visited, odd.visited, [...closed.browserCookies], [...odd.browserCookies]]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  test("requests the app's scopes", async () => {
    const scopes = { github: ['repo', 'gist'] };
    const { app, visited } = appAt('http://shop.test/handler/sign-in', toAuthorize, { scopes });
    void app.oauth.signInWithOAuth('github');
    await vi.waitFor(() => expect(queryOf(visited[0])).toMatchObject({ provider_scope: 'repo gist' }));
  });

  test('needs a browser', async () => {
    const { network } = fakeNetwork(toAuthorize);
    const app = createClientApp({
      baseUrl: 'http://gate.test',
      projectId: 'p1',
      publishableClientKey: 'pck_1',
      network,
      tokenStore: createMemoryTokenStore(),
    });
    await expect(app.oauth.signInWithOAuth('github')).rejects.toThrow('needs a browser');
    await expect(app.oauth.callOAuthCallback()).rejects.toThrow('needs a browser');
  });
});

describe('finishOAuth', () => {
  const cookies = { 'stack-oauth-outer-s1': 'v1' };

  test('does not end the previous session', async () => {
    const { app, requests } = appAt('http://shop.test/cb?code=c1&state=s1', () => grant(), {
      cookies,
      isSignedIn: true,
      sessionId: 'old session',
    });
    await app.oauth.callOAuthCallback();
    expect(requests).toHaveLength(1);
  });

  const back = 'http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep&code=c1&state=s1';

  test('redeems the code once and removes code and state from the URL', async () => {
    const { app, requests, page, browserCookies, visited, tokenStore } = appAt(back, () => grant(), { cookies });
    expect(await app.oauth.callOAuthCallback()).toBe(true);
    expect(page.href).toBe('http://shop.test/handler/oauth-callback?after_auth_return_to=%2Fdeep');
    expect(browserCookies.size).toBe(0);
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
    expect(visited).toEqual(['replace /deep']);
  });

  test("sends the same redirect URL as at the start, whatever the page's query is", async () => {
    const urls = { oauthCallback: '/cb?x=a+b&state=mine' };
    const start = appAt('http://shop.test/in?after_auth_return_to=/a%2Bb%3Fc%3D%26', toAuthorize, { urls });
    void start.app.oauth.signInWithOAuth('github');
    await vi.waitFor(() => expect(start.visited).toHaveLength(1));
    const { redirect_uri = '' } = queryOf(start.visited[0]);
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

  test('returns null for concurrent and later calls', async () => {
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
  ])('is nothing with %s', async (_name, href, given) => {
    const { app, requests, page, browserCookies } = appAt(href, () => grant(), { cookies: given });
    expect(await app.oauth.callOAuthCallback()).toBe(false);
    expect([requests, page.href, browserCookies.size]).toEqual([[], href, Object.keys(given).length]);
    expect(console.warn).toHaveBeenCalledOnce();
  });

  test('redirects new users to afterSignUp', async () => {
    const urls = { afterSignIn: '/in', afterSignUp: '/welcome' };
    const href = 'http://shop.test/cb?code=c1&state=s1';
    const novel = appAt(href, () => grant({ is_new_user: true }), { cookies, urls });
    await novel.app.oauth.callOAuthCallback();
    const known = appAt(href, () => grant(), { cookies, urls });
    await known.app.oauth.callOAuthCallback();
    expect([novel.visited, known.visited]).toEqual([['replace /welcome'], ['replace /in']]);
  });

  test.each(['https://evil.example/x', '//evil.example', 'javascript:alert(1)', 'http://shop.test//evil.example'])(
    'never redirects to %s',
    async (target) => {
      const { app, visited } = appAt(back, () => grant({ after_callback_redirect_url: target }), { cookies });
      await expect(app.oauth.callOAuthCallback()).rejects.toThrow('not on this site');
      expect(visited).toEqual([]);
    },
  );

  test('throws known errors unchanged and other errors with one message', async () => {
    const details = { attempt_code: 'a1' };
    const asks = appAt(back, () => rejection('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, details), { cookies });
    await expect(asks.app.oauth.callOAuthCallback()).rejects.toMatchObject({
      code: 'MULTI_FACTOR_AUTHENTICATION_REQUIRED',
      details,
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

  test('accepts the API as the issuer', async () => {
    const { app } = appAt(`${back}&iss=http%3A%2F%2Fgate.test`, () => grant(), { cookies });
    expect(await app.oauth.callOAuthCallback()).toBe(true);
  });
});
