import { beforeAll, expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import {
  changeSettings,
  createProject,
  expectKnown,
  expectSchemaError,
  newEmail,
  password,
  type SignedIn,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const callback_url = 'http://localhost/page';
const minLength = password.length + 1;
const [tooShort, longEnough] = ['🗝'.repeat(minLength - 1), '🗝'.repeat(minLength)];

let user: SignedIn;
beforeAll(async () => {
  user = await signUp(send, project);
  expect((await changeSettings(send, project, { min_password_length: minLength })).status).toBe(200);
});

/** Everywhere a person chooses a password; sent twice with the same code or session. */
const ways: Record<string, () => Promise<(chosen: string) => ReturnType<typeof send>>> = {
  'sign-up': async () => (chosen) => {
    const body = { email: newEmail(), password: chosen, verification_callback_url: callback_url };
    return send('POST', '/auth/password/sign-up', { ...project, body });
  },
  'a first password': async () => {
    const { body } = await send('POST', '/users', { ...project, access: 'server', body: {} });
    const session = await send('POST', '/auth/sessions', { ...project, access: 'server', body: { user_id: body.id } });
    const as = session.body.access_token;
    return (chosen) => send('POST', '/auth/password/set', { ...project, as, body: { password: chosen } });
  },
  'a changed password': async () => (chosen) => {
    const body = { old_password: password, new_password: chosen };
    return send('POST', '/auth/password/update', { ...project, as: user.accessToken, body });
  },
  'a reset': async () => {
    await send('POST', '/auth/password/send-reset-code', { ...project, body: { email: user.email, callback_url } });
    const { code } = await mailTo(api, user.email);
    return (chosen) => send('POST', '/auth/password/reset', { ...project, body: { code, password: chosen } });
  },
};

test('an existing password that is shorter still signs in', async () => {
  const body = { email: user.email, password };
  expect((await send('POST', '/auth/password/sign-in', { ...project, body })).status).toBe(200);
});

test.each(Object.entries(ways))('applies to %s', async (_, start) => {
  const choose = await start();
  expectKnown(await choose(tooShort), 400, 'PASSWORD_TOO_SHORT', { min_length: minLength });
  expect((await choose(longEnough)).status).toBe(200);
});

test('does not apply to passwords that a server sets', async () => {
  const body = { primary_email: newEmail(), primary_email_auth_enabled: true, password: 'short' };
  expect((await send('POST', '/users', { ...project, access: 'server', body })).status).toBe(201);
});

test('is a number from 8 to 64', async () => {
  for (const length of [7, 65, 8.5, null]) {
    expectSchemaError(await changeSettings(send, project, { min_password_length: length }), 'body.min_password_length');
  }
});

test('is told to our own clients only', async () => {
  const configFor = async (version: string) =>
    (await send('GET', '/projects/current', { ...project, headers: { 'x-stack-client-version': version } })).body
      .config;
  expect(await configFor('js @gatebook/js@1.0.0')).toMatchObject({ min_password_length: minLength });
  expect(await configFor('js @stackframe/js@2.8.108')).not.toHaveProperty('min_password_length');
});
