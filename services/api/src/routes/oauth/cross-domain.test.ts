import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { browserOf, challenge } from '../../testing/oauth.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  type SignedIn,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send, {
  config: { domains: [{ domain: 'https://shop.example', handler_path: '/handler' }] },
});
const { redeem } = browserOf(api, project);

const redirectUri = 'https://shop.example/handler/oauth-callback?hexclave_cross_domain_auth=1&x=a+b';
const after = 'https://shop.example/orders?page=2';
const request = {
  redirect_uri: redirectUri,
  state: 'state of the shop',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  after_callback_redirect_url: after,
};
const authorize = ({ accessToken: as, refreshToken }: SignedIn, changes: object = {}) =>
  send('POST', '/auth/oauth/cross-domain/authorize', {
    ...project,
    as,
    headers: { 'x-stack-refresh-token': refreshToken },
    body: { ...request, ...changes },
  });
async function codeOf(user: SignedIn, changes: object = {}): Promise<string> {
  const answer = await authorize(user, changes);
  expect(answer.status).toBe(200);
  return new URL(answer.body.redirect_url).searchParams.get('code') ?? '';
}
const exchange = (code: string, changes: Record<string, string | undefined> = {}) =>
  redeem(code, { redirect_uri: redirectUri, ...changes });

describe('a code for another domain', () => {
  test('gives the same session there', async () => {
    const user = await signUp(send, project);
    const { status, body } = await authorize(user);
    expect([status, Object.keys(body)]).toEqual([200, ['redirect_url']]);
    const location = new URL(body.redirect_url);
    const code = location.searchParams.get('code') ?? '';
    expect(code).toMatch(/^cd_[0-9a-f]{64}$/);
    expect(location.searchParams.get('state')).toBe(request.state);
    // What the published client does with the address of its page.
    for (const name of ['code', 'state']) location.searchParams.delete(name);
    const tokens = await exchange(code, { redirect_uri: location.href });
    expect([tokens.status, tokens.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(tokens.body).toEqual({
      access_token: expect.any(String),
      refresh_token: user.refreshToken,
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'legacy',
      is_new_user: false,
      newUser: false,
      after_callback_redirect_url: after,
      afterCallbackRedirectUrl: after,
    });
    const sessionOf = (token: string) => decodeJwt(token).refresh_token_id;
    expect(sessionOf(tokens.body.access_token)).toBe(sessionOf(user.accessToken));
    const as = tokens.body.access_token;
    await send('DELETE', '/auth/sessions/current', { ...project, as, body: {} });
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).body.code).toBe(
      'ACCESS_TOKEN_EXPIRED',
    );
  });

  test('stays in the form that a client builds from its address', async () => {
    const user = await signUp(send, project);
    const raw = 'https://shop.example/cb?name=a%20b&code=old#there';
    const location = new URL((await authorize(user, { redirect_uri: raw })).body.redirect_url);
    const code = location.searchParams.get('code') ?? '';
    for (const name of ['code', 'state']) location.searchParams.delete(name);
    expect(location.href).toBe('https://shop.example/cb?name=a+b');
    expect((await exchange(code, { redirect_uri: location.href })).status).toBe(200);
  });

  test('works once; the second time ends the session', async () => {
    const user = await signUp(send, project);
    const code = await codeOf(user);
    expect((await exchange(code)).status).toBe(200);
    expectKnown(await exchange(code, { code_verifier: 'w'.repeat(43) }), 400, 'INVALID_AUTHORIZATION_CODE');
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).status).toBe(200);
    expectKnown(await exchange(code), 400, 'INVALID_AUTHORIZATION_CODE');
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).status).toBe(401);
  });

  test('gives one of many concurrent requests the tokens', async () => {
    const code = await codeOf(await signUp(send, project));
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('ends with the session, and after two minutes', async () => {
    const user = await signUp(send, project);
    const [signedOut, late] = [await codeOf(user), await codeOf(await signUp(send, project))];
    await send('DELETE', '/auth/sessions/current', { ...project, as: user.accessToken, body: {} });
    expectKnown(await exchange(signedOut), 400, 'INVALID_AUTHORIZATION_CODE');
    api.advance(2 * 60_000);
    expectKnown(await exchange(late), 400, 'INVALID_AUTHORIZATION_CODE');
  });

  test('needs its verifier, its redirect URI and its project', async () => {
    const code = await codeOf(await signUp(send, project));
    for (const code_verifier of [undefined, 'w'.repeat(43)]) {
      expectKnown(
        await exchange(code, { code_verifier, client_secret: project.keys.client }),
        400,
        'INVALID_AUTHORIZATION_CODE',
      );
    }
    const other = await createProject(send);
    const stranger = { client_id: other.projectId, client_secret: other.keys.client };
    expectKnown(await exchange(code, stranger), 400, 'INVALID_AUTHORIZATION_CODE');
    expect((await exchange(code, { redirect_uri: undefined })).body.error).toBe('invalid_request');
    expectKnown(await exchange(`cd_${'0'.repeat(64)}`), 400, 'INVALID_AUTHORIZATION_CODE');
    expectKnown(await exchange(code, { redirect_uri: 'https://shop.example/' }), 400, 'REDIRECT_URL_NOT_WHITELISTED');
    expectKnown(await exchange(code), 400, 'INVALID_AUTHORIZATION_CODE');
  });

  test('is stored without the refresh token in clear text', async () => {
    const user = await signUp(send, project);
    const before = await api.deps.store.head();
    const code = await codeOf(user);
    const events = await api.deps.store.readAll(before, 100);
    expect(events.map(({ type }) => type)).toEqual(['CodeIssued']);
    const text = JSON.stringify(events, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).toContain('encryptedPayload');
    for (const secret of [user.refreshToken, code]) expect(text).not.toContain(secret);
  });
});

describe('asking for a code', () => {
  test('needs a signed-in user and the refresh token of the same session', async () => {
    const [user, other] = [await signUp(send, project), await signUp(send, project)];
    const call = { ...project, body: request };
    const headers = { 'x-stack-refresh-token': user.refreshToken };
    const path = '/auth/oauth/cross-domain/authorize';
    expectKnown(await send('POST', path, { ...call, headers }), 401, 'USER_AUTHENTICATION_REQUIRED');
    expectSchemaError(await send('POST', path, { ...call, as: user.accessToken }), 'x-stack-refresh-token');
    const mixed = { ...user, refreshToken: other.refreshToken };
    expectKnown(await authorize(mixed), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });

  test('is not for impersonators', async () => {
    const user = await signUp(send, project);
    const body = { user_id: user.userId, is_impersonation: true };
    const session = (await send('POST', '/auth/sessions', { ...project, access: 'server', body })).body;
    const impersonator = { ...user, accessToken: session.access_token, refreshToken: session.refresh_token };
    expectPlain(await authorize(impersonator), 403);
  });

  test('takes only S256 and URLs of the project', async () => {
    const user = await signUp(send, project);
    expectSchemaError(await authorize(user, { code_challenge_method: 'plain' }), 'code_challenge_method');
    expectSchemaError(await authorize(user, { code_challenge: 'short' }), 'code_challenge');
    expect((await authorize(user, { after_callback_redirect_url: '/orders' })).status).toBe(200);
    for (const url of ['https://evil.example/', '//evil.example/', '/\\evil.example/', 'javascript:alert(1)']) {
      const answer = await authorize(user, { after_callback_redirect_url: url });
      expectKnown(answer, 400, 'REDIRECT_URL_NOT_WHITELISTED');
    }
    expectKnown(await authorize(user, { redirect_uri: 'https://evil.example/' }), 400, 'REDIRECT_URL_NOT_WHITELISTED');
  });
});
