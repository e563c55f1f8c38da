import { describe, expect, test } from 'vitest';
import { challenge, newPerson, projectsOf, redirectUri } from '../../testing/oauth.ts';
import { changeConfig, expectKnown } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const projectWith = projectsOf(api);

describe('the authorization code', () => {
  test('can be redeemed once, only with the verifier', async () => {
    const { codeFor, redeem } = await projectWith();
    const code = await codeFor('google', newPerson());
    expect(code).toMatch(/^[0-9a-f]{64}$/);
    for (const code_verifier of ['wrong', challenge, undefined]) {
      expectKnown(await redeem(code, { code_verifier }), 400, 'INVALID_AUTHORIZATION_CODE');
    }
    const answer = await redeem(code, { client_secret: undefined });
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expectKnown(await redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
  });

  test('revokes its tokens when it is redeemed twice (RFC 6749 §4.1.2)', async () => {
    const { codeFor, redeem, project } = await projectWith();
    const code = await codeFor('google', newPerson());
    const { access_token: as, refresh_token } = (await redeem(code)).body;
    expect((await send('GET', '/users/me', { ...project, as })).status).toBe(200);
    expectKnown(await redeem(code, { code_verifier: 'wrong' }), 400, 'INVALID_AUTHORIZATION_CODE');
    expect((await send('GET', '/users/me', { ...project, as })).status).toBe(200);
    expectKnown(await redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
    expect((await send('GET', '/users/me', { ...project, as })).body.code).toBe('ACCESS_TOKEN_EXPIRED');
    const headers = { 'x-stack-refresh-token': refresh_token };
    const refreshed = await send('POST', '/auth/sessions/current/refresh', { ...project, headers });
    expectKnown(refreshed, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });

  test('gives tokens to one of many concurrent requests', async () => {
    const { codeFor, redeem } = await projectWith();
    const code = await codeFor('google', newPerson());
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'INVALID_AUTHORIZATION_CODE')).toHaveLength(19);
  });

  test('belongs to one project and expires after five minutes', async () => {
    const { codeFor, redeem } = await projectWith();
    const other = await projectWith();
    const code = await codeFor('google', newPerson());
    expectKnown(await other.redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
    api.advance(5 * 60_000);
    expectKnown(await redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
    expectKnown(await redeem('0'.repeat(64)), 400, 'INVALID_AUTHORIZATION_CODE');
    expectKnown(await redeem(code, { client_secret: 'wrong' }), 400, 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', {
      client_id: null,
    });
  });

  test('can only be redeemed with the redirect URL it was sent to', async () => {
    const { codeFor, redeem } = await projectWith();
    const redirect_uri = `${redirectUri}#here`;
    const code = await codeFor('google', newPerson(), { redirect_uri });
    for (const missing of [undefined, 'nowhere']) {
      const answer = await redeem(code, { redirect_uri: missing });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'invalid_request', error_description: expect.any(String) },
      ]);
    }
    expect((await redeem(code)).status).toBe(200);
    const second = await codeFor('google', newPerson());
    expectKnown(await redeem(second, { redirect_uri: `${redirectUri}/x` }), 400, 'REDIRECT_URL_NOT_WHITELISTED');
    expectKnown(await redeem(second), 400, 'INVALID_AUTHORIZATION_CODE');
    for (const malformed of [undefined, '', 'ä']) {
      expect((await redeem(malformed ?? '', { code: malformed })).body.error).toBe('invalid_request');
    }
  });

  test('requires the second factor', async () => {
    const { codeFor, redeem, signIn, project } = await projectWith();
    const account = newPerson();
    const { access_token: as } = await signIn('google', account);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    const code = await codeFor('google', account);
    const secret = Buffer.alloc(20, 1).toString('base64');
    await send('PATCH', `/users/${id}`, { ...project, access: 'server', body: { totp_secret_base64: secret } });
    const attempt = await redeem(code);
    expectKnown(attempt, 400, 'MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: expect.any(String) });
    await send('PATCH', `/users/${id}`, { ...project, access: 'server', body: { totp_secret_base64: null } });
    expect((await signIn('google', account)).is_new_user).toBe(false);
  });

  test('is invalid after the user’s sessions were ended', async () => {
    const { codeFor, redeem, signIn, project } = await projectWith();
    const account = newPerson();
    const { access_token: as } = await signIn('google', account);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    const code = await codeFor('google', account);
    await send('PATCH', `/users/${id}`, { ...project, access: 'server', body: { password: null } });
    expectKnown(await redeem(code), 400, 'INVALID_AUTHORIZATION_CODE');
  });

  test('creates no user once sign-up is closed', async () => {
    const { codeFor, redeem, project } = await projectWith();
    const code = await codeFor('google', newPerson());
    await changeConfig(send, project, { sign_up_enabled: false });
    expectKnown(await redeem(code), 400, 'SIGN_UP_NOT_ENABLED');
    await changeConfig(send, project, { sign_up_enabled: true });
    expect((await redeem(code)).status).toBe(200);
  });
});
