import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import {
  changeConfig,
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  type OwnedProject,
  password,
  type Send,
  senderOf,
  signUp,
} from '../../testing/requests.ts';

let api: TestApi;
let send: Send;
let project: OwnedProject;

beforeAll(async () => {
  api = await startTestApi();
  send = senderOf(api);
  project = await createProject(send);
});
afterAll(() => api.close());

const verification_callback_url = 'http://localhost/verify';
const configured = (config: Record<string, unknown>) => changeConfig(send, project, config);

/** Runs `work` with other switches, and sets them back. */
async function withConfig(config: Record<string, unknown>, work: () => Promise<void>): Promise<void> {
  const before = (await configured(config)).body.config;
  expect(before).toMatchObject(config);
  await work();
  await configured({ sign_up_enabled: true, credential_enabled: true });
}

describe('password sign-up', () => {
  const path = '/auth/password/sign-up';
  const signUpWith = (body: Record<string, unknown>) =>
    send('POST', path, { ...project, body: { email: newEmail(), password, verification_callback_url, ...body } });

  test.each(['client', 'server', 'admin'] as const)('makes a user and signs in, as %s', async (access) => {
    const body = { email: newEmail(), password, verification_callback_url };
    const answer = await send('POST', path, { ...project, access, body });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{45}$/),
      user_id: expect.any(String),
    });
    const me = await send('GET', '/users/me', { ...project, as: answer.body.access_token });
    expect(me.body).toEqual({
      id: answer.body.user_id,
      display_name: null,
      primary_email: body.email,
      primary_email_verified: false,
      profile_image_url: null,
      signed_up_at_millis: expect.any(Number),
      has_password: true,
      otp_auth_enabled: false,
      passkey_auth_enabled: false,
      auth_with_email: true,
      requires_totp_mfa: false,
      is_anonymous: false,
      client_metadata: null,
      client_read_only_metadata: null,
      oauth_providers: [],
      selected_team_id: null,
      selected_team: null,
    });
  });

  test('the access token carries the claims of both generations', async () => {
    const user = await signUp(send, project);
    const claims = JSON.parse(Buffer.from(user.accessToken.split('.')[1] ?? '', 'base64url').toString());
    const [session] = (await send('GET', '/auth/sessions?user_id=me', { ...project, as: user.accessToken })).body.items;
    expect(claims).toEqual({
      iss: `http://localhost:8102/api/v1/projects/${project.projectId}`,
      aud: project.projectId,
      sub: user.userId,
      branchId: 'main',
      refreshTokenId: session.id,
      role: 'authenticated',
      iat: expect.any(Number),
      exp: claims.iat + 600,
      project_id: project.projectId,
      branch_id: 'main',
      refresh_token_id: session.id,
      name: null,
      email: user.email,
      email_verified: false,
      selected_team_id: null,
      is_anonymous: false,
      is_restricted: false,
      restricted_reason: null,
      requires_totp_mfa: false,
      signed_up_at: expect.any(Number),
    });
  });

  test('an address can sign up once, however it is written', async () => {
    const { email } = await signUp(send, project);
    for (const same of [email, email.toUpperCase()]) {
      expectKnown(await signUpWith({ email: same }), 409, 'USER_EMAIL_ALREADY_EXISTS', { email: same });
    }
  });

  test('the length of a password has errors of its own', async () => {
    expectKnown(await signUpWith({ password: '1234567' }), 400, 'PASSWORD_TOO_SHORT', { min_length: 8 });
    expectKnown(await signUpWith({ password: 'x'.repeat(71) }), 400, 'PASSWORD_TOO_LONG', { maxLength: 70 });
    expect((await signUpWith({ password: 'ü'.repeat(70) })).status).toBe(200);
  });

  test('all faults of the body are told at once', async () => {
    const answer = await send('POST', path, { ...project, body: { email: 'a@localhost', password: null, extra: 1 } });
    expectSchemaError(
      answer,
      'POST /api/v1/auth/password/sign-up',
      'body.email',
      'body.password',
      'body.verification_callback_url is required',
      'unknown fields: extra',
    );
    expectSchemaError(await send('POST', path, project), 'body is required');
  });

  test('both switches of the project are asked, the method first', async () => {
    await withConfig({ credential_enabled: false, sign_up_enabled: false }, async () => {
      expectKnown(await signUpWith({ password: 'x' }), 400, 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    });
    await withConfig({ sign_up_enabled: false }, async () => {
      expectKnown(await signUpWith({ password: 'x' }), 400, 'PASSWORD_TOO_SHORT', { min_length: 8 });
      expectKnown(await signUpWith({}), 400, 'SIGN_UP_NOT_ENABLED');
    });
  });

  test('of many who sign up with one address at once, one succeeds', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 10 }, () => signUpWith({ email })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });
});

describe('password sign-in', () => {
  const path = '/auth/password/sign-in';

  test.each(['client', 'server', 'admin'] as const)('starts a session of its own, as %s', async (access) => {
    const user = await signUp(send, project);
    const answer = await send('POST', path, {
      ...project,
      access,
      body: { email: user.email.toUpperCase(), password },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      user_id: user.userId,
    });
    expect(answer.body.refresh_token).not.toBe(user.refreshToken);
    const { items } = (await send('GET', '/auth/sessions?user_id=me', { ...project, as: user.accessToken })).body;
    expect(items).toHaveLength(2);
  });

  test('does not tell a wrong address from a wrong password', async () => {
    const { email } = await signUp(send, project);
    for (const body of [
      { email, password: 'wrong password' },
      { email, password: 'x'.repeat(200) },
      { email: newEmail(), password },
    ]) {
      const answer = await send('POST', path, { ...project, body });
      expectKnown(answer, 400, 'EMAIL_PASSWORD_MISMATCH');
    }
  });

  test('a user of another project is nobody here', async () => {
    const { email } = await signUp(send);
    expectKnown(await send('POST', path, { ...project, body: { email, password } }), 400, 'EMAIL_PASSWORD_MISMATCH');
  });

  test('the method can be off; sign-up being off does not matter', async () => {
    const { email } = await signUp(send, project);
    const body = { email, password };
    await withConfig({ credential_enabled: false }, async () => {
      expectKnown(await send('POST', path, { ...project, body }), 400, 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    });
    await withConfig({ sign_up_enabled: false }, async () => {
      expect((await send('POST', path, { ...project, body })).status).toBe(200);
    });
  });

  test('malformed requests', async () => {
    expectSchemaError(
      await send('POST', path, { ...project, body: { email: 'no address' } }),
      'body.email',
      'body.password is required',
    );
  });
});

describe('password set', () => {
  const path = '/auth/password/set';

  async function userWithoutPassword() {
    const email = newEmail();
    const created = await send('POST', '/users', {
      ...project,
      access: 'server',
      body: { primary_email: email, primary_email_auth_enabled: true },
    });
    const session = await send('POST', '/auth/sessions', {
      ...project,
      access: 'server',
      body: { user_id: created.body.id },
    });
    return { email, accessToken: session.body.access_token as string };
  }

  test('gives the first password; the session stays', async () => {
    const { email, accessToken } = await userWithoutPassword();
    const answer = await send('POST', path, { ...project, as: accessToken, body: { password } });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect((await send('GET', '/users/me', { ...project, as: accessToken })).body.has_password).toBe(true);
    const signIn = await send('POST', '/auth/password/sign-in', { ...project, body: { email, password } });
    expect(signIn.status).toBe(200);
  });

  test('is refused to somebody who has one', async () => {
    const user = await signUp(send, project);
    expectPlain(await send('POST', path, { ...project, as: user.accessToken, body: { password } }), 400);
  });

  test('needs a signed-in user, the method and a fitting length', async () => {
    const { accessToken: as } = await userWithoutPassword();
    expectSchemaError(await send('POST', path, { ...project, body: {} }), 'auth.user', 'body.password is required');
    expectKnown(await send('POST', path, { ...project, as, body: { password: 'x' } }), 400, 'PASSWORD_TOO_SHORT', {
      min_length: 8,
    });
    expectKnown(
      await send('POST', path, { ...project, as, body: { password: 'x'.repeat(71) } }),
      400,
      'PASSWORD_TOO_LONG',
      { maxLength: 70 },
    );
    await withConfig({ credential_enabled: false }, async () => {
      const answer = await send('POST', path, { ...project, as, body: { password: 'x' } });
      expectKnown(answer, 400, 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    });
  });
});

describe('password update', () => {
  const path = '/auth/password/update';
  const new_password = 'another password';

  test('ends all sessions but the one of the sent refresh token', async () => {
    const user = await signUp(send, project);
    const other = await send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password } });
    const answer = await send('POST', path, {
      ...project,
      as: user.accessToken,
      headers: { 'x-stack-refresh-token': user.refreshToken },
      body: { old_password: password, new_password },
    });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).status).toBe(200);
    const ended = await send('GET', '/users/me', { ...project, as: other.body.access_token });
    expect(ended.body.code).toBe('ACCESS_TOKEN_EXPIRED');
    const signIn = (secret: string) =>
      send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password: secret } });
    expect((await signIn(password)).body.code).toBe('EMAIL_PASSWORD_MISMATCH');
    expect((await signIn(new_password)).status).toBe(200);
  });

  test('without the header, or with somebody else’s token, all sessions end', async () => {
    const stranger = await signUp(send, project);
    const sent: Record<string, string>[] = [{}, { 'x-stack-refresh-token': stranger.refreshToken }];
    for (const headers of sent) {
      const user = await signUp(send, project);
      const body = { old_password: password, new_password };
      expect((await send('POST', path, { ...project, as: user.accessToken, headers, body })).status).toBe(200);
      const after = await send('GET', '/users/me', { ...project, as: user.accessToken });
      expect(after.body.code).toBe('ACCESS_TOKEN_EXPIRED');
    }
    expect((await send('GET', '/users/me', { ...project, as: stranger.accessToken })).status).toBe(200);
  });

  test('the refusals, in their order', async () => {
    const user = await signUp(send, project);
    const update = (body: unknown, as: string | undefined = user.accessToken) =>
      send('POST', path, { ...project, ...(as ? { as } : {}), body });
    expectSchemaError(
      await send('POST', path, { ...project, body: {} }),
      'auth.user',
      'body.old_password',
      'body.new_password',
    );
    await withConfig({ credential_enabled: false }, async () => {
      const answer = await update({ old_password: 'wrong', new_password: 'x' });
      expectKnown(answer, 400, 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    });
    expectKnown(await update({ old_password: 'wrong', new_password: 'x' }), 400, 'PASSWORD_TOO_SHORT', {
      min_length: 8,
    });
    expectKnown(await update({ old_password: 'wrong', new_password: 'x'.repeat(71) }), 400, 'PASSWORD_TOO_LONG', {
      maxLength: 70,
    });
    expectKnown(await update({ old_password: 'wrong', new_password }), 400, 'PASSWORD_CONFIRMATION_MISMATCH');
    const created = await send('POST', '/users', { ...project, access: 'server', body: {} });
    const session = await send('POST', '/auth/sessions', {
      ...project,
      access: 'server',
      body: { user_id: created.body.id },
    });
    expectKnown(
      await update({ old_password: password, new_password }, session.body.access_token),
      400,
      'USER_DOES_NOT_HAVE_PASSWORD',
    );
  });
});

describe('token endpoint', () => {
  const url = '/api/v1/auth/oauth/token';

  async function request(fields: Record<string, string>, headers: Record<string, string> = {}) {
    const answer = await api.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(fields).toString(),
    });
    return { status: answer.statusCode, body: answer.json(), text: answer.body, headers: answer.headers };
  }
  const client = () => ({ client_id: project.projectId, client_secret: project.keys.client });
  const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token, ...client() });

  test('refreshes, as a form and as JSON, without any other header', async () => {
    const user = await signUp(send, project);
    const form = await request(refresh(user.refreshToken));
    expect(form).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
    expect(form.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'legacy',
    });
    const me = await send('GET', '/users/me', { ...project, as: form.body.access_token });
    expect(me.body.id).toBe(user.userId);
    const json = await api.app.inject({
      method: 'POST',
      url,
      payload: { ...refresh(user.refreshToken), scope: 'legacy', more: ['is', 'free'] },
    });
    expect(json.statusCode).toBe(200);
  });

  test('takes the branch in the client id, and HTTP Basic before the body', async () => {
    const { refreshToken } = await signUp(send, project);
    const branch = { ...refresh(refreshToken), client_id: `${project.projectId}#main` };
    expect((await request(branch)).status).toBe(200);
    const basic = Buffer.from(`${project.projectId}:${project.keys.client}`).toString('base64');
    const fields = {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: 'other',
      client_secret: 'no',
    };
    expect((await request(fields, { authorization: `Basic ${basic}` })).status).toBe(200);
  });

  test('a client that is missing, wrong or of another branch', async () => {
    const { refreshToken } = await signUp(send, project);
    const good = refresh(refreshToken);
    for (const change of [
      { client_id: '' },
      { client_secret: '' },
      { client_id: 'nowhere' },
      { client_id: `${project.projectId}#dev` },
      { client_id: 'internal' },
      { client_secret: project.keys.server },
    ]) {
      expectKnown(await request({ ...good, ...change }), 400, 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', { client_id: null });
    }
    const basic = Buffer.from(`${project.projectId}:wrong`).toString('base64');
    expectKnown(await request(good, { authorization: `Basic ${basic}` }), 400, 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', {
      client_id: null,
    });
  });

  test('a refresh token that is missing is an error of OAuth', async () => {
    const answer = await request({ grant_type: 'refresh_token', ...client() });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
    expect(answer.headers['x-stack-known-error']).toBeUndefined();
  });

  test('a refresh token that is unknown, ended, or of another project', async () => {
    const foreign = await signUp(send);
    const ended = await signUp(send, project);
    await send('DELETE', '/auth/sessions/current', { ...project, as: ended.accessToken });
    for (const token of ['x'.repeat(45), foreign.refreshToken, ended.refreshToken]) {
      expectKnown(await request(refresh(token)), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    }
  });

  test('only two grants and one scope are known', async () => {
    const { refreshToken } = await signUp(send, project);
    expectSchemaError(await request({ grant_type: 'password', ...client() }), 'body.grant_type');
    expectKnown(await request({ ...refresh(refreshToken), scope: 'email' }), 400, 'INVALID_SCOPE');
  });

  test('every authorization code is an unknown one', async () => {
    const fields = { grant_type: 'authorization_code', redirect_uri: 'http://localhost', code_verifier: 'v' };
    expectKnown(await request({ ...fields, ...client(), code: 'x' }), 400, 'INVALID_AUTHORIZATION_CODE');
    expectKnown(
      await request({ ...fields, client_id: project.projectId, code: 'x' }),
      400,
      'INVALID_AUTHORIZATION_CODE',
    );
    expect((await request({ ...fields, ...client() })).body.error).toBe('invalid_request');
    expectKnown(
      await request({ ...fields, client_id: 'nowhere', code: 'x' }),
      400,
      'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
      {
        client_id: null,
      },
    );
  });

  test('headers that are sent are checked, but a token of an ended session is ignored', async () => {
    const { refreshToken } = await signUp(send, project);
    const wrong = await request(refresh(refreshToken), {
      'x-stack-access-type': 'client',
      'x-stack-project-id': project.projectId,
      'x-stack-publishable-client-key': 'pck_wrong',
    });
    expectKnown(wrong, 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', { project_id: project.projectId });
    const ended = await signUp(send, project);
    await send('DELETE', '/auth/sessions/current', { ...project, as: ended.accessToken });
    const answer = await request(refresh(ended.refreshToken), {
      'x-stack-access-type': 'client',
      'x-stack-project-id': project.projectId,
      'x-stack-publishable-client-key': project.keys.client,
      'x-stack-access-token': ended.accessToken,
    });
    expectKnown(answer, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });
});

describe('JWKS', () => {
  test('publishes the keys that sign the project’s tokens', async () => {
    const user = await signUp(send, project);
    const answer = await api.app.inject(`/api/v1/projects/${project.projectId}/.well-known/jwks.json`);
    expect(answer.statusCode).toBe(200);
    const header = JSON.parse(Buffer.from(user.accessToken.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toEqual({ alg: 'ES256', kid: expect.stringMatching(/^[\w-]{12}$/) });
    const text = expect.any(String);
    expect(answer.json()).toEqual({
      keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', kid: header.kid, x: text, y: text }],
    });
  });

  test('an unknown project has none', async () => {
    const answer = await api.app.inject('/api/v1/projects/nowhere/.well-known/jwks.json');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });
});
