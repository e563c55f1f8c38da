import { expect, test } from 'vitest';
import { createProject, newEmail, password, type Send, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const reached = api.deps.readModels.reached;

/** Answers to writes do not wait long enough; the rows still come a moment later. */
async function whileBehind<T>(work: () => Promise<T>): Promise<T> {
  Object.assign(api.deps.readModels, {
    reached: async (position: bigint | null) => {
      const state = await reached(position);
      return position === null ? state : 'behind';
    },
  });
  try {
    return await work();
  } finally {
    Object.assign(api.deps.readModels, { reached });
  }
}

/** Activity is written a moment later, and is not part of any write. */
const withoutActivity = ({ last_active_at_millis, last_used_at_millis, ...body }: Record<string, unknown>) => body;

/** The answer from what was decided has to be what the rows say afterwards. */
async function expectSameAsRows(path: string, call: object, write: () => ReturnType<Send>): Promise<void> {
  const answer = await whileBehind(write);
  expect(answer.headers['x-read-model']).toBe('behind');
  expect([200, 201]).toContain(answer.status);
  const rows = await send('GET', path.replace('{id}', answer.body.id), call);
  expect(withoutActivity(answer.body)).toEqual(withoutActivity(rows.body));
}

test('a created user is visible at once', async () => {
  const body = {
    display_name: '',
    primary_email: newEmail(),
    primary_email_verified: true,
    client_metadata: { a: 1 },
    password,
    is_anonymous: true,
  };
  const call = { ...project, access: 'server' as const };
  const answer = await whileBehind(() => send('POST', '/users', { ...call, body }));
  expect(answer).toMatchObject({ status: 201, headers: { 'x-read-model': 'behind' } });
  const rows = await send('GET', `/users/${answer.body.id}`, call);
  // The clock is read again for the answer: a millisecond may lie between.
  const times = { signed_up_at_millis: expect.any(Number), last_active_at_millis: expect.any(Number) };
  expect(answer.body).toEqual({ ...rows.body, ...times });
});

test('changes of a user by a server or by the user are visible at once', async () => {
  const user = await signUp(send, project);
  const call = { ...project, access: 'server' as const };
  for (const body of [
    { display_name: 'Ann', server_metadata: [1], password: 'another password' },
    { display_name: '', primary_email: null, client_read_only_metadata: 'x' },
    { profile_image_url: 'https://example.com/a.png', otp_auth_enabled: false, password: null },
  ]) {
    await expectSameAsRows('/users/{id}', call, () => send('PATCH', `/users/${user.userId}`, { ...call, body }));
  }
  const other = await signUp(send, project);
  const own = { ...project, as: other.accessToken };
  await expectSameAsRows('/users/me', own, () => send('PATCH', '/users/me', { ...own, body: { display_name: 'Me' } }));
});

test('changes of a project and its settings are visible at once', async () => {
  const call = { ...project, access: 'admin' as const };
  const config = {
    magic_link_enabled: true,
    oauth_providers: [{ id: 'github', type: 'standard', client_id: 'a', client_secret: 'b' }],
    domains: [{ domain: 'https://example.com', handler_path: '/' }],
    email_config: {
      type: 'standard',
      host: 'h',
      port: 25,
      username: 'u',
      password: 'p',
      sender_name: 's',
      sender_email: 's@example.com',
    },
  };
  const path = '/internal/projects/current';
  await expectSameAsRows(path, call, () => send('PATCH', path, { ...call, body: { description: 'new', config } }));
  const settings = '/internal/projects/current/settings';
  await expectSameAsRows(settings, call, () =>
    send('PATCH', settings, { ...call, body: { keyless_clients_allowed: false } }),
  );
});

test('a created project is visible at once', async () => {
  const owner = await signUp(send);
  const body = { display_name: 'P', config: { domains: [{ domain: 'https://example.com', handler_path: '/' }] } };
  const answer = await whileBehind(() => send('POST', '/internal/projects', { as: owner.accessToken, body }));
  expect(answer).toMatchObject({ status: 201, headers: { 'x-read-model': 'behind' } });
  const { items } = (await send('GET', '/internal/projects', { as: owner.accessToken })).body;
  expect({ ...answer.body, created_at_millis: 0 }).toEqual({ ...items[0], created_at_millis: 0 });
});

test('changed and revoked project keys are visible at once', async () => {
  const call = { ...project, access: 'admin' as const };
  const [key] = (await send('GET', '/internal/api-keys', call)).body.items;
  await expectSameAsRows('/internal/api-keys/{id}', call, () =>
    send('PATCH', `/internal/api-keys/${key.id}`, { ...call, body: { description: 'late' } }),
  );
});

test('sign-up works while the read models are stale', async () => {
  const body = { email: newEmail(), password, verification_callback_url: 'http://localhost' };
  const answer = await whileBehind(() => send('POST', '/auth/password/sign-up', { ...project, body }));
  expect(answer).toMatchObject({ status: 200, headers: { 'x-read-model': 'behind' } });
  expect((await send('GET', '/users/me', { ...project, as: answer.body.access_token })).status).toBe(200);
});
