import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  password,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);

const post = (path: string, body?: unknown, of = project) => send('POST', path, { ...of, body });
const code = expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{45}$/);

describe('anonymous sign-up', () => {
  const allowed = (is: boolean) =>
    send('PATCH', '/internal/projects/current/settings', {
      ...project,
      access: 'admin',
      body: { anonymous_sign_up_enabled: is },
    });

  test('is disabled for new projects and enabled for internal while its sign-up is open', async () => {
    expectKnown(await post('/auth/anonymous/sign-up', {}), 400, 'ANONYMOUS_ACCOUNTS_NOT_ENABLED');
    expect((await send('POST', '/auth/anonymous/sign-up', { body: {} })).status).toBe(200);
  });

  test('accepts any body or none and returns tokens', async () => {
    await allowed(true);
    for (const body of [undefined, {}, { any: 'thing' }]) {
      const answer = await post('/auth/anonymous/sign-up', body);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        access_token: expect.any(String),
        refresh_token: code,
        user_id: expect.any(String),
      });
      const me = await send('GET', '/users/me', { ...project, as: answer.body.access_token });
      expect(me.body).toMatchObject({ display_name: 'Anonymous user', is_anonymous: true, primary_email: null });
    }
    await allowed(false);
  });

  test('becomes a password sign-up with the same ID, which revokes the old tokens', async () => {
    await allowed(true);
    const nobody = (await post('/auth/anonymous/sign-up', {})).body;
    const body = { email: newEmail(), password, verification_callback_url: 'http://localhost/verify' };
    const answer = await send('POST', '/auth/password/sign-up', { ...project, as: nobody.access_token, body });
    expect(answer.body.user_id).toBe(nobody.user_id);
    const me = await send('GET', '/users/me', { ...project, as: answer.body.access_token });
    expect(me.body).toMatchObject({ display_name: null, is_anonymous: false, primary_email: body.email });
    const old = await send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': nobody.refresh_token },
    });
    expectKnown(old, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    await allowed(false);
  });

  test('can also be ended by a server, which keeps the session', async () => {
    await allowed(true);
    const nobody = (await post('/auth/anonymous/sign-up', {})).body;
    const patch = (body: unknown) => send('PATCH', `/users/${nobody.user_id}`, { ...project, access: 'server', body });
    expectSchemaError(await patch({ is_anonymous: true }), 'body.is_anonymous');
    expect((await patch({ is_anonymous: false })).body.is_anonymous).toBe(false);
    const me = await send('GET', '/users/me', { ...project, as: nobody.access_token });
    expect(me.body).toMatchObject({ id: nobody.user_id, is_anonymous: false });
    await allowed(false);
  });
});

describe('command-line login', () => {
  const start = async (body?: unknown) => (await post('/auth/cli', body)).body;

  test('returns two codes and an expiry at the start', async () => {
    const answer = await post('/auth/cli');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ polling_code: code, login_code: code, expires_at: expect.any(String) });
    expect(answer.body.polling_code).not.toBe(answer.body.login_code);
    const lifeMs = Date.parse(answer.body.expires_at) - Date.now();
    expect(lifeMs / 7_200_000).toBeCloseTo(1, 2);
    const shorter = await start({ expires_in_millis: 60_000, anon_refresh_token: 'any' });
    expect((Date.parse(shorter.expires_at) - Date.now()) / 60_000).toBeCloseTo(1, 1);
    for (const expires_in_millis of [0, -1, 86_400_001, 'soon']) {
      expectSchemaError(await post('/auth/cli', { expires_in_millis }), 'body.expires_in_millis');
    }
  });

  test('waits, is approved by a signed-in user and gets tokens once', async () => {
    const person = await signUp(send, project);
    const { polling_code, login_code } = await start({});
    const poll = () => post('/auth/cli/poll', { polling_code });
    const waiting = await poll();
    expect({ status: waiting.status, body: waiting.body }).toEqual({ status: 200, body: { status: 'waiting' } });
    const complete = await post('/auth/cli/complete', { login_code, refresh_token: person.refreshToken });
    expect({ status: complete.status, body: complete.body }).toEqual({ status: 200, body: { success: true } });
    const success = await poll();
    expect({ status: success.status, body: success.body }).toEqual({
      status: 201,
      body: { status: 'success', refresh_token: code },
    });
    const { access_token } = (
      await send('POST', '/auth/sessions/current/refresh', {
        ...project,
        headers: { 'x-stack-refresh-token': success.body.refresh_token },
      })
    ).body;
    expect((await send('GET', '/users/me', { ...project, as: access_token })).body.id).toBe(person.userId);
    const used = await poll();
    expect({ status: used.status, body: used.body }).toEqual({ status: 200, body: { status: 'used' } });
    expectPlain(await post('/auth/cli/complete', { login_code, refresh_token: person.refreshToken }), 400);
  });

  test('has a session that ends independently of the browser’s', async () => {
    const person = await signUp(send, project);
    const { polling_code, login_code } = await start({});
    await post('/auth/cli/complete', { login_code, refresh_token: person.refreshToken });
    const tool = (await post('/auth/cli/poll', { polling_code })).body.refresh_token;
    expect(tool).not.toBe(person.refreshToken);
    await send('DELETE', '/auth/sessions/current', { ...project, as: person.accessToken, body: {} });
    const refreshed = await send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': tool },
    });
    expect(refreshed.status).toBe(200);
  });

  test('rejects unknown and expired codes, other projects and unknown sessions', async () => {
    const person = await signUp(send, project);
    const { polling_code, login_code } = await start({ expires_in_millis: 60_000 });
    expectKnown(await post('/auth/cli/poll', { polling_code: 'unknown' }), 400, 'INVALID_POLLING_CODE');
    expectKnown(await post('/auth/cli/poll', { polling_code: login_code }), 400, 'INVALID_POLLING_CODE');
    const unknownToken = 'z'.repeat(45);
    const ended = await post('/auth/cli/complete', { login_code, refresh_token: unknownToken });
    expectKnown(ended, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    for (const refresh_token of [person.refreshToken, unknownToken]) {
      expectPlain(await post('/auth/cli/complete', { login_code: 'unknown', refresh_token }), 400);
    }
    const other = await createProject(send);
    const stranger = await signUp(send, other);
    expectKnown(await post('/auth/cli/poll', { polling_code }, other), 400, 'INVALID_POLLING_CODE');
    const elsewhere = await post('/auth/cli/complete', { login_code, refresh_token: stranger.refreshToken }, other);
    expectPlain(elsewhere, 400);
    expect(elsewhere.text).toContain('another project');
    api.advance(60_000);
    expect((await post('/auth/cli/poll', { polling_code })).body).toEqual({ status: 'expired' });
    expectPlain(await post('/auth/cli/complete', { login_code, refresh_token: person.refreshToken }), 400);
    expectSchemaError(await post('/auth/cli/poll', {}), 'body.polling_code is required');
    expectSchemaError(await post('/auth/cli/complete', {}), 'body.login_code', 'body.refresh_token');
    expectSchemaError(await post('/auth/cli/complete', { login_code, mode: 'complete' }), 'body.refresh_token');
    expectSchemaError(await post('/auth/cli/complete', { login_code, mode: 'other' }), 'body.mode');
  });
});

describe('command-line login of a tool with an anonymous session', () => {
  const complete = (login_code: string, mode: string, of = project) =>
    post('/auth/cli/complete', { login_code, mode }, of);
  const startAs = async (anon_refresh_token?: string) => (await post('/auth/cli', { anon_refresh_token })).body;
  const refreshed = (token: string) =>
    send('POST', '/auth/sessions/current/refresh', { ...project, headers: { 'x-stack-refresh-token': token } });

  async function signUpAnonymously() {
    const body = { anonymous_sign_up_enabled: true };
    await send('PATCH', '/internal/projects/current/settings', { ...project, access: 'admin', body });
    return (await post('/auth/anonymous/sign-up', {})).body;
  }

  test('gives the browser tokens of the anonymous user, once', async () => {
    const nobody = await signUpAnonymously();
    const { login_code } = await startAs(nobody.refresh_token);
    const check = await complete(login_code, 'check');
    expect({ status: check.status, body: check.body }).toEqual({
      status: 200,
      body: { cli_session_state: 'anonymous' },
    });
    const answers = await Promise.all([1, 2, 3].map(() => complete(login_code, 'claim-anon-session')));
    const first = answers.find(({ status }) => status === 200);
    expect(first?.body).toEqual({ access_token: expect.any(String), refresh_token: code });
    const rejected = answers.filter((answer) => answer !== first);
    for (const answer of rejected) expectPlain(answer, 400);
    const me = await send('GET', '/users/me', { ...project, as: first?.body.access_token });
    expect(me.body).toMatchObject({ id: nobody.user_id, is_anonymous: true });
    expect((await complete(login_code, 'check')).body).toEqual({ cli_session_state: 'none' });
    expect((await refreshed(nobody.refresh_token)).status).toBe(200);
  });

  test('ends with the same user, signed up in the browser', async () => {
    const nobody = await signUpAnonymously();
    const { login_code, polling_code } = await startAs(nobody.refresh_token);
    const tokens = (await complete(login_code, 'claim-anon-session')).body;
    const person = await signUp(send, { ...project, as: tokens.access_token });
    expect(person.userId).toBe(nobody.user_id);
    const done = await post('/auth/cli/complete', { login_code, refresh_token: person.refreshToken });
    expect(done.body).toEqual({ success: true });
    const tool = (await post('/auth/cli/poll', { polling_code })).body.refresh_token;
    const { access_token } = (await refreshed(tool)).body;
    expect((await send('GET', '/users/me', { ...project, as: access_token })).body.id).toBe(nobody.user_id);
    expectPlain(await complete(login_code, 'check'), 400);
    expectPlain(await complete(login_code, 'claim-anon-session'), 400);
  });

  test('has no session to hand over for any other token, or once that session has ended', async () => {
    const person = await signUp(send, project);
    for (const token of [undefined, 'unknown', person.refreshToken]) {
      const { login_code } = await startAs(token);
      expect((await complete(login_code, 'check')).body).toEqual({ cli_session_state: 'none' });
      const answer = await complete(login_code, 'claim-anon-session');
      expectPlain(answer, 400);
      expect(answer.text).toContain('No anonymous session');
    }
    const nobody = await signUpAnonymously();
    const { login_code } = await startAs(nobody.refresh_token);
    await send('DELETE', '/auth/sessions/current', { ...project, as: nobody.access_token, body: {} });
    expect((await complete(login_code, 'check')).body).toEqual({ cli_session_state: 'none' });
    expectPlain(await complete(login_code, 'claim-anon-session'), 400);
  });

  test('is rejected with an unknown or expired code and in another project', async () => {
    const nobody = await signUpAnonymously();
    const { login_code } = await startAs(nobody.refresh_token);
    const other = await createProject(send);
    for (const mode of ['check', 'claim-anon-session']) {
      expectPlain(await complete('unknown', mode), 400);
      const elsewhere = await complete(login_code, mode, other);
      expectPlain(elsewhere, 400);
      expect(elsewhere.text).toContain('another project');
    }
    api.advance(7_200_000);
    for (const mode of ['check', 'claim-anon-session']) expectPlain(await complete(login_code, mode), 400);
  });
});
