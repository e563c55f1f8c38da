import { issueOwnerSetup } from '@gatebook/commands/project/owner-setup';
import { expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { type Answer, createProject, newEmail, type OwnedProject, password, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const lenient = await createProject(send);
const body = { breached_passwords_rejected: false };
await send('PATCH', '/internal/projects/current/settings', { ...lenient, access: 'admin', body });

const common = 'password123';
const message = 'This password is on a list of common and breached passwords. Choose another one.';
const callback_url = 'http://localhost/page';

/** Everywhere a person chooses a password. */
const ways: Record<string, (of: OwnedProject) => Promise<Answer>> = {
  'sign-up': (of) => {
    const body = { email: newEmail(), password: common, verification_callback_url: callback_url };
    return send('POST', '/auth/password/sign-up', { ...of, body });
  },
  'a first password': async (of) => {
    const { body } = await send('POST', '/users', { ...of, access: 'server', body: {} });
    const session = await send('POST', '/auth/sessions', { ...of, access: 'server', body: { user_id: body.id } });
    return send('POST', '/auth/password/set', { ...of, as: session.body.access_token, body: { password: common } });
  },
  'a changed password': async (of) => {
    const { accessToken } = await signUp(send, of);
    const body = { old_password: password, new_password: common };
    return send('POST', '/auth/password/update', { ...of, as: accessToken, body });
  },
  'a reset': async (of) => {
    const { email } = await signUp(send, of);
    await send('POST', '/auth/password/send-reset-code', { ...of, body: { email, callback_url } });
    const { code } = await mailTo(api, email);
    const answer = await send('POST', '/auth/password/reset', { ...of, body: { code, password: common } });
    if (answer.status === 200) return answer;
    // The rejection has not used the code up.
    expect((await send('POST', '/auth/password/reset', { ...of, body: { code, password } })).status).toBe(200);
    return answer;
  },
};

test.each(Object.entries(ways))(
  'a common password is rejected for %s, in words that clients show',
  async (_, choose) => {
    const { status, body, headers } = await choose(project);
    expect({ status, body }).toEqual({
      status: 400,
      body: { code: 'SCHEMA_ERROR', details: { message }, error: message },
    });
    expect(headers['x-stack-known-error']).toBe('SCHEMA_ERROR');
  },
);

test.each(Object.entries(ways))('the project setting allows it for %s', async (_, choose) => {
  expect((await choose(lenient)).status).toBe(200);
});

test('a common password is rejected for the first owner, and the setup link still works', async () => {
  const { token } = (await issueOwnerSetup(api.deps)) ?? {};
  const body = { token, email: newEmail() };
  const rejected = await send('POST', '/internal/setup', { body: { ...body, password: common } });
  expect(rejected.body).toMatchObject({ code: 'SCHEMA_ERROR', details: { message } });
  expect((await send('POST', '/internal/setup', { body: { ...body, password } })).status).toBe(200);
});

test('a server can set any password, as the protocol requires', async () => {
  const body = { primary_email: newEmail(), primary_email_auth_enabled: true, password: common };
  const made = await send('POST', '/users', { ...project, access: 'server', body });
  expect(made.status).toBe(201);
  const path = `/users/${made.body.id}`;
  expect((await send('PATCH', path, { ...project, access: 'server', body: { password: common } })).status).toBe(200);
});
