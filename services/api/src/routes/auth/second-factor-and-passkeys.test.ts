import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { generateSync } from 'otplib';
import { describe, expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  password,
  type SignedIn,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send, { config: { magic_link_enabled: true, passkey_enabled: true } });

const post = (path: string, body?: unknown, as?: string, of = project) =>
  send('POST', path, { ...of, body, ...(as === undefined ? {} : { as }) });
const secret = Buffer.from('12345678901234567890');
const totpAt = (offsetSteps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.parse(api.deps.now()) / 1000) + offsetSteps * 30 });
const signedIn = {
  access_token: expect.any(String),
  refresh_token: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{45}$/),
  user_id: expect.any(String),
};

describe('the second factor', () => {
  const path = '/auth/mfa/sign-in';
  const patchMe = (user: SignedIn, body: unknown) =>
    send('PATCH', '/users/me', { ...project, as: user.accessToken, body });

  async function withFactor(): Promise<SignedIn> {
    const user = await signUp(send, project);
    const answer = await patchMe(user, { totp_secret_base64: secret.toString('base64') });
    expect(answer.body.requires_totp_mfa).toBe(true);
    return user;
  }
  async function attemptOf({ email }: SignedIn): Promise<string> {
    const answer = await post('/auth/password/sign-in', { email, password });
    expectKnown(answer, 400, 'MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: expect.any(String) });
    return answer.body.details.attempt_code;
  }
  const finish = (code: string, totp: string) => post(path, { code, type: 'totp', totp });

  test('is required after a password and completes the sign-in', async () => {
    const user = await withFactor();
    const code = await attemptOf(user);
    expectKnown(await finish(code, '000000'), 400, 'INVALID_TOTP_CODE');
    expectKnown(await finish(code, ''), 400, 'INVALID_TOTP_CODE');
    const answer = await finish(code, totpAt());
    expect(answer.body).toEqual({ ...signedIn, user_id: user.userId, is_new_user: false });
    const me = await send('GET', '/users/me', { ...project, as: answer.body.access_token });
    expect(me.body).toMatchObject({ id: user.userId, requires_totp_mfa: true });
    expectKnown(await finish(code, totpAt(1)), 409, 'VERIFICATION_CODE_ALREADY_USED');
  });

  test('accepts a code once', async () => {
    const user = await withFactor();
    const totp = totpAt();
    expect((await finish(await attemptOf(user), totp)).status).toBe(200);
    expectKnown(await finish(await attemptOf(user), totp), 400, 'INVALID_TOTP_CODE');
    expect((await finish(await attemptOf(user), totpAt(1))).status).toBe(200);
  });

  test('accepts one of 50 concurrent attempts', async () => {
    const user = await withFactor();
    const [code, totp] = [await attemptOf(user), totpAt()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => finish(code, totp)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
  });

  test('is required after an email code, which is consumed', async () => {
    const user = await withFactor();
    await post('/contact-channels/verify', { code: (await mailTo(api, user.email)).code }, user.accessToken);
    await post('/auth/otp/send-sign-in-code', { email: user.email, callback_url: 'http://localhost/x' });
    const { code } = await mailTo(api, user.email);
    const answer = await post('/auth/otp/sign-in', { code });
    expectKnown(answer, 400, 'MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: expect.any(String) });
    expectKnown(await post('/auth/otp/sign-in', { code }), 409, 'VERIFICATION_CODE_ALREADY_USED');
    expect((await finish(answer.body.details.attempt_code, totpAt())).body.user_id).toBe(user.userId);
  });

  test('is not required for a server’s session or a refresh', async () => {
    const user = await withFactor();
    const body = { user_id: user.userId };
    expect((await send('POST', '/auth/sessions', { ...project, access: 'server', body })).status).toBe(200);
    const headers = { 'x-stack-refresh-token': user.refreshToken };
    expect((await send('POST', '/auth/sessions/current/refresh', { ...project, headers })).status).toBe(200);
  });

  test('is disabled by null', async () => {
    const user = await withFactor();
    const code = await attemptOf(user);
    expect((await patchMe(user, { totp_secret_base64: null })).body.requires_totp_mfa).toBe(false);
    expectKnown(await finish(code, totpAt()), 404, 'VERIFICATION_CODE_NOT_FOUND');
    expect((await post('/auth/password/sign-in', { email: user.email, password })).status).toBe(200);
  });

  test('can be set by a server, and its secret is never returned', async () => {
    const user = await signUp(send, project);
    const body = { totp_secret_base64: secret.toString('base64') };
    const answer = await send('PATCH', `/users/${user.userId}`, { ...project, access: 'server', body });
    expect(answer.body.requires_totp_mfa).toBe(true);
    expect(answer.text).not.toContain(body.totp_secret_base64);
    const made = await send('POST', '/users', { ...project, access: 'server', body });
    expect(made.body.requires_totp_mfa).toBe(true);
    for (const totp_secret_base64 of ['not base64!', '', 'A'.repeat(400)]) {
      expectSchemaError(await patchMe(user, { totp_secret_base64 }), 'body.totp_secret_base64');
    }
  });

  test('rejects a secret of less than 128 bits', async () => {
    const user = await signUp(send, project);
    const ofBytes = (length: number) => ({ totp_secret_base64: Buffer.alloc(length, 7).toString('base64') });
    for (const length of [1, 10, 15]) {
      expectSchemaError(await patchMe(user, ofBytes(length)), 'body.totp_secret_base64');
      const asServer = { ...project, access: 'server', body: ofBytes(length) } as const;
      expectSchemaError(await send('POST', '/users', asServer), 'body.totp_secret_base64');
      expectSchemaError(await send('PATCH', `/users/${user.userId}`, asServer), 'body.totp_secret_base64');
    }
    expect((await patchMe(user, ofBytes(16))).body.requires_totp_mfa).toBe(true);
  });

  test('rejects malformed attempts', async () => {
    expectSchemaError(await post(path, { code: 'z'.repeat(45), type: 'sms', totp: '1' }), 'body.type');
    expectSchemaError(await post(path, {}), 'body.code is required', 'body.totp is required');
    expectKnown(await finish('z'.repeat(45), '000000'), 404, 'VERIFICATION_CODE_NOT_FOUND');
    const user = await withFactor();
    const code = await attemptOf(user);
    expectKnown(await post('/auth/otp/sign-in', { code }), 404, 'VERIFICATION_CODE_NOT_FOUND');
    api.advance(5 * 60_000);
    expectKnown(await finish(code, totpAt()), 400, 'VERIFICATION_CODE_EXPIRED');
    api.advance(-5 * 60_000);
  });
});

describe('passkeys', () => {
  const begin = async (user: SignedIn) =>
    (await post('/auth/passkey/initiate-passkey-registration', {}, user.accessToken)).body;
  const beginSignIn = async () => (await post('/auth/passkey/initiate-passkey-authentication', {})).body;

  async function withPasskey() {
    const user = await signUp(send, project);
    const authenticator = createAuthenticator();
    const { options_json, code } = await begin(user);
    const credential = authenticator.register(options_json);
    const answer = await post('/auth/passkey/register', { credential, code }, user.accessToken);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { user_handle: authenticator.credentialId },
    });
    return { user, authenticator };
  }

  test('are registered and sign in, once per challenge', async () => {
    const { user, authenticator } = await withPasskey();
    const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expect(me.body.passkey_auth_enabled).toBe(true);
    const { options_json, code } = await beginSignIn();
    expect(options_json.rpId).toBe('THIS_VALUE_WILL_BE_REPLACED.example.com');
    const authentication_response = authenticator.authenticate(options_json);
    const answer = await post('/auth/passkey/sign-in', { authentication_response, code });
    expect(answer.body).toEqual({ ...signedIn, user_id: user.userId, is_new_user: false });
    const replayed = await post('/auth/passkey/sign-in', { authentication_response, code });
    expectKnown(replayed, 409, 'VERIFICATION_CODE_ALREADY_USED');
    const again = await beginSignIn();
    const other = await post('/auth/passkey/sign-in', { authentication_response, code: again.code });
    expectKnown(other, 400, 'PASSKEY_AUTHENTICATION_FAILED', { message: expect.stringContaining('challenge') });
  });

  test('name the user by display name, else by email, else by a generic name', async () => {
    const user = await signUp(send, project);
    expect((await begin(user)).options_json.user).toMatchObject({ name: user.email, displayName: user.email });
    await send('PATCH', '/users/me', { ...project, as: user.accessToken, body: { display_name: 'Ann' } });
    const { options_json, code } = await begin(user);
    expect(options_json.user).toEqual({
      id: Buffer.from(user.userId).toString('base64url'),
      name: 'Ann',
      displayName: 'Ann',
    });
    expect(options_json.rp).toEqual({ name: 'App', id: 'THIS_VALUE_WILL_BE_REPLACED.example.com' });
    expect(code).toHaveLength(45);
  });

  test('are replaced by another one and removed by false', async () => {
    const { user, authenticator: first } = await withPasskey();
    const second = createAuthenticator();
    const { options_json, code } = await begin(user);
    await post('/auth/passkey/register', { credential: second.register(options_json), code }, user.accessToken);
    const signInBy = async (authenticator: typeof first) => {
      const started = await beginSignIn();
      const authentication_response = authenticator.authenticate(started.options_json);
      return post('/auth/passkey/sign-in', { authentication_response, code: started.code });
    };
    const message = expect.any(String);
    expectKnown(await signInBy(first), 400, 'PASSKEY_AUTHENTICATION_FAILED', { message });
    expect((await signInBy(second)).body.user_id).toBe(user.userId);
    const patch = (body: unknown) => send('PATCH', '/users/me', { ...project, as: user.accessToken, body });
    expectPlain(await patch({ passkey_auth_enabled: true }), 400);
    expect((await patch({ passkey_auth_enabled: false })).body.passkey_auth_enabled).toBe(false);
    expectKnown(await signInBy(second), 400, 'PASSKEY_AUTHENTICATION_FAILED', { message });
  });

  test('require the second factor if the user has one', async () => {
    const { user, authenticator } = await withPasskey();
    const body = { totp_secret_base64: secret.toString('base64') };
    await send('PATCH', '/users/me', { ...project, as: user.accessToken, body });
    const { options_json, code } = await beginSignIn();
    const authentication_response = authenticator.authenticate(options_json);
    const answer = await post('/auth/passkey/sign-in', { authentication_response, code });
    expectKnown(answer, 400, 'MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: expect.any(String) });
  });

  test('are rejected at registration with known errors', async () => {
    const user = await signUp(send, project);
    expectSchemaError(await post('/auth/passkey/initiate-passkey-registration', {}), 'auth.user is required');
    const { options_json, code } = await begin(user);
    const credential = createAuthenticator().register(options_json);
    expectKnown(await post('/auth/passkey/register', { credential, code }), 401, 'USER_AUTHENTICATION_REQUIRED');
    const other = await signUp(send, project);
    const stolen = await post('/auth/passkey/register', { credential, code }, other.accessToken);
    expectKnown(stolen, 404, 'VERIFICATION_CODE_NOT_FOUND');
    const rubbish = await post('/auth/passkey/register', { credential: { id: 1 }, code }, user.accessToken);
    expectKnown(rubbish, 400, 'PASSKEY_REGISTRATION_FAILED', { message: expect.any(String) });
    const spent = await post('/auth/passkey/register', { credential, code }, user.accessToken);
    expectKnown(spent, 409, 'VERIFICATION_CODE_ALREADY_USED');
    const next = await begin(user);
    const foreign = createAuthenticator({ origin: 'https://evil.example.org' }).register(next.options_json);
    const elsewhere = await post('/auth/passkey/register', { credential: foreign, code: next.code }, user.accessToken);
    expectKnown(elsewhere, 400, 'PASSKEY_AUTHENTICATION_FAILED', { message: expect.any(String) });
    expectSchemaError(await post('/auth/passkey/register', {}, user.accessToken), 'body.code is required');
    const late = await begin(user);
    api.advance(65_000);
    const expired = await post('/auth/passkey/register', { credential, code: late.code }, user.accessToken);
    expectKnown(expired, 400, 'VERIFICATION_CODE_EXPIRED');
    api.advance(-65_000);
  });

  test('are rejected at sign-in with known errors', async () => {
    const message = expect.any(String);
    const stranger = createAuthenticator();
    const { options_json, code } = await beginSignIn();
    const unknown = { authentication_response: stranger.authenticate(options_json), code };
    expectKnown(await post('/auth/passkey/sign-in', unknown), 400, 'PASSKEY_AUTHENTICATION_FAILED', { message });
    const { authenticator } = await withPasskey();
    const next = await beginSignIn();
    const twisted = authenticator.authenticate(next.options_json, { origin: 'https://evil.example.org' });
    const foreign = await post('/auth/passkey/sign-in', { authentication_response: twisted, code: next.code });
    expectKnown(foreign, 400, 'PASSKEY_AUTHENTICATION_FAILED', { message });
    for (const authentication_response of [null, 'x', [], {}, { id: 'x', response: {} }]) {
      const started = await beginSignIn();
      const answer = await post('/auth/passkey/sign-in', { authentication_response, code: started.code });
      expectKnown(answer, 400, 'PASSKEY_AUTHENTICATION_FAILED', { message });
    }
  });

  test('are disabled at all four endpoints if the project disables them', async () => {
    const off = await createProject(send);
    const user = await signUp(send, off);
    const rejected = 'PASSKEY_AUTHENTICATION_NOT_ENABLED';
    expectKnown(await post('/auth/passkey/initiate-passkey-registration', {}, user.accessToken, off), 400, rejected);
    expectKnown(await post('/auth/passkey/initiate-passkey-authentication', {}, undefined, off), 400, rejected);
    const configured = (passkey_enabled: boolean) =>
      send('PATCH', '/internal/projects/current', { ...off, access: 'admin', body: { config: { passkey_enabled } } });
    await configured(true);
    const registering = (await post('/auth/passkey/initiate-passkey-registration', {}, user.accessToken, off)).body;
    const signing = (await post('/auth/passkey/initiate-passkey-authentication', {}, undefined, off)).body;
    await configured(false);
    const credential = createAuthenticator().register(registering.options_json);
    const body = { credential, code: registering.code };
    expectKnown(await post('/auth/passkey/register', body, user.accessToken, off), 400, rejected);
    const signIn = { authentication_response: {}, code: signing.code };
    expectKnown(await post('/auth/passkey/sign-in', signIn, undefined, off), 400, rejected);
  });

  test('of a project with its own domain work on that domain', async () => {
    const domains = [{ domain: 'https://shop.example.com', handler_path: '/handler' }];
    const config = { passkey_enabled: true, allow_localhost: false, domains };
    const shop = await createProject(send, { config });
    const user = await signUp(send, shop);
    const registerAt = async (origin: string) => {
      const started = (await post('/auth/passkey/initiate-passkey-registration', {}, user.accessToken, shop)).body;
      const credential = createAuthenticator({ origin }).register(started.options_json);
      return post('/auth/passkey/register', { credential, code: started.code }, user.accessToken, shop);
    };
    expect((await registerAt('https://shop.example.com')).status).toBe(200);
    for (const origin of ['http://localhost:3000', 'https://a.shop.example.com', 'https://shop.example.com:8443']) {
      expect((await registerAt(origin)).body.code).toBe('PASSKEY_AUTHENTICATION_FAILED');
    }
  });
});
