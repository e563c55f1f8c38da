import { expect, test } from 'vitest';
import {
  changeSettings,
  createProject,
  expectKnown,
  expectSchemaError,
  password,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const asAdmin = { ...project, access: 'admin' as const };
const asServer = { ...project, access: 'server' as const };
const byOwner = {
  ...asAdmin,
  headers: {
    'x-stack-super-secret-admin-key': '',
    'x-stack-admin-access-token': project.owner.accessToken,
  },
};

type Query = Record<string, string | number | boolean>;
const search = (query: Query) =>
  `?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`;
const list = (query: Query = {}, call = asAdmin) => send('GET', `/internal/audit-events${search(query)}`, call);
const find = (id: string, call = asAdmin) => send('GET', `/internal/audit-events/${id}`, call);
type Item = { id: string; type: string; text: string; action_id: string };
const typesOf = (answer: { body: { items: Item[] } }) => answer.body.items.map(({ type }) => type);

test('a request sees its own events in the audit log at once', async () => {
  const ann = await signUp(send, project);
  const renamed = await send('PATCH', `/users/${ann.userId}`, { ...asServer, body: { display_name: 'Ann' } });
  const answer = await list({ target_id: ann.userId });
  expect(answer.status).toBe(200);
  expect(answer.headers['x-read-model']).toBeUndefined();
  const [newest] = answer.body.items;
  expect(newest).toMatchObject({
    type: 'UserRenamed',
    category: 'user',
    text: 'Changed the display name to Ann',
    outcome: 'success',
    count: 1,
    action_id: renamed.headers['x-stack-request-id'],
    targets: [{ type: 'user', id: ann.userId, display_name: 'Ann', is_erased: false }],
    undone_by_action_id: null,
  });
  expect(typesOf(answer)).toEqual(expect.arrayContaining(['UserCreated', 'SessionStarted', 'ContactChannelAdded']));
});

test('check 2: two renames show the values before and after', async () => {
  const { userId } = await signUp(send, project);
  for (const name of ['A', 'B', 'C'])
    await send('PATCH', `/users/${userId}`, { ...asServer, body: { display_name: name } });
  const renames = (await list({ target_id: userId, type: 'UserRenamed', order: 'asc' })).body.items as Item[];
  const changes = await Promise.all(renames.map(async ({ id }) => (await find(id)).body.changes));
  const change = (before: string | null, after: string) => [
    { field: 'display_name', before, after, is_redacted: false },
  ];
  expect(changes).toEqual([change(null, 'A'), change('A', 'B'), change('B', 'C')]);
});

test('an event is shown with its data and the other events of its request', async () => {
  const ann = await signUp(send, project);
  const { body } = await list({ target_id: ann.userId, type: 'SessionStarted' });
  const detail = await find(body.items[0].id);
  expect(detail.body).toMatchObject({ data: { userId: ann.userId, method: 'password', refreshTokenHash: 'redacted' } });
  expect(detail.body.actions_same_request.map(({ type }: Item) => type)).toEqual(
    expect.arrayContaining(['UserCreated', 'UserPasswordSet', 'ContactChannelAdded']),
  );
  expect(new Set(detail.body.actions_same_request.map((item: Item) => item.action_id))).toEqual(
    new Set([detail.body.action_id]),
  );
  expectKnown(await find(unknownId), 404, 'AUDIT_EVENT_NOT_FOUND');
});

test('check 4: a server’s write names its key, an owner’s the owner of internal', async () => {
  const { userId } = await signUp(send, project);
  await send('PATCH', `/users/${userId}`, { ...asServer, body: { display_name: 'By the server' } });
  await send('PATCH', `/users/${userId}`, { ...byOwner, body: { display_name: 'By the owner' } });
  const { items } = (await list({ target_id: userId, type: 'UserRenamed' })).body;
  const [key] = (await send('GET', '/internal/api-keys', asAdmin)).body.items;
  expect(items[0].actor).toMatchObject({
    kind: 'owner',
    id: project.owner.userId,
    display_name: project.owner.email,
    project_id: 'internal',
    key_id: null,
    session_id: expect.any(String),
  });
  expect(items[1].actor).toMatchObject({
    kind: 'server',
    key_id: key.id,
    display_name: 'all',
    project_id: project.projectId,
    impersonator: null,
  });
  const ofOwner = await list({ actor_id: project.owner.userId, type: 'UserRenamed', target_id: userId });
  expect(ofOwner.body.items).toEqual([items[0]]);
  expect((await list({ actor_kind: 'server,admin', type: 'user.*', target_id: userId })).body.items).toEqual([
    items[1],
  ]);
});

test('check 4: what an owner does while impersonating a user names both', async () => {
  const ann = await signUp(send, project);
  const session = await send('POST', '/auth/sessions', {
    ...byOwner,
    body: { user_id: ann.userId, is_impersonation: true },
  });
  expect(session.status).toBe(200);
  const renamed = await send('PATCH', '/users/me', {
    ...project,
    as: session.body.access_token,
    body: { display_name: 'Impersonated' },
  });
  expect(renamed.status).toBe(200);
  const { items } = (await list({ actor_id: project.owner.userId, target_id: ann.userId, type: 'UserRenamed' })).body;
  expect(items).toMatchObject([
    {
      actor: {
        kind: 'user',
        id: ann.userId,
        impersonator: { kind: 'owner', id: project.owner.userId, display_name: project.owner.email },
      },
    },
  ]);
});

test('history of a team, a permission, a key, a template and settings is found by target', async () => {
  const team = await send('POST', '/teams', { ...asServer, body: { display_name: 'Red' } });
  await send('PATCH', `/teams/${team.body.id}`, { ...asServer, body: { display_name: 'Blue' } });
  const ofTeam = await list({ target_type: 'team', target_id: team.body.id, order: 'asc' });
  expect(ofTeam.body.items.map(({ text }: Item) => text)).toEqual([
    'Created the team Red',
    'Changed the team name to Blue',
  ]);
  await send('POST', '/project-permission-definitions', { ...asAdmin, body: { id: 'reports' } });
  const { userId } = await signUp(send, project);
  await send('POST', `/project-permissions/${userId}/reports`, { ...asServer, body: {} });
  await send('PATCH', '/project-permission-definitions/reports', { ...asAdmin, body: { id: 'reports:read' } });
  const ofPermission = await list({ target_type: 'permission', target_id: 'reports:read', order: 'asc' });
  expect(ofPermission.body.items.map(({ text }: Item) => text)).toEqual([
    'Created the permission reports (now reports:read)',
    'Granted the permission reports (now reports:read)',
    'Changed the permission reports:read',
  ]);
  await changeSettings(send, project, { anonymous_sign_up_enabled: true });
  const ofSettings = await list({ target_type: 'project', type: 'ProjectSettingsChanged' });
  expect(ofSettings.body.items).toHaveLength(1);
  expect((await find(ofSettings.body.items[0].id)).body.changes).toEqual([
    { field: 'settings.anonymous_sign_up_enabled', before: false, after: true, is_redacted: false },
  ]);
  const keys = await list({ target_type: 'project_key', order: 'asc' });
  expect(keys.body.items).toMatchObject([
    { type: 'ProjectKeyCreated', targets: [{ type: 'project_key', display_name: 'all' }] },
  ]);
});

test('technical events are shown only if asked for', async () => {
  const { userId } = await signUp(send, project);
  const usual = (await list({ target_id: userId })).body.items;
  expect(usual.every((item: { is_technical: boolean }) => !item.is_technical)).toBe(true);
  expect(typesOf(await list({ target_id: userId, include_technical: true }))).toContain('ValueReserved');
  expect(typesOf(await list({ target_id: userId, type: 'ValueReserved' }))).toEqual(['ValueReserved']);
});

test('rejections are in the list with their count, in the order of time', async () => {
  const ann = await signUp(send, project);
  const from = Date.now();
  const attempts = [];
  for (let n = 0; n < 3; n += 1) {
    const body = { email: ann.email, password: `${password} wrong` };
    attempts.push(await send('POST', '/auth/password/sign-in', { ...project, body }));
  }
  await send('PATCH', `/users/${ann.userId}`, { ...asServer, body: { display_name: 'Later' } });
  const { items } = (await list({ target_id: ann.userId, from_millis: from })).body;
  expect(items.map((item: Item) => item.type)).toEqual(['UserRenamed', 'CallRejected']);
  expect(items[1]).toMatchObject({
    category: 'rejection',
    text: 'Rejected 3 calls of POST /auth/password/sign-in: EMAIL_PASSWORD_MISMATCH',
    outcome: 'rejected',
    error_code: 'EMAIL_PASSWORD_MISMATCH',
    count: 3,
    action_id: attempts[2]?.headers['x-stack-request-id'],
    actor: { kind: 'client', id: null },
    targets: [{ type: 'user', id: ann.userId }],
    origin: { ip: '127.0.0.0/24' },
  });
  const only = async (query: Query) => typesOf(await list({ target_id: ann.userId, from_millis: from, ...query }));
  expect(await only({ order: 'asc' })).toEqual(['CallRejected', 'UserRenamed']);
  expect(await only({ outcome: 'rejected' })).toEqual(['CallRejected']);
  expect(await only({ outcome: 'success' })).toEqual(['UserRenamed']);
  expect(await only({ type: 'rejection.*' })).toEqual(['CallRejected']);
  expect(await only({ action_id: String(attempts[0]?.headers['x-stack-request-id']) })).toEqual(['CallRejected']);
  expect(await only({ actor_kind: 'owner' })).toEqual([]);
  const detail = await find(items[1].id);
  expect(detail.body).toMatchObject({ data: { route: 'POST /api/v1/auth/password/sign-in' }, changes: [] });
});

test('an address or a network finds events and rejections', async () => {
  const ann = await signUp(send, { ...project, headers: { 'user-agent': 'Mozilla/5.0' } });
  await send('POST', '/auth/password/sign-in', { ...project, body: { email: ann.email, password: 'wrong password' } });
  const ofUser = { target_id: ann.userId, limit: 200 };
  const here = typesOf(await list({ ...ofUser, ip: '127.0.0.1' }));
  expect(here).toEqual(expect.arrayContaining(['SessionStarted', 'CallRejected']));
  expect(typesOf(await list({ ...ofUser, ip: '127.0.0.0/8' }))).toEqual(here);
  expect(typesOf(await list({ ...ofUser, ip: '198.51.100.0/24' }))).toEqual([]);
  expectSchemaError(await list({ ip: 'nowhere' }));
});

test('a timeline counts what the list shows', async () => {
  const from = Date.now();
  const ann = await signUp(send, project);
  for (let n = 0; n < 4; n += 1) {
    await send('POST', '/auth/password/sign-in', {
      ...project,
      body: { email: ann.email, password: 'wrong password' },
    });
  }
  const range = { from_millis: from, until_millis: Date.now() + 60_000, target_id: ann.userId };
  const counted = await send('GET', `/internal/audit-events/timeline${search({ ...range, buckets: 10 })}`, asAdmin);
  expect(counted.status).toBe(200);
  const { items } = (await list({ ...range, limit: 200 })).body;
  const expected = items.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  expect(counted.body.buckets).toHaveLength(10);
  expect(counted.body.buckets.every((bucket: { is_complete: boolean }) => bucket.is_complete)).toBe(true);
  const sum = counted.body.buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  expect(sum).toBe(expected);
  expect(sum).toBeGreaterThan(7);
  expectSchemaError(
    await send('GET', `/internal/audit-events/timeline${search({ ...range, until_millis: from })}`, asAdmin),
  );
});

test('reading the audit log needs admin access', async () => {
  expect((await list({}, { ...project, access: 'server' as 'admin' })).status).toBe(401);
});

test('unknown types and categories are rejected', async () => {
  expectSchemaError(await list({ type: 'NoSuchType' }), 'unknown type');
  expectSchemaError(await list({ category: 'nothing' }), 'unknown category');
  expectSchemaError(await list({ type: 'nothing.*' }), 'unknown category');
});

test('the types of the audit log have a category and a title', async () => {
  const answer = await send('GET', '/internal/audit-event-types', asAdmin);
  expect(answer.body.items).toContainEqual({
    type: 'UserRenamed',
    category: 'user',
    text: 'Display name changed',
    is_technical: false,
    is_reversible: expect.any(Boolean),
  });
  expect(api.responseFaults).toEqual([]);
});
