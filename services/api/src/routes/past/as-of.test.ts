import { asOfHeaders } from '@gatebook/contract/as-of';
import { pastGroup } from '@gatebook/readmodel/projection-groups';
import { pause } from '@gatebook/runtime/pause';
import { describe, expect, test } from 'vitest';
import { roleRuleFor } from '../../roles.ts';
import { addMember, asMember } from '../../testing/members.ts';
import {
  type Answer,
  type Call,
  changeConfig,
  changeSettings,
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { routes } from '../all.ts';

const suite = await startSuite({ history: true });
const { api, send } = suite;
const project = await createProject(send);
const other = await createProject(send);
const call =
  (access: NonNullable<Call['access']>, of = project) =>
  (method: string, path: string, body?: unknown) =>
    send(method, path, { ...of, access, ...(body !== undefined && { body }) });
const [server, admin] = [call('server'), call('admin')];

/** A time after everything so far, and before everything that follows. */
async function moment(): Promise<number> {
  await pause(2);
  const millis = Date.parse(api.deps.now());
  await pause(2);
  return millis;
}
const eventOf = ({ headers }: Answer) => String(headers[asOfHeaders.eventId]);

async function createUser(fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await server('POST', '/users', { display_name: 'Ann', ...fields });
  expect(status).toBe(201);
  return body.id;
}

describe('every answer of the past', () => {
  test('names its moment, and the fields that the past does not know (#20 check 19)', async () => {
    const userId = await createUser();
    const then = await moment();
    await server('PATCH', `/users/${userId}`, { display_name: 'Bea' });
    const byTime = await server('GET', `/users/${userId}?as_of=${then}`);
    expect(byTime.body.display_name).toBe('Ann');
    expect(byTime.headers).toMatchObject({
      [asOfHeaders.millis]: String(then),
      [asOfHeaders.omitted]: 'last_active_at_millis',
    });
    const crossOrigin = await send('GET', `/users?as_of=${then}`, {
      ...project,
      access: 'server',
      headers: { origin: 'https://app.example.com' },
    });
    expect(crossOrigin.headers['access-control-expose-headers']).toContain(asOfHeaders.eventId);
    const byEvent = await server('GET', `/users/${userId}?as_of=${eventOf(byTime)}`);
    expect(byEvent.body).toEqual(byTime.body);
    expect(eventOf(byEvent)).toBe(eventOf(byTime));
    expect((await server('GET', `/users/${userId}`)).headers).not.toHaveProperty(asOfHeaders.eventId);
    expect((await server('GET', `/teams?as_of=${then}`)).headers).not.toHaveProperty(asOfHeaders.omitted);
  });

  test('echoes its moment also if the object did not exist then (#20 check 19)', async () => {
    const then = await moment();
    const userId = await createUser();
    const answer = await server('GET', `/users/${userId}?as_of=${then}`);
    expectKnown(answer, 404, 'USER_NOT_FOUND');
    expect(answer.headers[asOfHeaders.millis]).toBe(String(then));
  });

  test('tells the last sign-in as the last activity', async () => {
    await changeConfig(send, project, { credential_enabled: true });
    const { userId } = await signUp(send, project);
    const then = await moment();
    const { body } = await server('GET', `/users/${userId}?as_of=${then}`);
    expect(body.last_active_at_millis).toBeGreaterThanOrEqual(body.signed_up_at_millis);
    expect(body.last_active_at_millis).toBeLessThanOrEqual(then);
    const listed = await server('GET', `/users?order_by=last_active_at&desc=true&as_of=${then}`);
    expect(listed.body.items[0].id).toBe(userId);
  });
});

describe('a moment is rejected', () => {
  test('if it is not a moment of the project (#20 check 19)', async () => {
    const now = Date.parse(api.deps.now());
    const late = await server('GET', `/users?as_of=${now + 60_000}`);
    expectKnown(late, 400, 'AS_OF_IN_FUTURE', { now_millis: expect.any(Number) });
    expectKnown(await server('GET', '/users?as_of=0'), 400, 'AS_OF_BEFORE_PROJECT', {
      created_at_millis: expect.any(Number),
    });
    expectKnown(await server('GET', `/users?as_of=${unknownId}`), 404, 'AUDIT_EVENT_NOT_FOUND');
    const foreign = eventOf(await call('server', other)('GET', `/users?as_of=${await moment()}`));
    expect(foreign).toMatch(/^[0-9a-f-]{36}$/);
    expectKnown(await server('GET', `/users?as_of=${foreign}`), 404, 'AUDIT_EVENT_NOT_FOUND');
    for (const garbage of ['yesterday', '-1', '1e3', '']) {
      expectSchemaError(await server('GET', `/users?as_of=${garbage}`), 'query.as_of');
    }
  });

  test('by every write, also by one that defines no query, and nothing is written (#20 check 19)', async () => {
    const userId = await createUser();
    const then = await moment();
    const head = await api.deps.store.head();
    const writes = routes.filter(({ method, access, isRoot }) => method !== 'GET' && access !== 'anyone' && !isRoot);
    expect(writes.length).toBeGreaterThan(50);
    for (const { method, path, access } of writes) {
      const accessType = access === 'anyone' ? 'admin' : (access.at(-1) ?? 'admin');
      const url = `${path.replaceAll(/:user_id\b/g, userId).replaceAll(/:\w+/g, unknownId)}?as_of=${then}`;
      const body = method === 'DELETE' ? undefined : {};
      const headers = { 'x-stack-client-version': 'js @stackframe/js@2.8.0' };
      const answer = await send(method, url, { ...project, access: accessType, headers, ...(body && { body }) });
      expect({ method, path, code: answer.body.code }).toEqual({ method, path, code: 'SCHEMA_ERROR' });
    }
    expect(await api.deps.store.head()).toBe(head);
    expect((await server('GET', `/users/${userId}`)).body.display_name).toBe('Ann');
  });

  test('by every read that can’t show the past (#20 check 19)', async () => {
    const then = await moment();
    const others = routes.filter(
      ({ method, asOf, isRoot, access }) => method === 'GET' && !asOf && !isRoot && access !== 'anyone',
    );
    for (const { path, access } of others) {
      const accessType = access === 'anyone' ? 'admin' : (access.at(-1) ?? 'admin');
      const url = `${path.replaceAll(/:\w+/g, unknownId)}?as_of=${then}`;
      const answer = await send('GET', url, { ...project, access: accessType });
      expect({ path, code: answer.body.code }).toEqual({ path, code: 'SCHEMA_ERROR' });
    }
  });

  test('for client access, on every read that can show the past (#20 check 17)', async () => {
    const then = await moment();
    const { accessToken, userId } = await signUp(send, project);
    const reads = routes.filter(({ asOf, access }) => asOf && access.includes('client'));
    expect(reads.length).toBeGreaterThan(8);
    for (const { path } of reads) {
      const url = `${path.replaceAll(/:\w+/g, userId)}?as_of=${then}`;
      const answer = await send('GET', url, { ...project, as: accessToken });
      expect({ path, code: answer.body.code }).toEqual({ path, code: 'INSUFFICIENT_ACCESS_TYPE' });
    }
  });
});

describe('today’s rights decide', () => {
  test('so a key that was revoked since does not read yesterday (#20 check 17)', async () => {
    const { body: key } = await admin('POST', '/internal/api-keys', {
      description: 'server',
      expires_at_millis: Date.parse('2099-01-01'),
      has_publishable_client_key: false,
      has_secret_server_key: true,
      has_super_secret_admin_key: false,
    });
    const keys = { ...project.keys, server: key.secret_server_key };
    const then = await moment();
    const read = () => send('GET', `/users?as_of=${then}`, { ...project, keys, access: 'server' });
    expect((await read()).status).toBe(200);
    await admin('PATCH', `/internal/api-keys/${key.id}`, { revoked: true });
    expectKnown(await read(), 401, 'INVALID_SECRET_SERVER_KEY', expect.anything());
    const past = await admin('GET', `/internal/api-keys/${key.id}?as_of=${then}`);
    expect(past.body).not.toHaveProperty('manually_revoked_at_millis');
  });

  test('so an owner who was removed since does not read yesterday (#20 check 17)', async () => {
    const owned = await createProject(send);
    const then = await moment();
    const headers = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': owned.owner.accessToken };
    const read = () =>
      send('GET', `/internal/projects/current?as_of=${then}`, { projectId: owned.projectId, access: 'admin', headers });
    expect((await read()).status).toBe(200);
    await send('DELETE', `/users/${owned.owner.userId}`, { access: 'server' });
    expect((await read()).status).toBe(401);
  });

  test('so a member whose role was lowered since reads as the lower role, and not at all without one (#20 check 17)', async () => {
    const owned = await createProject(send);
    const member = await addMember(suite, owned, 'owner');
    const then = await moment();
    const path = `/internal/projects/current/members/${member.userId}`;
    const as = (method: string, url: string, body?: unknown) =>
      send(method, url, asMember(owned, member, body === undefined ? {} : { body }));
    const statusThen = async () => (await as('GET', `/users?as_of=${then}`)).status;
    const rename = () => as('PATCH', '/internal/projects/current', { display_name: 'Shop' });
    expect((await rename()).status).toBe(200);
    for (const role of ['developer', 'read_only']) {
      const lowered = await send('PUT', path, asMember(owned, owned.owner, { body: { role } }));
      expect([lowered.status, await statusThen()]).toEqual([200, 200]);
    }
    expectKnown(await rename(), 403, 'PROJECT_ROLE_REQUIRED', { role: 'read_only', required_role: 'developer' });
    const reads = routes.filter(({ asOf }) => asOf);
    // The lowest role reads all that a moment shows.
    expect(new Set(reads.map((route) => roleRuleFor(route).least))).toEqual(new Set(['read_only']));
    await send('DELETE', path, asMember(owned, owned.owner, { body: {} }));
    expectKnown(await as('GET', `/users?as_of=${then}`), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  });

  test('but the configuration of then shapes the answer', async () => {
    await changeConfig(send, project, { allow_user_api_keys: true });
    const userId = await createUser();
    const path = `/user-api-keys?user_id=${userId}`;
    const then = await moment();
    await changeConfig(send, project, { allow_user_api_keys: false });
    expectPlain(await server('GET', path), 400);
    expect((await server('GET', `${path}&as_of=${then}`)).status).toBe(200);
  });
});

describe('an erased person reads as erased', () => {
  test('in all versions, at all moments (#20 checks 11 and 17)', async () => {
    const canary = 'canary-of-ann';
    const image = 'https://canary.example.com/a.png';
    const userId = await createUser({
      display_name: canary,
      primary_email: 'canary-of-ann@example.com',
      profile_image_url: image,
      client_metadata: { canary },
      server_metadata: { canary },
    });
    await changeConfig(send, project, { allow_user_api_keys: true });
    await server('POST', '/user-api-keys', { user_id: userId, description: canary, expires_at_millis: null });
    await server('PATCH', `/users/${userId}`, {
      display_name: `${canary} 2`,
      restricted_by_admin: true,
      restricted_by_admin_reason: canary,
    });
    const team = await server('POST', '/teams', { display_name: 'Crew', creator_user_id: userId });
    await server('PATCH', `/team-member-profiles/${team.body.id}/${userId}`, { display_name: canary });
    await server('POST', '/auth/sessions', { user_id: userId });
    const then = await moment();
    const paths = [
      `/users/${userId}`,
      '/users',
      `/contact-channels?user_id=${userId}`,
      `/user-api-keys?user_id=${userId}`,
      `/team-member-profiles?team_id=${team.body.id}`,
    ];
    const read = async () => {
      const answers = await Promise.all(
        paths.map((path) => server('GET', `${path}${path.includes('?') ? '&' : '?'}as_of=${then}`)),
      );
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
      return answers.map(({ text }) => text);
    };
    for (const text of await read()) expect(text).toContain(canary);
    await server('DELETE', `/users/${userId}`);
    await moment();
    await server('GET', `/users?as_of=${await moment()}`);
    for (const text of await read()) expect(text).not.toContain(canary);
    const [erased] = await Promise.all([server('GET', `/users/${userId}?as_of=${then}`)]);
    expect(erased.body).toMatchObject({ id: userId, display_name: null, primary_email: null, server_metadata: null });
    expect((await server('GET', `/users?query=${canary}&as_of=${then}`)).body.items).toEqual([]);
    const schema = api.deps.readModels.schema(pastGroup.name);
    for (const { name } of pastGroup.tables) {
      const { rows } = await api.pool.query(
        `select t::text as row from ${schema}.${name} t where t::text like '%canary%'`,
      );
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
  });

  test('and so does a deleted team, while its members keep their names', async () => {
    const userId = await createUser({ display_name: 'Member' });
    const team = await server('POST', '/teams', { display_name: 'Canary team', creator_user_id: userId });
    const then = await moment();
    await server('DELETE', `/teams/${team.body.id}`);
    const listed = await server('GET', `/team-member-profiles?team_id=${team.body.id}&as_of=${then}`);
    expect(listed.body.items.map((item: { display_name: string }) => item.display_name)).toEqual(['Member']);
    await server('GET', `/teams?as_of=${await moment()}`);
    const past = await server('GET', `/teams/${team.body.id}?as_of=${then}`);
    expect(past.body.display_name).not.toContain('Canary');
    expectKnown(
      await server('GET', `/teams/${team.body.id}?as_of=${await moment()}`),
      404,
      'TEAM_NOT_FOUND',
      expect.anything(),
    );
  });

  test('but one who waits for the deletion still has a name before it', async () => {
    await changeSettings(send, project, { user_deletion_grace_days: 30 });
    const userId = await createUser({ display_name: 'Waiting' });
    const then = await moment();
    await server('DELETE', `/users/${userId}`);
    expect((await server('GET', `/users/${userId}?as_of=${then}`)).body.display_name).toBe('Waiting');
    expectKnown(await server('GET', `/users/${userId}?as_of=${await moment()}`), 404, 'USER_NOT_FOUND');
    await changeSettings(send, project, { user_deletion_grace_days: 0 });
  });
});

test('settings of the project are shown as they were', async () => {
  const path = '/internal/projects/current/settings';
  const before = { session_lifetime_hours: 8_760, access_token_lifetime_seconds: null, min_password_length: 8 };
  const after = { session_lifetime_hours: 12, access_token_lifetime_seconds: 120, min_password_length: 12 };
  const then = await moment();
  await changeSettings(send, project, after);
  expect((await admin('GET', `${path}?as_of=${then}`)).body).toMatchObject(before);
  expect((await admin('GET', `${path}?as_of=${await moment()}`)).body).toMatchObject(after);
  await changeSettings(send, project, before);
});

test('a team that awaits deletion is shown before it, hidden after it, and shown again after a restore', async () => {
  await changeSettings(send, project, { team_deletion_grace_days: 30 });
  const userId = await createUser();
  const { body: team } = await server('POST', '/teams', { display_name: 'Waiting', creator_user_id: userId });
  const before = await moment();
  await server('DELETE', `/teams/${team.id}`);
  const deleted = await moment();
  await send('POST', `/internal/teams/${team.id}/restore`, { ...project, access: 'admin', body: {} });
  const restored = await moment();
  const namesAt = async (asOf: number) =>
    (await server('GET', `/teams?user_id=${userId}&as_of=${asOf}`)).body.items.map(
      (item: { display_name: string }) => item.display_name,
    );
  const permissionsAt = async (asOf: number) =>
    (await server('GET', `/team-permissions?team_id=${team.id}&as_of=${asOf}`)).body.items.length;
  expect(await Promise.all([before, deleted, restored].map(namesAt))).toEqual([['Waiting'], [], ['Waiting']]);
  expect(await Promise.all([before, deleted, restored].map(permissionsAt))).toEqual([1, 0, 1]);
  await changeSettings(send, project, { team_deletion_grace_days: 0 });
});

test('a project that was deleted and restored is shown before and after, and not found between', async () => {
  const shop = await createProject(send);
  await changeSettings(send, shop, { project_deletion_grace_days: 30 });
  const before = await moment();
  await send('DELETE', '/internal/projects/current', { ...shop, access: 'admin', body: {} });
  const deleted = await moment();
  const headers = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': shop.owner.accessToken };
  const call = { projectId: shop.projectId, access: 'admin' as const, headers };
  await send('POST', '/internal/projects/current/restore', { ...call, body: {} });
  const restored = await moment();
  const readAt = (asOf: number) => send('GET', `/internal/projects/current?as_of=${asOf}`, call);
  const statuses = (await Promise.all([before, deleted, restored].map(readAt))).map(({ status }) => status);
  expect(statuses).toEqual([200, 404, 200]);
});

describe('the clock is that of the moment', () => {
  test('so what has expired since is alive, and what was ended before is not (#20 check 18)', async () => {
    const userId = await createUser();
    const short = await server('POST', '/auth/sessions', { user_id: userId, expires_in_millis: 1_500 });
    const ended = await server('POST', '/auth/sessions', { user_id: userId, expires_in_millis: 60_000 });
    expect([short.status, ended.status]).toEqual([200, 200]);
    const both = await server('GET', `/auth/sessions?user_id=${userId}`);
    expect(both.body.items.length).toBe(2);
    const [newest] = both.body.items;
    await server('DELETE', `/auth/sessions/${newest.id}?user_id=${userId}`);
    const then = await moment();
    const sessionsNow = async () => (await server('GET', `/auth/sessions?user_id=${userId}`)).body.items;
    await expect.poll(sessionsNow, { timeout: 10_000 }).toEqual([]);
    const { items } = (await server('GET', `/auth/sessions?user_id=${userId}&as_of=${then}`)).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([both.body.items[1].id]);
  });

  test('so an API key that has expired since is alive, and one that was revoked before is not (#20 check 18)', async () => {
    await changeConfig(send, project, { allow_user_api_keys: true });
    const userId = await createUser();
    const createKey = async (lifeMs: number) => {
      const expires_at_millis = Date.parse(api.deps.now()) + lifeMs;
      const body = { user_id: userId, description: 'key', expires_at_millis };
      return (await server('POST', '/user-api-keys', body)).body as { id: string; value: string };
    };
    const check = (key: { value: string }) => server('POST', '/user-api-keys/check', { api_key: key.value });
    const [short, revoked] = [await createKey(2_000), await createKey(600_000)];
    expect((await check(short)).status).toBe(200);
    await server('PATCH', `/user-api-keys/${revoked.id}`, { revoked: true });
    const then = await moment();
    await expect.poll(async () => (await check(short)).body.code, { timeout: 10_000 }).toBe('API_KEY_EXPIRED');
    const keyAt = async ({ id }: { id: string }) => (await server('GET', `/user-api-keys/${id}?as_of=${then}`)).body;
    const alive = await keyAt(short);
    expect(alive.expires_at_millis).toBeGreaterThan(then);
    expect(alive.expires_at_millis).toBeLessThanOrEqual(Date.parse(api.deps.now()));
    expect(alive).not.toHaveProperty('manually_revoked_at_millis');
    const ended = await keyAt(revoked);
    expect(ended.expires_at_millis).toBeGreaterThan(Date.parse(api.deps.now()));
    expect(ended.manually_revoked_at_millis).toBeLessThanOrEqual(then);
  });
});

describe('moments', () => {
  test('show no action half, and later ones show no less (#20 check 16)', async () => {
    const start = await moment();
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, n) => createUser({ primary_email: `race${n}@example.com` })),
    );
    const end = await moment();
    let seen = 0;
    const step = Math.max(1, Math.floor((end - start) / 60));
    for (let millis = start; millis <= end; millis += step) {
      const { body } = await server('GET', `/users?query=race&as_of=${millis}`);
      expect(body.items.length).toBeGreaterThanOrEqual(seen);
      for (const item of body.items) expect(item.primary_email).toMatch(/^race\d@example\.com$/);
      seen = body.items.length;
    }
    expect((await server('GET', `/users?query=race&as_of=${end}`)).body.items.length).toBe(ids.length);
  });
});

test('a server that does not keep the past says so', async () => {
  const off = await startSuite();
  const { status, body } = await off.send('GET', '/users?as_of=1', { access: 'server' });
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'AS_OF_DISABLED' });
});
