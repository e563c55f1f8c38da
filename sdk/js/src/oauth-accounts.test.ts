import { describe, expect, test, vi } from 'vitest';
import { attemptCodeOf } from './auth/second-factor.ts';
import { continueAfterSignIn } from './redirects.ts';
import { appAt, grant, queryOf, toAuthorize } from './testing/oauth-app.ts';
import { rejection, tokenFor } from './testing.ts';

describe('linking an account', () => {
  const settings = 'http://shop.test/handler/account-settings?x=1#auth';

  test('uses the session of the signed-in user and returns to the page where it began', async () => {
    const { app, visited, requests } = appAt(settings, toAuthorize, { isSignedIn: true, scopes: { github: ['repo'] } });
    void app.oauth.linkWithOAuth('github', { scopes: ['gist', 'repo'] });
    await vi.waitFor(() => expect(visited).toHaveLength(1));
    const query = queryOf(visited[0]);
    expect(query).toMatchObject({
      type: 'link',
      provider_scope: 'gist repo',
      after_callback_redirect_url: settings,
      error_redirect_uri:
        'http://shop.test/handler/error?after_auth_return_to=%2Fhandler%2Faccount-settings%3Fx%3D1%23auth',
    });
    // In a header, because URLs end up in histories and logs.
    expect(requests[0]?.headers['x-stack-access-token']).toBe(tokenFor(600_000));
    expect([requests[0]?.url, visited[0]].join()).not.toContain(tokenFor(600_000));
    const cookies = { [`stack-oauth-outer-${query.state}`]: 'v1' };
    const href = `${query.redirect_uri}&code=c1&state=${query.state}`;
    const end = appAt(href, () => grant({ after_callback_redirect_url: settings }), { cookies });
    await end.app.oauth.callOAuthCallback();
    expect(end.visited).toEqual(['replace /handler/account-settings?x=1#auth']);
    expect(end.requests[0]?.body).toMatchObject({ redirect_uri: query.redirect_uri });
    // The second factor's response has no return target; the page's URL has one.
    const asked = appAt(
      href,
      ({ url }) =>
        url.endsWith('/mfa/sign-in')
          ? grant()
          : rejection('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, { attempt_code: 'a1' }),
      { cookies },
    );
    const attemptCode = attemptCodeOf(await asked.app.oauth.callOAuthCallback().catch((error: unknown) => error)) ?? '';
    await continueAfterSignIn(
      asked.app.redirects,
      await asked.app.auth.signInWithSecondFactor({ attemptCode, totp: '123456' }),
    );
    expect(asked.visited).toEqual(['replace /handler/account-settings?x=1#auth']);
  });

  test.each([200, 500])('ends the previous session and continues if that returns %d', async (status) => {
    const cookies = { 'stack-oauth-outer-s1': 'v1' };
    const { app, requests, visited, tokenStore } = appAt(
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
    expect(visited).toEqual(['replace /handler/account-settings?x=1#auth']);
  });

  test('is rejected without a signed-in user', async () => {
    const { app, requests } = appAt(settings, () => rejection('USER_AUTHENTICATION_REQUIRED', 401));
    await expect(app.oauth.linkWithOAuth('github')).rejects.toMatchObject({ code: 'USER_AUTHENTICATION_REQUIRED' });
    expect(requests[0]?.headers['x-stack-access-token']).toBeUndefined();
  });
});

describe('a connected account', () => {
  const path = 'http://gate.test/api/v1/connected-accounts/me/github/access-token';
  const lacking = ['OAUTH_CONNECTION_NOT_CONNECTED_TO_USER', 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE'] as const;

  test('returns provider tokens for the requested scopes', async () => {
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

  test.each(lacking)('is null after %s', async (code) => {
    const { app, visited } = appAt('http://shop.test/', () => rejection(code, 400), { isSignedIn: true });
    expect(await app.getConnectedAccount('github')).toBeNull();
    expect(visited).toEqual([]);
  });

  test.each(lacking)('redirects to the provider after %s if requested', async (code) => {
    const { app, visited } = appAt(
      'http://shop.test/',
      (request) => (request.url === path ? rejection(code, 400) : toAuthorize(request)),
      { isSignedIn: true },
    );
    void app.getConnectedAccount('github', { scopes: ['gist'], or: 'redirect' });
    await vi.waitFor(() => expect(queryOf(visited[0])).toMatchObject({ type: 'link', provider_scope: 'gist' }));
  });

  test('throws other errors', async () => {
    const code = 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS';
    const { app } = appAt('http://shop.test/', () => rejection(code, 400), { isSignedIn: true });
    await expect(app.getConnectedAccount('github', { or: 'redirect' })).rejects.toMatchObject({ code });
  });
});
