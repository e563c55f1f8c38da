import { issueOwnerSetup } from '@gatebook/commands/project/owner-setup';
import { type ConsistencyCheck, recordConsistencyCheck } from '@gatebook/projections/consistency/consistency-checks';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { describe, expect, test } from 'vitest';
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

const { api, send } = await startSuite();
const project = await createProject(send);

const adminOnly = (access: string) => ({ actual_access_type: access, allowed_access_types: ['admin'] });

describe('metrics', () => {
  test('contain 31 days, including zeros, and the newest users', async () => {
    const empty = await send('GET', '/internal/metrics', { ...project, access: 'admin' });
    expect(empty.status).toBe(200);
    expect(empty.body).toMatchObject({
      total_users: 0,
      users_by_country: {},
      recently_registered: [],
      login_methods: [],
    });
    for (const series of ['daily_users', 'daily_active_users']) {
      expect(empty.body[series]).toHaveLength(31);
      expect(empty.body[series].at(-1)).toEqual({ date: api.deps.now().slice(0, 10), activity: 0 });
    }
    const user = await signUp(send, project);
    await api.deps.activity.flush();
    await expect
      .poll(async () => (await send('GET', '/internal/metrics', { ...project, access: 'admin' })).body)
      .toMatchObject({
        total_users: 1,
        recently_registered: [{ id: user.userId, server_metadata: null }],
        recently_active: [{ id: user.userId }],
        login_methods: [{ method: 'password', count: 1 }],
      });
    const { body } = await send('GET', '/internal/metrics', { ...project, access: 'admin' });
    expect(body.daily_users.at(-1).activity).toBe(1);
    expect(body.daily_active_users.at(-1).activity).toBe(1);
  });

  test('count anonymous users for newer libraries only if they ask for them', async () => {
    const owned = await createProject(send);
    await send('POST', '/users', { ...owned, access: 'server', body: { is_anonymous: true } });
    const total = async (query: string, version: string) => {
      const headers = { 'x-stack-client-version': version };
      return (await send('GET', `/internal/metrics${query}`, { ...owned, access: 'admin', headers })).body.total_users;
    };
    expect(await total('', '')).toBe(1);
    expect(await total('', 'js @stackframe/js@2.8.36')).toBe(1);
    expect(await total('', 'js @stackframe/js@2.8.39')).toBe(0);
    await expect.poll(() => total('?include_anonymous=true', 'js @stackframe/js@2.8.39')).toBe(1);
    await expect.poll(() => total('?include_anonymous=false', '')).toBe(0);
  });

  test.each(['client', 'server'] as const)('are closed to %s', async (access) => {
    const answer = await send('GET', '/internal/metrics', { ...project, access });
    expectKnown(answer, 401, 'INSUFFICIENT_ACCESS_TYPE', adminOnly(access));
  });
});

describe('history', () => {
  const historyOf = (id: string, query = '', call = {}) =>
    send('GET', `/internal/users/${id}/history${query}`, { ...project, access: 'admin', ...call });

  test('describes a user’s events in plain English, newest first, with their actor', async () => {
    const user = await signUp(send, project);
    await send('PATCH', '/users/me', { ...project, as: user.accessToken, body: { display_name: 'Ann' } });
    await send('PATCH', `/users/${user.userId}`, { ...project, access: 'server', body: { server_metadata: 1 } });
    const owner = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': project.owner.accessToken };
    await send('PATCH', `/users/${user.userId}`, {
      ...project,
      access: 'admin',
      headers: owner,
      body: { primary_email_verified: true },
    });
    const keys = await send('GET', '/internal/api-keys', { ...project, access: 'admin' });
    const [{ id: keyId }] = keys.body.items;
    const { body, status } = await historyOf(user.userId);
    expect(status).toBe(200);
    expect(body.next_before).toBeNull();
    const told = body.items.map(({ text, actor }: { text: string; actor: { kind: string; id: string | null } }) => [
      text,
      actor.kind,
      actor.id,
    ]);
    expect(told).toEqual([
      [`Email address ${user.email} was verified`, 'owner', project.owner.userId],
      ['Changed server metadata', 'server', keyId],
      ['Changed the display name to Ann', 'user', user.userId],
      ['Signed in with a password', 'client', null],
      ['Chose a password', 'client', null],
      [`Added email address ${user.email} (primary, used for sign-in)`, 'client', null],
      ['Signed up with a password', 'client', null],
    ]);
    expect(body.items[0]).toEqual({
      id: expect.any(String),
      type: 'ContactChannelVerificationChanged',
      text: expect.any(String),
      at_millis: expect.any(Number),
      actor: { kind: 'owner', id: project.owner.userId, display_name: project.owner.email, impersonator: null },
    });
    expect(body.items[2].actor.display_name).toBe('Ann');
  });

  test('is paginated', async () => {
    const user = await signUp(send, project);
    const seen: string[] = [];
    let before: string | null = '';
    while (before !== null) {
      const { body } = await historyOf(user.userId, `?limit=3${before === '' ? '' : `&before=${before}`}`);
      seen.push(...body.items.map(({ type }: { type: string }) => type));
      before = body.next_before as string | null;
    }
    expect(seen).toEqual(['SessionStarted', 'UserPasswordSet', 'ContactChannelAdded', 'UserCreated']);
  });

  test('omits erased data and does not find users of other projects', async () => {
    const user = await signUp(send, project);
    await send('DELETE', `/users/${user.userId}`, { ...project, access: 'server' });
    const { text } = await historyOf(user.userId);
    expect(text).toContain('personal data was erased');
    expect(text).not.toContain(user.email);
    const foreign = await signUp(send);
    expect((await historyOf(foreign.userId)).body).toEqual({ items: [], next_before: null });
  });

  test('rejects invalid requests', async () => {
    expectSchemaError(await historyOf('me', '?limit=201'), 'params.user_id', 'query.limit');
    const user = await signUp(send, project);
    expectSchemaError(await historyOf(user.userId, '?before=x'), 'before is not from a page of this history');
    for (const access of ['client', 'server']) {
      expectKnown(await historyOf('me', '', { access }), 401, 'INSUFFICIENT_ACCESS_TYPE', adminOnly(access));
    }
  });
});

describe('operations', () => {
  test('show the log’s head and every subscription', async () => {
    const answer = await send('GET', '/internal/operations', { access: 'admin' });
    expect(answer.status).toBe(200);
    const head = String(await api.deps.store.head());
    expect(answer.body.head).toBe(head);
    expect(answer.body.log).toEqual({ adapter: api.simulator ? 'eventstoredb' : 'memory', fell_back_at_millis: null });
    expect(answer.body.last_backup).toBeNull();
    const main = answer.body.subscriptions.find(({ name }: { name: string }) => name === 'main');
    expect(main).toEqual({
      name: 'main',
      projection_version: expect.stringMatching(/^main_g\d+$/),
      position: head,
      lag: '0',
      state: 'following',
      error: null,
    });
    expect(answer.body.projection_versions.map(({ group }: { group: string }) => group).sort()).toEqual([
      'audit',
      'events',
      'main',
      'metrics',
    ]);
    expect(answer.body.checks).toEqual([]);
  });

  test('show the results of consistency checks', async () => {
    const difference = { table: 'users', key: { id: 'u1' }, kind: 'changed', columns: ['display_name'] } as const;
    const check: ConsistencyCheck = {
      group: 'main',
      projectionVersion: 'main_g1',
      position: 17n,
      kind: 'sample',
      checkedAt: fixedTime,
      tookMs: 12.5,
      rowsChecked: 240,
      checksumsOff: ['users'],
      differing: 1,
      differences: [difference],
    };
    await recordConsistencyCheck(api.pool, check);
    const { body } = await send('GET', '/internal/operations', { access: 'admin' });
    expect(body.checks).toEqual([
      {
        group: 'main',
        projection_version: 'main_g1',
        position: '17',
        kind: 'sample',
        took_millis: 13,
        checked_at_millis: Date.parse(fixedTime),
        rows_checked: 240,
        checksums_off: ['users'],
        differing: 1,
        differences: [difference],
      },
    ]);
  });

  test('are restricted to the owners of internal', async () => {
    const answer = await send('GET', '/internal/operations', { ...project, access: 'admin' });
    expectKnown(answer, 401, 'EXPECTED_INTERNAL_PROJECT');
    expectKnown(
      await send('GET', '/internal/operations', { access: 'server' }),
      401,
      'INSUFFICIENT_ACCESS_TYPE',
      adminOnly('server'),
    );
  });
});

describe('health', () => {
  test('reports a running process to anyone', async () => {
    for (const url of ['/health', '/health?db=1']) {
      const answer = await api.app.inject({ url, headers: { 'x-stack-access-type': 'nonsense' } });
      expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  test('reports ready while database, log and read models work', async () => {
    const answer = await api.app.inject('/health/ready');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      status: 'ok',
      database: 'ok',
      log: 'ok',
      read_models: 'ok',
      lag: expect.any(Number),
      oldest_unprojected_millis: expect.any(Number),
      problems: [],
    });
  });

  test('the greeting describes the caller', async () => {
    const user = await signUp(send, project);
    const read = async (call = {}) => (await send('GET', '', call)).text;
    expect(await read({ headers: { 'x-stack-access-type': '', 'x-stack-publishable-client-key': '' } })).toContain(
      'Authentication: none',
    );
    expect(await read({ ...project, access: 'server' })).toContain(
      `server\n  Project: ${project.projectId}\n  User: none`,
    );
    expect(await read({ ...project, as: user.accessToken })).toContain(`User: ${user.email}`);
    expectSchemaError(await send('GET', '?a=1', project), 'query has unknown fields: a');
    expectKnown(await send('GET', '', { projectId: 'x' }), 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', { project_id: 'x' });
  });

  test.each([
    ['2.8.15', { upToDate: true }],
    ['2.8.3', { upToDate: false, error: expect.any(String), severe: false }],
    ['2.9.15', { upToDate: false, error: expect.any(String), severe: true }],
    ['nonsense', { upToDate: false, error: expect.any(String), severe: true }],
  ])('the version check answers for %s', async (clientVersion, expected) => {
    const answer = await api.app.inject({ method: 'POST', url: '/api/v1/check-version', payload: { clientVersion } });
    expect([answer.statusCode, answer.json()]).toEqual([200, expected]);
  });

  test('the version check reports missing fields', async () => {
    const answer = await api.app.inject({ method: 'POST', url: '/api/v1/check-version', payload: { version: '1' } });
    expect(answer.json().error).toContain('body.clientVersion is required');
  });

  test('unsupported features are reported by name', async () => {
    const ask = async (payload?: object) =>
      (await api.app.inject({ method: 'POST', url: '/api/v1/check-feature-support', ...(payload ? { payload } : {}) }))
        .body;
    expect(await ask({ feature_name: 'rsc-handler', more: 1 })).toContain('rsc-handler');
    expect(await ask()).toContain('This feature');
    expect(await ask([])).toContain('This feature');
  });

  test('the dashboard gets its configuration', async () => {
    const answer = await api.app.inject('/dashboard/config.json');
    expect(answer.json()).toEqual({
      api_url: 'http://localhost:8102',
      project_id: 'internal',
      publishable_client_key: api.keys.client,
      sign_up: 'open',
      is_setup_required: false,
      has_inbox: false,
      version: '0.1.0',
    });
  });
});

describe('setup', () => {
  const complete = (token: string, body = {}, call = {}) =>
    send('POST', '/internal/setup', {
      ...call,
      body: { token, email: newEmail(), password, display_name: 'Olive', ...body },
    });

  test('the link creates the first owner of internal, once', async () => {
    const isValid = async (token: string) => (await send('GET', `/internal/setup?token=${token}`)).body.is_valid;
    const token = (await issueOwnerSetup(api.deps))?.token ?? '';
    const second = (await issueOwnerSetup(api.deps))?.token ?? '';
    expect(await isValid('0'.repeat(45))).toBe(false);
    for (let look = 0; look < 25; look += 1) expect(await isValid(token)).toBe(true);

    expectKnown(await complete('0'.repeat(45)), 404, 'VERIFICATION_CODE_NOT_FOUND');
    expectKnown(await complete(token, { password: 'short' }), 400, 'PASSWORD_TOO_SHORT', { min_length: 8 });
    const made = await complete(token);
    expect(made.status).toBe(200);
    expect(Object.keys(made.body).sort()).toEqual(['access_token', 'refresh_token', 'user_id']);
    const me = await send('GET', '/users/me', { as: made.body.access_token });
    expect(me.body).toMatchObject({ id: made.body.user_id, display_name: 'Olive' });
    const owner = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': made.body.access_token };
    expect((await send('GET', '/internal/operations', { access: 'admin', headers: owner })).status).toBe(200);

    expect(await isValid(token)).toBe(false);
    expect(await isValid(second)).toBe(false);
    expectKnown(await complete(token), 409, 'VERIFICATION_CODE_ALREADY_USED');
    expectPlain(await complete(second), 400);
    expect(await issueOwnerSetup(api.deps)).toBeNull();
  });

  test('exists for internal only', async () => {
    expectKnown(await complete('x', {}, project), 401, 'EXPECTED_INTERNAL_PROJECT');
    expectKnown(await send('GET', '/internal/setup?token=x', project), 401, 'EXPECTED_INTERNAL_PROJECT');
    expectSchemaError(await send('GET', '/internal/setup'), 'query.token is required');
    expectSchemaError(await complete('x', { email: 'a@localhost' }), 'body.email');
  });
});
