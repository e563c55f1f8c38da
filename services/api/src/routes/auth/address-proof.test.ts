import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { describe, expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { newPerson, projectsOf } from '../../testing/oauth.ts';
import { expectKnown, expectPlain, newEmail, password, type SignedIn, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

// The attacks of docs/decisions/0021, as a stranger makes them.

const callback_url = 'http://localhost:3000/handler/page';
const victimsPassword = 'battery staple';

const { api, send } = await startSuite();
const setup = await projectsOf(api)({ magic_link_enabled: true, passkey_enabled: true, allow_user_api_keys: true });

const post = (path: string, body?: unknown, as?: string, headers = {}) =>
  send('POST', path, { ...setup.project, body, headers, ...(as === undefined ? {} : { as }) });
const me = (as: string) => send('GET', '/users/me', { ...setup.project, as });
const signIn = (email: string, text = password) => post('/auth/password/sign-in', { email, password: text });

async function resetBy(email: string) {
  await post('/auth/password/send-reset-code', { email, callback_url });
  const { code } = await mailTo(api, email);
  expect((await post('/auth/password/reset', { code, password: victimsPassword })).status).toBe(200);
}

async function registerPasskey({ accessToken }: SignedIn) {
  const authenticator = createAuthenticator();
  const { options_json, code } = (await post('/auth/passkey/initiate-passkey-registration', {}, accessToken)).body;
  const credential = authenticator.register(options_json);
  expect((await post('/auth/passkey/register', { credential, code }, accessToken)).status).toBe(200);
  return async () => {
    const begun = (await post('/auth/passkey/initiate-passkey-authentication', {})).body;
    const authentication_response = authenticator.authenticate(begun.options_json);
    return post('/auth/passkey/sign-in', { authentication_response, code: begun.code });
  };
}

async function createKey({ accessToken }: SignedIn) {
  const body = { user_id: 'me', description: 'spy', expires_at_millis: null, is_public: false };
  const key = (await post('/user-api-keys', body, accessToken)).body;
  expect(key.value).toMatch(/^sk_/);
  return async () => {
    const check = { ...setup.project, access: 'server', body: { api_key: key.value } } as const;
    return send('POST', '/user-api-keys/check', check);
  };
}

describe('an attacker who signed up with a victim’s address first', () => {
  test('loses password, session, passkey, provider account and API key when the owner resets the password', async () => {
    const attacker = await signUp(send, setup.project);
    const { email, userId } = attacker;
    const passkeySignIn = await registerPasskey(attacker);
    const checkKey = await createKey(attacker);
    expect((await checkKey()).body.user_id).toBe(userId);
    const account = newPerson();
    await setup.signIn('github', account, { type: 'link', token: attacker.accessToken });

    await resetBy(email);
    const victim = (await signIn(email, victimsPassword)).body;
    expect(victim.user_id).toBe(userId);
    const profile = (await me(victim.access_token)).body;
    expect(profile).toMatchObject({ primary_email_verified: true, passkey_auth_enabled: false, oauth_providers: [] });

    expectKnown(await signIn(email), 400, 'EMAIL_PASSWORD_MISMATCH');
    expect((await me(attacker.accessToken)).body.code).toBe('ACCESS_TOKEN_EXPIRED');
    expectKnown(await passkeySignIn(), 400, 'PASSKEY_AUTHENTICATION_FAILED', { message: expect.any(String) });
    expectKnown(await checkKey(), 401, 'API_KEY_REVOKED');
    const own = await createKey({ ...attacker, accessToken: victim.access_token });
    expect((await own()).body.user_id).toBe(userId);
    const { access_token } = await setup.signIn('github', account);
    expect((await me(access_token)).body.id).not.toBe(userId);
  });

  test('loses access when the owner verifies the address, and a reset gives the owner the account', async () => {
    const attacker = await signUp(send, setup.project);
    const { code } = await mailTo(api, attacker.email);
    expect((await post('/contact-channels/verify', { code })).status).toBe(200);
    expectKnown(await signIn(attacker.email), 400, 'EMAIL_PASSWORD_MISMATCH');
    expect((await me(attacker.accessToken)).body.code).toBe('ACCESS_TOKEN_EXPIRED');
    await resetBy(attacker.email);
    expect((await signIn(attacker.email, victimsPassword)).body.user_id).toBe(attacker.userId);
  });

  test('loses access when the owner signs in by code after a published client verified the address', async () => {
    const attacker = await signUp(send, setup.project);
    const { code } = await mailTo(api, attacker.email);
    const published = { 'x-stack-client-version': 'js @stackframe/react@2.8.15' };
    expect((await post('/contact-channels/verify', { code }, undefined, published)).status).toBe(200);
    expect((await me(attacker.accessToken)).body.primary_email_verified).toBe(true);
    await post('/auth/otp/send-sign-in-code', { email: attacker.email, callback_url });
    const victim = (await post('/auth/otp/sign-in', { code: (await mailTo(api, attacker.email)).code })).body;
    expect(victim.user_id).toBe(attacker.userId);
    expectKnown(await signIn(attacker.email), 400, 'EMAIL_PASSWORD_MISMATCH');
    expect((await me(attacker.accessToken)).body.code).toBe('ACCESS_TOKEN_EXPIRED');
  });

  test('loses access when the owner signs in through a provider', async () => {
    const attacker = await signUp(send, setup.project);
    const passkeySignIn = await registerPasskey(attacker);
    const { code } = await mailTo(api, attacker.email);
    const published = { 'x-stack-client-version': 'js @hexclave/js@2.8.108' };
    await post('/contact-channels/verify', { code }, undefined, published);
    const owner = await setup.signIn('google', newPerson({ email: attacker.email }));
    expect((await me(owner.access_token)).body.id).toBe(attacker.userId);
    expectKnown(await passkeySignIn(), 400, 'PASSKEY_AUTHENTICATION_FAILED', { message: expect.any(String) });
    expectKnown(await signIn(attacker.email), 400, 'EMAIL_PASSWORD_MISMATCH');
    expect((await me(attacker.accessToken)).body.code).toBe('ACCESS_TOKEN_EXPIRED');
  });
});

describe('a user verifying the address of their own account', () => {
  test('keeps password, passkey, key and session when the request carries the session', async () => {
    const ann = await signUp(send, setup.project);
    const passkeySignIn = await registerPasskey(ann);
    const checkKey = await createKey(ann);
    const { code } = await mailTo(api, ann.email);
    const sdk = { 'x-stack-client-version': 'js @gatebook/js@0.1.0' };
    expect((await post('/contact-channels/verify', { code }, ann.accessToken, sdk)).status).toBe(200);
    expect((await me(ann.accessToken)).body).toMatchObject({ primary_email_verified: true, has_password: true });
    expect((await signIn(ann.email)).body.user_id).toBe(ann.userId);
    await resetBy(ann.email);
    expect((await passkeySignIn()).body.user_id).toBe(ann.userId);
    expect((await checkKey()).body.user_id).toBe(ann.userId);
  });

  test('does not keep them with the session of another user', async () => {
    const [ann, eve] = [await signUp(send, setup.project), await signUp(send, setup.project)];
    const { code } = await mailTo(api, ann.email);
    await post('/contact-channels/verify', { code }, eve.accessToken);
    expectKnown(await signIn(ann.email), 400, 'EMAIL_PASSWORD_MISMATCH');
  });
});

describe('the address of another person in an account', () => {
  const add = (user: SignedIn, value: string) =>
    post('/contact-channels', { user_id: 'me', type: 'email', value, used_for_auth: true }, user.accessToken);

  test('does not give its owner access to the account: a reset creates a separate account', async () => {
    const attacker = await signUp(send, setup.project);
    await post('/contact-channels/verify', { code: (await mailTo(api, attacker.email)).code }, attacker.accessToken);
    const passkeySignIn = await registerPasskey(attacker);
    const email = newEmail();
    expect((await add(attacker, email)).status).toBe(201);
    const rejected = await post('/auth/password/sign-up', { email, password, verification_callback_url: callback_url });
    expectKnown(rejected, 409, 'USER_EMAIL_ALREADY_EXISTS', { email });

    await resetBy(email);
    const victim = (await signIn(email, victimsPassword)).body;
    expect(victim.user_id).not.toBe(attacker.userId);
    expect((await me(victim.access_token)).body).toMatchObject({ primary_email: email, primary_email_verified: true });
    expect((await passkeySignIn()).body.user_id).toBe(attacker.userId);
    const channels = (await send('GET', '/contact-channels?user_id=me', { ...setup.project, as: attacker.accessToken }))
      .body.items;
    expect(channels).toMatchObject([
      { value: attacker.email, used_for_auth: true },
      { value: email, used_for_auth: false, is_verified: false },
    ]);
  });

  test('becomes a separate account through a provider if passwords are disabled', async () => {
    const { signIn: through, project } = await projectsOf(api)({ credential_enabled: false });
    const attacker = await through('github', newPerson());
    const email = newEmail();
    const body = { user_id: 'me', type: 'email', value: email, used_for_auth: true };
    expect((await send('POST', '/contact-channels', { ...project, as: attacker.access_token, body })).status).toBe(201);
    const victim = await through('google', newPerson({ email }));
    expect(victim.is_new_user).toBe(true);
    const profile = (await send('GET', '/users/me', { ...project, as: victim.access_token })).body;
    expect(profile).toMatchObject({ primary_email: email, primary_email_verified: true });
    const read = { ...project, access: 'server' } as const;
    const channels = (await send('GET', '/contact-channels', read)).body.items;
    const holders = channels.filter(
      (one: { value: string; used_for_auth: boolean }) => one.value === email && one.used_for_auth,
    );
    expect(holders).toMatchObject([{ user_id: profile.id }]);
  });

  test('counts toward the limit of three unverified addresses, except for servers', async () => {
    const user = await signUp(send, setup.project);
    expect((await add(user, newEmail())).status).toBe(201);
    expect((await add(user, newEmail())).status).toBe(201);
    expectPlain(await add(user, newEmail()), 400);
    const body = { user_id: user.userId, type: 'email', value: newEmail(), used_for_auth: true };
    expect((await send('POST', '/contact-channels', { ...setup.project, access: 'server', body })).status).toBe(201);
  });
});

test('a reset code is invalid after a newer one was sent or the password was changed or reset', async () => {
  const { email, accessToken } = await signUp(send, setup.project);
  const mailed = async () => {
    await post('/auth/password/send-reset-code', { email, callback_url });
    return (await mailTo(api, email)).code;
  };
  const redeem = (code: string) => post('/auth/password/reset', { code, password: victimsPassword });
  const [older, newer] = [await mailed(), await mailed()];
  expectKnown(await redeem(older), 400, 'VERIFICATION_CODE_EXPIRED');
  expectKnown(await post('/auth/password/reset/check-code', { code: older }), 400, 'VERIFICATION_CODE_EXPIRED');
  const change = { old_password: password, new_password: 'changed by hand' };
  expect((await post('/auth/password/update', change, accessToken)).status).toBe(200);
  expectKnown(await redeem(newer), 400, 'VERIFICATION_CODE_EXPIRED');
  const last = await mailed();
  expect((await redeem(last)).status).toBe(200);
  expectKnown(await redeem(older), 400, 'VERIFICATION_CODE_EXPIRED');
});
