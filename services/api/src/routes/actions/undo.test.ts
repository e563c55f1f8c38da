import { notificationCategories } from '@gatebook/contract/notifications';
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  changeSettings,
  createProject,
  expectKnown,
  newEmail,
  type OwnedProject,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();

type Write = { method: string; path: string; body?: unknown };
const asAdmin = (project: OwnedProject) => ({ ...project, access: 'admin' as const });
const write = (project: OwnedProject, { method, path, body }: Write, headers: Record<string, string> = {}) =>
  send(method, path, { ...asAdmin(project), headers, ...(body !== undefined && { body }) });
/** Of a client library that reads every field. */
const headers = { 'x-stack-client-version': 'js @stackframe/js@2.8.108' };
const read = async (project: OwnedProject, path: string) =>
  (await send('GET', path, { ...asAdmin(project), headers })).body;
const actionOf = (answer: Answer) => String(answer.headers['x-stack-request-id']);
const undo = (project: OwnedProject, actionId: string, headers: Record<string, string> = {}) =>
  send('POST', `/internal/actions/${actionId}/undo`, { ...asAdmin(project), headers });
const preview = async (project: OwnedProject, body: Write) =>
  (await send('POST', '/internal/previews', { ...asAdmin(project), body })).body;

const createUser = async (project: OwnedProject, body: object = {}) =>
  (await write(project, { method: 'POST', path: '/users', body })).body.id as string;
const createTeam = async (project: OwnedProject, body: object = {}) =>
  (await write(project, { method: 'POST', path: '/teams', body: { display_name: 'Crew', ...body } })).body.id as string;

/** A project with one of each thing, and its IDs. */
async function createWorld() {
  const project = await createProject(send, {
    config: { magic_link_enabled: true, allow_user_api_keys: true, allow_team_api_keys: true },
  });
  await changeSettings(send, project, { user_deletion_grace_days: 30 });
  const email = newEmail();
  const user = await createUser(project, {
    display_name: 'Ann',
    primary_email: email,
    primary_email_auth_enabled: true,
    primary_email_verified: true,
    client_metadata: { plan: 'free', seats: 1 },
  });
  const team = await createTeam(project, { creator_user_id: user });
  const definition = (path: string, id: string, contained: string[] = []) =>
    write(project, { method: 'POST', path, body: { id, description: id, contained_permission_ids: contained } });
  await definition('/project-permission-definitions', 'read');
  await definition('/project-permission-definitions', 'edit', ['read']);
  await definition('/team-permission-definitions', 'billing');
  await write(project, { method: 'POST', path: `/project-permissions/${user}/edit`, body: {} });
  await write(project, { method: 'POST', path: `/team-permissions/${team}/${user}/billing`, body: {} });
  const [channel] = (await read(project, `/contact-channels?user_id=${user}`)).items;
  const key = await write(project, {
    method: 'POST',
    path: '/user-api-keys',
    body: { user_id: user, description: 'key', expires_at_millis: null, is_public: false },
  });
  const other = await write(project, {
    method: 'POST',
    path: '/contact-channels',
    body: { user_id: user, type: 'email', value: newEmail(), used_for_auth: true, is_verified: true },
  });
  return { project, user, team, email, channel: channel.id, key: key.body.id, other: other.body.id };
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** What people read of everything that the writes below change. */
async function readAll({ project, user, team }: World) {
  const paths = [
    `/users/${user}`,
    `/contact-channels?user_id=${user}`,
    `/teams/${team}`,
    `/team-member-profiles?team_id=${team}`,
    `/team-permissions?team_id=${team}&recursive=true`,
    '/project-permissions?recursive=true',
    '/project-permissions?recursive=false',
    '/team-permission-definitions',
    '/project-permission-definitions',
    '/internal/projects/current',
    '/internal/projects/current/settings',
    '/internal/config',
    '/internal/deleted-users',
    `/emails/notification-preference/${user}`,
    '/email-templates',
    '/internal/api-keys',
    `/user-api-keys?user_id=${user}`,
  ];
  const bodies = await Promise.all(paths.map(async (path) => [path, await read(project, path)] as const));
  return Object.fromEntries(bodies);
}

const smtp = {
  type: 'standard',
  host: 'mail.example.com',
  port: 25,
  username: 'u',
  password: 'smtp canary',
  sender_name: 's',
  sender_email: 's@example.com',
};

/** Writes of each reversible kind. */
const reversible: readonly [string, (world: World) => Write][] = [
  ['a rename of a user', ({ user }) => patchUser(user, { display_name: 'Bob' })],
  ['an image', ({ user }) => patchUser(user, { profile_image_url: 'https://example.com/a.png' })],
  ['metadata', ({ user }) => patchUser(user, { client_metadata: { plan: 'pro' }, server_metadata: [1] })],
  [
    'a country and risk scores',
    ({ user }) => patchUser(user, { country_code: 'DE', risk_scores: { sign_up: { bot: 1, free_trial_abuse: 2 } } }),
  ],
  ['sign-in with email codes', ({ user }) => patchUser(user, { otp_auth_enabled: true })],
  ['a restriction', ({ user }) => patchUser(user, { restricted_by_admin: true, restricted_by_admin_reason: 'spam' })],
  ['a selected team', ({ user, team }) => patchUser(user, { selected_team_id: team })],
  ['a new primary address', ({ user }) => patchUser(user, { primary_email: 'new@example.com' })],
  ['several fields at once', ({ user }) => patchUser(user, { display_name: 'Eve', client_metadata: 7 })],
  [
    'flags of a channel',
    ({ user, channel }) => ({
      method: 'PATCH',
      path: `/contact-channels/${user}/${channel}`,
      body: { is_verified: false, used_for_auth: false },
    }),
  ],
  [
    'another primary channel',
    ({ user, other }) => ({
      method: 'PATCH',
      path: `/contact-channels/${user}/${other}`,
      body: { is_primary: true },
    }),
  ],
  ['a removed channel', ({ user, other }) => ({ method: 'DELETE', path: `/contact-channels/${user}/${other}` })],
  [
    'a removed primary channel',
    ({ user, channel }) => ({
      method: 'DELETE',
      path: `/contact-channels/${user}/${channel}`,
    }),
  ],
  ['a revoked permission', ({ user }) => ({ method: 'DELETE', path: `/project-permissions/${user}/edit` })],
  ['a granted permission', ({ user }) => ({ method: 'POST', path: `/project-permissions/${user}/read`, body: {} })],
  [
    'a notification preference',
    ({ user }) => ({
      method: 'PATCH',
      path: `/emails/notification-preference/${user}/${notificationCategories.marketing.id}`,
      body: { enabled: false },
    }),
  ],
  ['a scheduled deletion', ({ user }) => ({ method: 'DELETE', path: `/users/${user}` })],
  [
    'a change of a team',
    ({ team }) => ({
      method: 'PATCH',
      path: `/teams/${team}`,
      body: { display_name: 'Band', client_metadata: { a: 1 }, profile_image_url: 'https://example.com/t.png' },
    }),
  ],
  ['a removed member', ({ team, user }) => ({ method: 'DELETE', path: `/team-memberships/${team}/${user}` })],
  [
    'a member profile',
    ({ team, user }) => ({
      method: 'PATCH',
      path: `/team-member-profiles/${team}/${user}`,
      body: { display_name: 'Captain' },
    }),
  ],
  [
    'a revoked team permission',
    ({ team, user }) => ({
      method: 'DELETE',
      path: `/team-permissions/${team}/${user}/billing`,
    }),
  ],
  [
    'project details and configuration',
    () => ({
      method: 'PATCH',
      path: '/internal/projects/current',
      body: {
        display_name: 'Shop',
        description: 'x',
        config: {
          sign_up_enabled: false,
          domains: [{ domain: 'https://shop.example.com', handler_path: '/handler' }],
          oauth_providers: [
            { id: 'github', type: 'standard', client_id: 'id', client_secret: 'client canary' },
            { id: 'google', type: 'shared' },
          ],
          email_config: smtp,
        },
      },
    }),
  ],
  [
    'project settings',
    () => ({
      method: 'PATCH',
      path: '/internal/projects/current/settings',
      body: { keyless_clients_allowed: false, quotas: { domains: 5 }, rejection_retention_days: 7 },
    }),
  ],
  [
    'a configuration document',
    () => ({
      method: 'PATCH',
      path: '/internal/config/override/environment',
      body: { config_override_string: JSON.stringify({ 'teams.allowClientTeamCreation': true }) },
    }),
  ],
  [
    'a new permission definition',
    () => ({
      method: 'POST',
      path: '/team-permission-definitions',
      body: { id: 'export', contained_permission_ids: ['billing'] },
    }),
  ],
  [
    'a renamed permission definition',
    () => ({
      method: 'PATCH',
      path: '/project-permission-definitions/read',
      body: { id: 'view', description: 'y' },
    }),
  ],
  [
    'what a permission contains',
    () => ({
      method: 'PATCH',
      path: '/project-permission-definitions/edit',
      body: { contained_permission_ids: [] },
    }),
  ],
  ['a deleted permission definition', () => ({ method: 'DELETE', path: '/project-permission-definitions/edit' })],
  ['a deleted default permission', () => ({ method: 'DELETE', path: '/team-permission-definitions/team_member' })],
  ['an API key', ({ key }) => ({ method: 'PATCH', path: `/user-api-keys/${key}`, body: { description: 'renamed' } })],
];
const patchUser = (user: string, body: object): Write => ({ method: 'PATCH', path: `/users/${user}`, body });

/** Without times of writes, and without what stays: the revocation of API keys, and the order of addresses. */
const steady = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (/^(last_active|joined|created|deleted|manually_revoked)_at_millis$/.test(key)) return undefined;
      if (key !== 'items') return inner;
      return inner.toSorted((one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    }),
  );

describe('an undo', () => {
  test.each(reversible)(
    'check 24: of %s restores what was read before, and the undo of the undo what was read after',
    async (_name, toWrite) => {
      const world = await createWorld();
      const { project } = world;
      const before = steady(await readAll(world));
      const done = await write(project, toWrite(world));
      expect(done.status).toBeLessThan(300);
      const after = steady(await readAll(world));
      expect(after).not.toEqual(before);

      const undone = await undo(project, actionOf(done));
      expect(undone.body).toMatchObject({ undoes_action_id: actionOf(done), action_id: actionOf(undone) });
      expect(undone.status).toBe(200);
      expect(steady(await readAll(world))).toEqual(before);
      expectKnown(await undo(project, actionOf(done)), 409, 'ACTION_ALREADY_UNDONE', {
        by_action_id: actionOf(undone),
      });
      const action = await read(project, `/internal/actions/${actionOf(done)}`);
      expect(action.undo).toMatchObject({ state: 'undone', undone_by_action_id: actionOf(undone) });
      expect((await read(project, `/internal/actions/${actionOf(undone)}`)).undoes_action_id).toBe(actionOf(done));

      const redone = await undo(project, actionOf(undone));
      expect(redone.status).toBe(200);
      expect(steady(await readAll(world))).toEqual(after);
      for (const { text } of [done, undone, redone]) expect(text).not.toContain('hash');
      expect(undone.text).not.toContain('canary');
    },
  );

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

const irreversible: readonly [string, (world: World) => Write, string][] = [
  ['a created user', () => ({ method: 'POST', path: '/users', body: {} }), 'delete the user'],
  ['an erased user', ({ user }) => ({ method: 'POST', path: `/internal/users/${user}/erase` }), 'erased'],
  ['a deleted team', ({ team }) => ({ method: 'DELETE', path: `/teams/${team}` }), 'erased'],
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
  [
    'a new project key',
    () => ({
      method: 'POST',
      path: '/internal/api-keys',
      body: {
        description: 'k',
        expires_at_millis: Date.parse('2099-01-01'),
        has_publishable_client_key: true,
        has_secret_server_key: false,
        has_super_secret_admin_key: false,
      },
    }),
    'revoke the key',
  ],
];

describe('check 25: an undo', () => {
  test.each(irreversible)(
    'of %s is rejected with the reason, which its preview told',
    async (_name, toWrite, reason) => {
      const world = await createWorld();
      const { project } = world;
      const view = await preview(project, toWrite(world));
      expect(view).toMatchObject({ error: null, is_reversible: false });
      const done = await write(project, toWrite(world));
      expect(done.status).toBe(view.status);
      const answer = await undo(project, actionOf(done));
      expectKnown(answer, 409, 'ACTION_NOT_REVERSIBLE', { reasons: view.irreversible_reasons });
      expect(view.irreversible_reasons.join()).toContain(reason);
      const { undo: state } = await read(project, `/internal/actions/${actionOf(done)}`);
      expect(state).toMatchObject({ state: 'not_reversible', reasons: view.irreversible_reasons });
    },
  );
});
