import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { describe, expect, test } from 'vitest';
import { actionOf, actionsWith, patchUser, type World, type Write } from '../../testing/actions.ts';
import {
  changeConfig,
  changeSettings,
  createProject,
  expectKnown,
  type OwnedProject,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const { asAdmin, write, read, undo, preview, createUser, createWorld } = actionsWith(send);

describe('an undo', () => {
  test('check 24: of a field that changed again names it, and writes nothing', async () => {
    const { project, user } = await createWorld();
    const first = await write(
      project,
      patchUser(user, { display_name: 'Bob', client_metadata: { plan: 'pro', seats: 2 } }),
    );
    const second = await write(project, patchUser(user, { client_metadata: { plan: 'max', seats: 2 } }));
    const [{ id: changedBy }] = (await read(project, `/internal/actions/${actionOf(second)}`)).events;
    const head = await api.deps.store.head();
    const conflicts = [
      {
        target: { type: 'user', id: user },
        field: 'client_metadata.plan',
        restored_value: 'free',
        current_value: 'max',
        changed_by_event_id: changedBy,
      },
    ];
    expectKnown(await undo(project, actionOf(first)), 409, 'UNDO_CONFLICT', { conflicts });
    expect(await api.deps.store.head()).toBe(head);
    const { undo: state } = await read(project, `/internal/actions/${actionOf(first)}`);
    expect(state).toMatchObject({ state: 'conflict', conflicts });
    expect((await undo(project, actionOf(second))).status).toBe(200);
    expect((await undo(project, actionOf(first))).status).toBe(200);
    expect(await read(project, `/users/${user}`)).toMatchObject({
      display_name: 'Ann',
      client_metadata: { plan: 'free', seats: 1 },
    });
  });

  test('of a large value is shown by its size and hash', async () => {
    const { project, user } = await createWorld();
    const image = `data:image/png;base64,${'A'.repeat(100_000)}`;
    const changed = await write(project, patchUser(user, { profile_image_url: image }));
    const { changes } = await read(project, `/internal/actions/${actionOf(changed)}`);
    const after = { bytes: JSON.stringify(image).length, sha256: expect.any(String) };
    expect(changes).toMatchObject([{ field: 'profile_image_url', before: null, after }]);
    const { body } = await undo(project, actionOf(changed));
    expect(body.changes).toMatchObject([{ field: 'profile_image_url', before: after, after: null }]);
  });

  test('check 24: keeps later changes of other fields', async () => {
    const { project, user } = await createWorld();
    const renamed = await write(
      project,
      patchUser(user, { display_name: 'Bob', client_metadata: { plan: 'pro', seats: 1 } }),
    );
    await write(project, patchUser(user, { server_metadata: 'kept', client_metadata: { plan: 'pro', seats: 9 } }));
    const { body } = await undo(project, actionOf(renamed));
    expect(body.changes.map(({ field }: { field: string }) => field)).toEqual(['display_name', 'client_metadata.plan']);
    expect(await read(project, `/users/${user}`)).toMatchObject({
      display_name: 'Ann',
      client_metadata: { plan: 'free', seats: 9 },
      server_metadata: 'kept',
    });
  });

  test('check 24: sent many times at once is done once', async () => {
    const { project, user } = await createWorld();
    const renamed = await write(project, patchUser(user, { display_name: 'Bob' }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => undo(project, actionOf(renamed))));
    const [done, ...others] = answers.toSorted((one, other) => one.status - other.status);
    expect(done?.status).toBe(200);
    for (const answer of others) {
      expectKnown(answer, 409, 'ACTION_ALREADY_UNDONE', { by_action_id: done && actionOf(done) });
    }
    expect((await read(project, `/internal/actions/${done && actionOf(done)}`)).events).toHaveLength(1);
  });

  test('check 24: with an idempotency key is decided once, and replayed', async () => {
    const { project, user } = await createWorld();
    const renamed = await write(project, patchUser(user, { display_name: 'Bob' }));
    const headers = { 'idempotency-key': 'undo' };
    const first = await undo(project, actionOf(renamed), headers);
    const again = await undo(project, actionOf(renamed), headers);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  test('has a preview, whose ETag it takes', async () => {
    const { project, user } = await createWorld();
    const renamed = await write(project, patchUser(user, { display_name: 'Bob' }));
    const path = `/internal/actions/${actionOf(renamed)}/undo`;
    const view = await preview(project, { method: 'POST', path });
    expect(view).toMatchObject({
      status: 200,
      body: { action_id: null, undoes_action_id: actionOf(renamed) },
      changes: [{ field: 'display_name', before: 'Bob', after: 'Ann' }],
      is_reversible: true,
    });
    await write(project, patchUser(user, { server_metadata: 1 }));
    const headers = { 'if-match': `"${view.etag}"` };
    expectKnown(await undo(project, actionOf(renamed), headers), 412, 'PREVIEW_OUTDATED', {
      changed: [{ type: 'user', id: user }],
    });
    const { etag } = await preview(project, { method: 'POST', path });
    expect((await undo(project, actionOf(renamed), { 'if-match': `"${etag}"` })).status).toBe(200);
  });

  test('of a restoration forgets the responses that contain the user, as a deletion does', async () => {
    const { project, user } = await createWorld();
    const rename = patchUser(user, { display_name: 'Bob' });
    await write(project, { method: 'DELETE', path: `/users/${user}` });
    const restored = await write(project, { method: 'POST', path: `/internal/users/${user}/restore` });
    const headers = { 'idempotency-key': 'rename' };
    await write(project, rename, headers);
    expect((await write(project, rename, headers)).headers['idempotency-replayed']).toBe('true');
    expect((await undo(project, actionOf(restored))).status).toBe(200);
    const again = await write(project, rename, headers);
    expect([again.status, again.text]).toEqual([409, expect.not.stringContaining('Bob')]);
  });

  test('by an admin restores an address beyond the quota of client access, as the admin could add it', async () => {
    const { project, user, channel } = await createWorld();
    const removed = await write(project, { method: 'DELETE', path: `/contact-channels/${user}/${channel}` });
    await changeSettings(send, project, { quotas: { contact_channels_per_user: 1 } });
    expect((await undo(project, actionOf(removed))).status).toBe(200);
    expect((await read(project, `/contact-channels?user_id=${user}`)).items).toHaveLength(2);
  });

  test('of a removed domain is rejected beyond the quota, which applies to everyone', async () => {
    const project = await createProject(send);
    const setDomains = (...domains: string[]) => {
      const config = { domains: domains.map((domain) => ({ domain, handler_path: '/handler' })) };
      return write(project, { method: 'PATCH', path: '/internal/projects/current', body: { config } });
    };
    await setDomains('https://a.example.com', 'https://b.example.com');
    const removed = await setDomains('https://a.example.com');
    await changeSettings(send, project, { quotas: { domains: 1 } });
    const { code, details } = (await undo(project, actionOf(removed))).body;
    expect([code, details.reasons.join()]).toEqual(['ACTION_NOT_REVERSIBLE', expect.stringContaining('domains')]);
  });

  test('of an unknown action, or of one of another project, finds nothing', async () => {
    const { project, user } = await createWorld();
    const renamed = await write(project, patchUser(user, { display_name: 'Bob' }));
    const other = await createProject(send);
    for (const id of ['UNKNOWN', actionOf(renamed)]) {
      expectKnown(await undo(other, id), 404, 'ACTION_NOT_FOUND');
      expectKnown(await send('GET', `/internal/actions/${id}`, asAdmin(other)), 404, 'ACTION_NOT_FOUND');
    }
  });

  test('check 25: of a removed address fails if somebody else signs in with it', async () => {
    const { project, user, channel, email } = await createWorld();
    const removed = await write(project, { method: 'DELETE', path: `/contact-channels/${user}/${channel}` });
    await createUser(project, { primary_email: email, primary_email_auth_enabled: true });
    const reasons = [`Another user already signs in with ${email}.`];
    expectKnown(await undo(project, actionOf(removed)), 409, 'ACTION_NOT_REVERSIBLE', { reasons });
    const { undo: state } = await read(project, `/internal/actions/${actionOf(removed)}`);
    expect(state).toMatchObject({ state: 'not_reversible', reasons });
  });

  test('check 25: of a sent email is not possible', async () => {
    const project = await createProject(send);
    const { email } = await signUp(send, project);
    const sent = await send('POST', '/auth/password/send-reset-code', {
      ...project,
      body: { email, callback_url: 'http://localhost:3000/handler' },
    });
    const { code, details } = (await undo(project, actionOf(sent))).body;
    expect([code, details.reasons.join()]).toEqual(['ACTION_NOT_REVERSIBLE', expect.stringContaining('sent')]);
  });

  test('check 25: revives no session and requests no email', async () => {
    const project = await createProject(send);
    const { userId, accessToken } = await signUp(send, project);
    const restrict = patchUser(userId, { restricted_by_admin: true });
    const view = await preview(project, restrict);
    expect(view.effects).toMatchObject([{ kind: 'sessions_ended', count: 1, text: 'Ends 1 session' }]);
    const done = await write(project, restrict);
    const emails = async () => (await read(project, '/emails/outbox')).items?.length;
    const before = await emails();
    const undone = await undo(project, actionOf(done));
    expect(undone.body.warnings).toEqual(['Ended sessions stay ended.']);
    expect((await send('GET', '/users/me', { ...project, as: accessToken })).status).toBe(401);
    expect(await emails()).toBe(before);
  });

  test('check 25: of a permission whose definition was deleted since is not possible', async () => {
    const { project, user } = await createWorld();
    const revoked = await write(project, { method: 'DELETE', path: `/project-permissions/${user}/edit` });
    await write(project, { method: 'DELETE', path: '/project-permission-definitions/edit' });
    expect((await undo(project, actionOf(revoked))).body.code).toBe('ACTION_NOT_REVERSIBLE');
  });
});

const newProjectKey = {
  method: 'POST',
  path: '/internal/api-keys',
  body: {
    description: 'k',
    expires_at_millis: Date.parse('2099-01-01'),
    has_publishable_client_key: true,
    has_secret_server_key: false,
    has_super_secret_admin_key: false,
  },
};

/** @returns the ID of a new user with a passkey */
async function createUserWithPasskey(project: OwnedProject): Promise<string> {
  await changeConfig(send, project, { passkey_enabled: true });
  const { accessToken, userId } = await signUp(send, project);
  const post = (path: string, body: object) =>
    send('POST', `/auth/passkey/${path}`, { ...project, as: accessToken, body });
  const { options_json, code } = (await post('initiate-passkey-registration', {})).body;
  const credential = createAuthenticator().register(options_json);
  expect((await post('register', { credential, code })).status).toBe(200);
  return userId;
}

const irreversible: readonly [string, (world: World) => Write | Promise<Write>, string][] = [
  ['a created user', () => ({ method: 'POST', path: '/users', body: {} }), 'delete the user'],
  ['an erased user', ({ user }) => ({ method: 'POST', path: `/internal/users/${user}/erase` }), 'erased'],
  ['an erased team', ({ team }) => ({ method: 'POST', path: `/internal/teams/${team}/erase` }), 'erased'],
  ['a password', ({ user }) => patchUser(user, { password: 'correct horse battery' }), 'password'],
  [
    'a second factor',
    ({ user }) => patchUser(user, { totp_secret_base64: 'c2VjcmV0c2VjcmV0c2VjcmV0' }),
    'second factor',
  ],
  [
    'a password with other fields',
    ({ user }) => patchUser(user, { display_name: 'x', password: 'battery staple' }),
    'password',
  ],
  [
    'a revoked API key',
    ({ key }) => ({ method: 'PATCH', path: `/user-api-keys/${key}`, body: { revoked: true } }),
    'revoked',
  ],
  ['a new project key', () => newProjectKey, 'revoke the key'],
  [
    'a revoked project key',
    async ({ project }) => {
      const { id } = (await write(project, newProjectKey)).body;
      return { method: 'PATCH', path: `/internal/api-keys/${id}`, body: { revoked: true } };
    },
    'revoked',
  ],
  [
    'a removed passkey',
    async ({ project }) => patchUser(await createUserWithPasskey(project), { passkey_auth_enabled: false }),
    'passkey',
  ],
];

describe('check 25: an undo', () => {
  test.each(irreversible)(
    'of %s is rejected with the reason, which its preview told',
    async (_name, toWrite, reason) => {
      const world = await createWorld();
      const { project } = world;
      const irreversibleWrite = await toWrite(world);
      const view = await preview(project, irreversibleWrite);
      expect(view).toMatchObject({ error: null, is_reversible: false });
      const done = await write(project, irreversibleWrite);
      expect(done.status).toBe(view.status);
      const answer = await undo(project, actionOf(done));
      expectKnown(answer, 409, 'ACTION_NOT_REVERSIBLE', { reasons: view.irreversible_reasons });
      expect(view.irreversible_reasons.join()).toContain(reason);
      const { undo: state } = await read(project, `/internal/actions/${actionOf(done)}`);
      expect(state).toMatchObject({ state: 'not_reversible', reasons: view.irreversible_reasons });
    },
  );
});
