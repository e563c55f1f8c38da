import { describe, expect, test } from 'vitest';
import { countMailsTo, mailTo } from '../../testing/mailbox.ts';
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

const callback_url = 'http://localhost:3000/handler/page?after_auth_return_to=%2Fcart';
const elsewhere = 'https://evil.example.org/handler';
const unknownCode = 'z'.repeat(45);
const post = (path: string, body: unknown, of = project, as?: string) =>
  send('POST', path, { ...of, body, ...(as === undefined ? {} : { as }) });

const { api, send } = await startSuite();
const project = await createProject(send, { config: { magic_link_enabled: true } });
const off = { sign_up_enabled: false, credential_enabled: false, magic_link_enabled: false };
const closed = await createProject(send, { config: off });

/** The faults of a code, the same for every endpoint that takes one (protocol, auth §2). */
function rejectsBadCodes(path: string, fresh: () => Promise<string>, rest: object = {}): void {
  test('malformed and unknown codes', async () => {
    expectSchemaError(await post(path, rest), 'body.code is required');
    expectSchemaError(await post(path, { code: 'short', ...rest }), 'body.code');
    expectSchemaError(await post(path, { code: unknownCode, ...rest, more: 1 }), 'unknown fields: more');
    expectKnown(await post(path, { code: unknownCode, ...rest }), 404, 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('codes of another project', async () => {
    const other = await createProject(send, { config: { magic_link_enabled: true } });
    expectKnown(await post(path, { code: await fresh(), ...rest }, other), 404, 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('a code on its 21st presentation, whether it was right or wrong before', async () => {
    const code = await fresh();
    for (let nth = 0; nth < 20; nth += 1) {
      await post(path, { code: `zzzzzz${code.slice(6)}`, ...rest });
    }
    expectKnown(await post(path, { code, ...rest }), 400, 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED');
  });
}

describe('password reset', () => {
  const path = '/auth/password/send-reset-code';
  const sent = { success: 'maybe, only if user with e-mail exists' };
  const fresh = async (email = newEmail()) => {
    await signUp(send, project, email);
    expect((await post(path, { email, callback_url })).body).toEqual(sent);
    return (await mailTo(api, email)).code;
  };

  test.each(['client', 'server', 'admin'] as const)(
    'answers the same for known and unknown addresses, as %s',
    async (access) => {
      const { email } = await signUp(send, project);
      for (const address of [email, newEmail()]) {
        const answer = await send('POST', path, { ...project, access, body: { email: address, callback_url } });
        expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: sent });
      }
      const { emailType, link, code } = await mailTo(api, email);
      expect({ emailType, link }).toEqual({ emailType: 'password_reset', link: `${callback_url}&code=${code}` });
    },
  );

  test('is rejected in the same way for every address', async () => {
    const { email } = await signUp(send, project);
    for (const address of [email, newEmail()]) {
      expectKnown(await post(path, { email: address, callback_url: elsewhere }), 400, 'REDIRECT_URL_NOT_WHITELISTED');
      const off = await post(path, { email: address, callback_url }, closed);
      expectKnown(off, 400, 'PASSWORD_AUTHENTICATION_NOT_ENABLED');
    }
    expectSchemaError(await post(path, { email: 'nobody', callback_url: '/x' }), 'body.email', 'body.callback_url');
  });

  test('checks the code, resets once, ends the sessions and creates no session', async () => {
    const user = await signUp(send, project);
    await post(path, { email: user.email, callback_url });
    const { code } = await mailTo(api, user.email);
    const checked = await post('/auth/password/reset/check-code', { code: code.toUpperCase() });
    expect(checked.body).toEqual({ is_code_valid: true });
    const tooShort = await post('/auth/password/reset', { code, password: 'short' });
    expectKnown(tooShort, 400, 'PASSWORD_TOO_SHORT', { min_length: 8 });
    const tooLong = await post('/auth/password/reset', { code, password: 'x'.repeat(71) });
    expectKnown(tooLong, 400, 'PASSWORD_TOO_LONG', { maxLength: 70 });
    const answer = await post('/auth/password/reset', { code, password: 'battery staple' });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { success: true } });
    expectKnown(await post('/auth/password/reset', { code, password }), 409, 'VERIFICATION_CODE_ALREADY_USED');
    expectKnown(await post('/auth/password/reset/check-code', { code }), 409, 'VERIFICATION_CODE_ALREADY_USED');
    const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expect(me.body.code).toBe('ACCESS_TOKEN_EXPIRED');
    const old = await post('/auth/password/sign-in', { email: user.email, password });
    expectKnown(old, 400, 'EMAIL_PASSWORD_MISMATCH');
    expect((await post('/auth/password/sign-in', { email: user.email, password: 'battery staple' })).status).toBe(200);
  });

  describe('reset rejects', () => rejectsBadCodes('/auth/password/reset', fresh, { password: 'battery staple' }));
  describe('check-code rejects', () => rejectsBadCodes('/auth/password/reset/check-code', fresh));
});

describe('sign-in with an email code', () => {
  const path = '/auth/otp/send-sign-in-code';
  const fresh = async (email = newEmail()) => {
    const answer = await post(path, { email, callback_url });
    const { code, variables } = await mailTo(api, email);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { nonce: code.slice(6) } });
    expect(variables?.otp).toBe(code.slice(0, 6).toUpperCase());
    return code;
  };

  test('creates a user, then signs that user in, by link or by six-character code and nonce', async () => {
    const email = newEmail();
    const code = await fresh(email);
    expect((await post('/auth/otp/sign-in/check-code', { code })).body).toEqual({ is_code_valid: true });
    const first = await post('/auth/otp/sign-in', { code });
    expect({ status: first.status, body: first.body }).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        refresh_token: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{45}$/),
        user_id: expect.any(String),
        is_new_user: true,
      },
    });
    const me = await send('GET', '/users/me', { ...project, as: first.body.access_token });
    expect(me.body).toMatchObject({
      id: first.body.user_id,
      primary_email: email,
      primary_email_verified: true,
      display_name: null,
      otp_auth_enabled: true,
      has_password: false,
      auth_with_email: true,
    });
    const again = await fresh(email);
    const second = await post('/auth/otp/sign-in', { code: `${again.slice(0, 6).toUpperCase()}${again.slice(6)}` });
    expect(second.body).toMatchObject({ user_id: first.body.user_id, is_new_user: false });
    expectKnown(await post('/auth/otp/sign-in', { code: again }), 409, 'VERIFICATION_CODE_ALREADY_USED');
  });

  test('is enabled for a known user when the code is redeemed, not when it is requested', async () => {
    const email = newEmail();
    const flags = { primary_email_verified: true, primary_email_auth_enabled: true, otp_auth_enabled: false };
    const known = { primary_email: email, password, ...flags };
    const { id } = (await send('POST', '/users', { ...project, access: 'server', body: known })).body;
    const isEnabled = async () =>
      (await send('GET', `/users/${id}`, { ...project, access: 'server' })).body.otp_auth_enabled;
    const code = await fresh(email);
    expect(await isEnabled()).toBe(false);
    expect((await post('/auth/otp/sign-in', { code })).body).toMatchObject({ user_id: id, is_new_user: false });
    expect(await isEnabled()).toBe(true);
  });

  test('ignores the bot challenge of newer clients', async () => {
    const challenge = { bot_challenge_token: 'token', bot_challenge_phase: 'invisible' };
    expect((await post(path, { email: newEmail(), callback_url, ...challenge })).status).toBe(200);
    const unavailable = { bot_challenge_unavailable: 'true' };
    expect((await post(path, { email: newEmail(), callback_url, ...unavailable })).status).toBe(200);
  });

  test('upgrades an anonymous user in place', async () => {
    await send('PATCH', '/internal/projects/current/settings', {
      ...project,
      access: 'admin',
      body: { anonymous_sign_up_enabled: true },
    });
    const nobody = (await send('POST', '/auth/anonymous/sign-up', { ...project, body: {} })).body;
    const answer = await post('/auth/otp/sign-in', { code: await fresh() }, project, nobody.access_token);
    expect(answer.body).toMatchObject({ user_id: nobody.user_id, is_new_user: true });
    const old = await send('GET', '/users/me', { ...project, as: nobody.access_token });
    expectKnown(old, 401, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  });

  test('is rejected before the email is sent', async () => {
    const { email } = await signUp(send, project);
    expectKnown(await post(path, { email, callback_url: elsewhere }), 409, 'USER_EMAIL_ALREADY_EXISTS', { email });
    const address = newEmail();
    expectKnown(await post(path, { email: address, callback_url: elsewhere }), 400, 'REDIRECT_URL_NOT_WHITELISTED');
    expectPlain(await post(path, { email: address, callback_url }, closed), 403);
    const noSignUp = await createProject(send, { config: { magic_link_enabled: true, sign_up_enabled: false } });
    expectKnown(await post(path, { email: address, callback_url }, noSignUp), 400, 'SIGN_UP_NOT_ENABLED');
    expectSchemaError(await post(path, { email: 'a@localhost', callback_url }), 'body.email');
    expect(await countMailsTo(api, address)).toBe(0);
  });

  describe('sign-in rejects', () => rejectsBadCodes('/auth/otp/sign-in', fresh));
  describe('check-code rejects', () => rejectsBadCodes('/auth/otp/sign-in/check-code', fresh));
});

describe('email verification', () => {
  const fresh = async () => (await mailTo(api, (await signUp(send, project)).email)).code;
  const channelOf = async (userId: string) => {
    const { events } = await api.deps.store.readStream(`user-${userId}`);
    const added = events.find(({ type }) => type === 'ContactChannelAdded');
    return String(added?.data.channelId);
  };

  test('works with the sign-up email', async () => {
    const user = await signUp(send, project);
    const { emailType, code } = await mailTo(api, user.email);
    expect(emailType).toBe('email_verification');
    const path = '/contact-channels/verify';
    expect((await post(`${path}/check-code`, { code })).body).toEqual({ is_code_valid: true });
    const answer = await post(path, { code }, project, user.accessToken);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { success: true } });
    const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expect(me.body.primary_email_verified).toBe(true);
    expectKnown(await post(path, { code }), 409, 'VERIFICATION_CODE_ALREADY_USED');
  });

  test('can be requested by the user and by a server', async () => {
    const user = await signUp(send, project);
    const channel = await channelOf(user.userId);
    const body = { callback_url };
    const own = await post(`/contact-channels/me/${channel}/send-verification-code`, body, project, user.accessToken);
    expect({ status: own.status, body: own.body }).toEqual({ status: 200, body: { success: true } });
    const byId = await post(
      `/contact-channels/${user.userId}/${channel}/send-verification-code`,
      body,
      project,
      user.accessToken,
    );
    expect(byId.status).toBe(200);
    const path = `/contact-channels/${user.userId}/${channel}/send-verification-code`;
    expect((await send('POST', path, { ...project, access: 'server', body })).status).toBe(200);
    const older = { email: user.email, callback_url };
    const primary = await post('/contact-channels/send-verification-code', older, project, user.accessToken);
    expect(primary.body).toEqual({ success: true });
    expect(await countMailsTo(api, user.email)).toBe(5);
  });

  test('is rejected before the email is sent', async () => {
    const [user, other] = [await signUp(send, project), await signUp(send, project)];
    const channel = await channelOf(user.userId);
    const body = { callback_url };
    const path = (id: string, of = channel) => `/contact-channels/${id}/${of}/send-verification-code`;
    expectKnown(await post(path('me'), body), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    expectKnown(await post(path(user.userId), body), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    expectPlain(await post(path(user.userId), body, project, other.accessToken), 400);
    expectPlain(await post(path('me'), body, project, other.accessToken), 404);
    const url = { callback_url: elsewhere };
    expectKnown(await post(path('me'), url, project, user.accessToken), 400, 'REDIRECT_URL_NOT_WHITELISTED');
    const nobody = await send('POST', path(channel), { ...project, access: 'server', body });
    expectKnown(nobody, 400, 'USER_ID_DOES_NOT_EXIST', { user_id: channel });
    const primary = '/contact-channels/send-verification-code';
    expectSchemaError(await post(primary, { email: user.email, callback_url }), 'auth.user is required');
    const wrong = await post(primary, { email: other.email, callback_url }, project, user.accessToken);
    expectKnown(wrong, 400, 'EMAIL_IS_NOT_PRIMARY_EMAIL', { email: other.email, primary_email: user.email });
    const { code } = await mailTo(api, user.email);
    await post('/contact-channels/verify', { code }, project, user.accessToken);
    expectKnown(await post(path('me'), body, project, user.accessToken), 409, 'EMAIL_ALREADY_VERIFIED');
    const verified = await post(primary, { email: user.email, callback_url }, project, user.accessToken);
    expectKnown(verified, 409, 'EMAIL_ALREADY_VERIFIED');
  });

  describe('verify rejects', () => rejectsBadCodes('/contact-channels/verify', fresh));
  describe('check-code rejects', () => rejectsBadCodes('/contact-channels/verify/check-code', fresh));
});

test('a sign-in code ends with whatever ends the sessions of its user, and with nothing else', async () => {
  const email = newEmail();
  const request = async () => {
    await post('/auth/otp/send-sign-in-code', { email, callback_url });
    return (await mailTo(api, email)).code;
  };
  const beforeUser = await request();
  const body = { primary_email: email, primary_email_verified: true, primary_email_auth_enabled: true, password };
  const { id } = (await send('POST', '/users', { ...project, access: 'server', body })).body;
  const before = await request();
  const change = (fields: object) =>
    send('PATCH', `/users/${id}`, { ...project, access: 'server', body: { ...fields } });
  await change({ display_name: 'Ann' });
  for (const code of [beforeUser, before])
    expect((await post('/auth/otp/sign-in/check-code', { code })).status).toBe(200);
  await change({ password: 'battery staple' });
  for (const code of [beforeUser, before]) {
    for (const path of ['/auth/otp/sign-in/check-code', '/auth/otp/sign-in'])
      expectKnown(await post(path, { code }), 400, 'VERIFICATION_CODE_EXPIRED');
  }
  expect((await post('/auth/otp/sign-in', { code: await request() })).body.user_id).toBe(id);
});

test('an expired code gets its own error', async () => {
  const email = newEmail();
  await post('/auth/otp/send-sign-in-code', { email, callback_url });
  const { code } = await mailTo(api, email);
  api.advance(7 * 24 * 60 * 60_000);
  expectKnown(await post('/auth/otp/sign-in', { code }), 400, 'VERIFICATION_CODE_EXPIRED');
  api.advance(-7 * 24 * 60 * 60_000);
});
