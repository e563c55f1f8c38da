import { generateSync } from 'otplib';
import { describe, expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { browserOf, newPerson } from '../../testing/oauth.ts';
import {
  type Answer,
  createProject,
  expectKnown,
  expectSchemaError,
  password,
  type SignedIn,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { asServer, userCallsOf } from '../../testing/users.ts';

const { api, send } = await startSuite();
const config = {
  magic_link_enabled: true,
  allow_user_api_keys: true,
  oauth_providers: [{ id: 'google', type: 'shared' }],
};
const project = await createProject(send, { config });
const { create, patch } = userCallsOf(send, project);
const newest = { headers: { 'x-stack-client-version': 'js @stackframe/js@2.8.108' } };
const texts = { restricted_by_admin_reason: 'Spam', restricted_by_admin_private_details: 'Ticket 7' };
const restrict = (id: string) => patch(id, { restricted_by_admin: true, ...texts }, newest);
const lift = (id: string) => patch(id, { restricted_by_admin: false }, newest);
const byAdmin = { type: 'restricted_by_administrator' };

function expectRestricted(answer: Answer): void {
  expectKnown(answer, 403, 'RESTRICTED_USER_NOT_ALLOWED', { restricted_reason: byAdmin });
  expect(answer.body.error).toBe('An administrator restricted this account: Spam');
}
const signIn = ({ email }: Pick<SignedIn, 'email'>) =>
  send('POST', '/auth/password/sign-in', { ...project, body: { email, password } });

describe('a server restricts a user', () => {
  test('and reads it back, until the restriction is lifted', async () => {
    const { id } = (await create({})).body;
    const read = async () => (await send('GET', `/users/${id}`, { ...project, ...asServer, ...newest })).body;
    const restricted = { is_restricted: true, restricted_reason: byAdmin, restricted_by_admin: true, ...texts };
    expect((await restrict(id)).body).toMatchObject(restricted);
    expect(await read()).toMatchObject(restricted);
    const changed = await patch(id, { restricted_by_admin: true, restricted_by_admin_reason: null }, newest);
    expect(changed.body).toMatchObject({ ...restricted, restricted_by_admin_reason: null });
    await lift(id);
    expect(await read()).toMatchObject({
      is_restricted: false,
      restricted_reason: null,
      restricted_by_admin: false,
      restricted_by_admin_reason: null,
      restricted_by_admin_private_details: null,
    });
  });

  test('at creation', async () => {
    const answer = await create({ restricted_by_admin: true, ...texts }, newest);
    expect(answer).toMatchObject({ status: 201, body: { restricted_by_admin: true, ...texts } });
  });

  test('who loses all sessions at once', async () => {
    const user = await signUp(send, project);
    await restrict(user.userId);
    const own = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expectKnown(own, 401, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
    const headers = { 'x-stack-refresh-token': user.refreshToken };
    const refresh = await send('POST', '/auth/sessions/current/refresh', { ...project, headers });
    expectKnown(refresh, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    await lift(user.userId);
    const again = await send('POST', '/auth/sessions/current/refresh', { ...project, headers });
    expectKnown(again, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const signedIn = await signIn(user);
    expect(signedIn.status).toBe(200);
    const view = await send('GET', '/users/me', { ...project, as: signedIn.body.access_token, ...newest });
    expect(view.body).toMatchObject({ is_restricted: false, restricted_by_admin: false });
    expect(view.body).not.toHaveProperty('restricted_by_admin_private_details');
  });

  test('whose API keys work again after the restriction', async () => {
    const user = await signUp(send, project);
    const body = { description: 'key', expires_at_millis: null, user_id: user.userId };
    const key = await send('POST', '/user-api-keys', { ...project, ...asServer, body });
    const given = { api_key: key.body.value };
    const check = () => send('POST', '/user-api-keys/check', { ...project, ...asServer, body: given });
    await restrict(user.userId);
    expectKnown(await check(), 401, 'API_KEY_REVOKED');
    await lift(user.userId);
    expect((await check()).status).toBe(200);
  });
});

describe('a restricted user cannot sign in', () => {
  test('with a password, and a wrong one does not show the restriction', async () => {
    const user = await signUp(send, project);
    await restrict(user.userId);
    expectRestricted(await signIn(user));
    const wrong = { email: user.email, password: 'wrong password' };
    const answer = await send('POST', '/auth/password/sign-in', { ...project, body: wrong });
    expectKnown(answer, 400, 'EMAIL_PASSWORD_MISMATCH');
  });

  test('with an emailed code, which ends with the restriction', async () => {
    const { email, userId } = await signUp(send, project);
    await patch(userId, { primary_email_verified: true, otp_auth_enabled: true });
    const callback_url = 'http://localhost:3000/handler/magic-link-callback';
    const request = async () => {
      await send('POST', '/auth/otp/send-sign-in-code', { ...project, body: { email, callback_url } });
      return (await mailTo(api, email)).code;
    };
    const code = await request();
    const redeem = (given: string) => send('POST', '/auth/otp/sign-in', { ...project, body: { code: given } });
    await restrict(userId);
    expectRestricted(await redeem(code));
    await lift(userId);
    expectKnown(await redeem(code), 400, 'VERIFICATION_CODE_EXPIRED');
    expect((await redeem(await request())).status).toBe(200);
  });

  test('with a second factor, at either step', async () => {
    const user = await signUp(send, project);
    const secret = Buffer.alloc(20, 1);
    await patch(user.userId, { totp_secret_base64: secret.toString('base64') });
    const { attempt_code: code } = (await signIn(user)).body.details;
    await restrict(user.userId);
    expectRestricted(await signIn(user));
    const totp = generateSync({ secret, epoch: Math.floor(Date.parse(api.deps.now()) / 1000) });
    expectRestricted(await send('POST', '/auth/mfa/sign-in', { ...project, body: { code, type: 'totp', totp } }));
  });

  test('with a provider account', async () => {
    const browser = browserOf(api, project);
    const person = newPerson();
    const first = await browser.signIn('google', person);
    const own = await send('GET', '/users/me', { ...project, as: first.access_token });
    await restrict(own.body.id);
    expectRestricted(await browser.redeem(await browser.codeFor('google', person)));
    await lift(own.body.id);
    expect((await browser.signIn('google', person)).is_new_user).toBe(false);
  });

  test('from a CLI whose login was approved before', async () => {
    const user = await signUp(send, project);
    const { body: login } = await send('POST', '/auth/cli', { ...project, body: {} });
    const approval = { login_code: login.login_code, refresh_token: user.refreshToken };
    await send('POST', '/auth/cli/complete', { ...project, body: approval });
    await restrict(user.userId);
    const body = { polling_code: login.polling_code };
    expectRestricted(await send('POST', '/auth/cli/poll', { ...project, body }));
  });

  test('through a session that a server starts', async () => {
    const user = await signUp(send, project);
    await restrict(user.userId);
    for (const is_impersonation of [false, true]) {
      const body = { user_id: user.userId, is_impersonation };
      expectRestricted(await send('POST', '/auth/sessions', { ...project, ...asServer, body }));
    }
  });
});

describe('the fields of a restriction', () => {
  test('require restricted_by_admin, on update and creation', async () => {
    const { id } = (await create({})).body;
    const fault = ': requires restricted_by_admin to be true';
    for (const field of ['restricted_by_admin_reason', 'restricted_by_admin_private_details']) {
      expectSchemaError(await patch(id, { [field]: 'x' }), `body.${field}${fault}`);
      expectSchemaError(await create({ restricted_by_admin: false, [field]: 'x' }), `body.${field}${fault}`);
      expect((await patch(id, { [field]: null })).status).toBe(200);
    }
  });

  test('cannot be set by a client', async () => {
    const user = await signUp(send, project);
    for (const body of [{ restricted_by_admin: false }, { country_code: 'CH' }, { risk_scores: {} }]) {
      const answer = await send('PATCH', '/users/me', { ...project, as: user.accessToken, body });
      expectSchemaError(answer, `body has unknown fields: ${Object.keys(body)}`);
    }
  });
});

test('the country and risk scores are stored as given', async () => {
  const { id } = (await create({ country_code: ' ch' })).body;
  const risk_scores = { sign_up: { bot: 100, free_trial_abuse: 7 } };
  const changed = await patch(id, { risk_scores }, newest);
  expect(changed.body).toMatchObject({ country_code: 'CH', risk_scores });
  expect((await patch(id, { country_code: null }, newest)).body).toMatchObject({ country_code: null, risk_scores });
  for (const country_code of ['CHE', 'C', '12']) {
    expectSchemaError(await patch(id, { country_code }), 'body.country_code: must be a country code of two letters');
  }
  for (const sign_up of [{ bot: 1 }, { bot: 101, free_trial_abuse: 0 }, { bot: 0.5, free_trial_abuse: 0 }]) {
    expectSchemaError(await patch(id, { risk_scores: { sign_up } }));
  }
});
