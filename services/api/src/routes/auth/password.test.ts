import { describe, expect, test } from 'vitest';
import { countMailsTo } from '../../testing/mailbox.ts';
import {
  changeConfig,
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

  test.each(['client', 'server', 'admin'] as const)('creates a user and signs in, as %s', async (access) => {
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

  test('returns an access token with the claims of both claim sets', async () => {
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
      auth_time: expect.any(Number),
      is_impersonation: false,
    });
  });

  test.each([
    ['no URL', undefined],
    ['a URL that is not trusted', 'https://evil.example.org/verify'],
  ])('works with %s for the verification link, and then sends no email', async (_, url) => {
    const email = newEmail();
    expect((await signUpWith({ email, verification_callback_url: url })).status).toBe(200);
    expect(await countMailsTo(api, email)).toBe(0);
  });

  test('ignores the bot challenge of newer clients', async () => {
    expect((await signUpWith({ bot_challenge_token: 'token', bot_challenge_phase: 'visible' })).status).toBe(200);
    expect((await signUpWith({ bot_challenge_unavailable: 'true' })).status).toBe(200);
    expectSchemaError(await signUpWith({ bot_challenge_token: 'x'.repeat(8_193) }), 'body.bot_challenge_token');
  });

  test('allows one sign-up per email address, in any spelling', async () => {
    const { email } = await signUp(send, project);
    for (const same of [email, email.toUpperCase()]) {
      expectKnown(await signUpWith({ email: same }), 409, 'USER_EMAIL_ALREADY_EXISTS', { email: same });
    }
  });

  test('reports separate errors for too short and too long passwords', async () => {
    expectKnown(await signUpWith({ password: '1234567' }), 400, 'PASSWORD_TOO_SHORT', { min_length: 8 });
    expectKnown(await signUpWith({ password: 'x'.repeat(71) }), 400, 'PASSWORD_TOO_LONG', { maxLength: 70 });
    expect((await signUpWith({ password: 'ü'.repeat(70) })).status).toBe(200);
  });

  test('lists all schema errors of the body at once', async () => {
    const answer = await send('POST', path, { ...project, body: { email: 'a@localhost', password: null, extra: 1 } });
    expectSchemaError(
      answer,
      'POST /api/v1/auth/password/sign-up',
      'body.email',
      'body.password',
      'unknown fields: extra',
    );
    expectSchemaError(await send('POST', path, project), 'body is required');
  });

  test('requires the method and sign-up to be enabled, checked in that order', async () => {
    await withConfig({ credential_enabled: false, sign_up_enabled: false }, async () => {
      expectKnown(await signUpWith({ password: 'x' }), 400, 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    });
    await withConfig({ sign_up_enabled: false }, async () => {
      expectKnown(await signUpWith({ password: 'x' }), 400, 'PASSWORD_TOO_SHORT', { min_length: 8 });
      expectKnown(await signUpWith({}), 400, 'SIGN_UP_NOT_ENABLED');
    });
  });

  test('accepts one of many concurrent requests with the same email', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 10 }, () => signUpWith({ email })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });
});

describe('password sign-in', () => {
  const path = '/auth/password/sign-in';

  test.each(['client', 'server', 'admin'] as const)('starts a new session, as %s', async (access) => {
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

  test('reports the same error for an unknown email and a wrong password', async () => {
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

  test('does not find users of another project', async () => {
    const { email } = await signUp(send);
    expectKnown(await send('POST', path, { ...project, body: { email, password } }), 400, 'EMAIL_PASSWORD_MISMATCH');
  });

  test('requires the method to be enabled, but not sign-up', async () => {
    const { email } = await signUp(send, project);
    const body = { email, password };
    await withConfig({ credential_enabled: false }, async () => {
      expectKnown(await send('POST', path, { ...project, body }), 400, 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    });
    await withConfig({ sign_up_enabled: false }, async () => {
      expect((await send('POST', path, { ...project, body })).status).toBe(200);
    });
  });

  test('rejects malformed requests', async () => {
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

  test('sets the first password and keeps the session', async () => {
    const { email, accessToken } = await userWithoutPassword();
    const answer = await send('POST', path, { ...project, as: accessToken, body: { password } });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect((await send('GET', '/users/me', { ...project, as: accessToken })).body.has_password).toBe(true);
    const signIn = await send('POST', '/auth/password/sign-in', { ...project, body: { email, password } });
    expect(signIn.status).toBe(200);
  });

  test('is rejected for a user with a password', async () => {
    const user = await signUp(send, project);
    expectPlain(await send('POST', path, { ...project, as: user.accessToken, body: { password } }), 400);
  });

  test('requires a signed-in user, the method and a valid length', async () => {
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

  test('ends all sessions except that of the given refresh token', async () => {
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

  test('ends all sessions without the header or with another user’s token', async () => {
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

  test('reports errors in a fixed order', async () => {
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
