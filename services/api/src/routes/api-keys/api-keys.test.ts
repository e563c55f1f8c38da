import { listKeyUses } from '@gatebook/readmodel/activity/queries';
import { describe, expect, test } from 'vitest';
import { expectDeclared } from '../../testing/declared-errors.ts';
import { countMailsTo } from '../../testing/mailbox.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  type SignedIn,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const config = { allow_user_api_keys: true, allow_team_api_keys: true, client_team_creation_enabled: true };
const [project, closed] = await Promise.all([createProject(send, { config }), createProject(send)]);

const unknownId = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
const kinds = ['user', 'team'] as const;
const withBody = (body?: unknown) => (body === undefined ? {} : { body });
const asServer = (method: string, path: string, body?: unknown, where = project) =>
  send(method, path, { ...where, access: 'server', ...withBody(body) });
const as = (user: SignedIn, method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, as: user.accessToken, ...withBody(body) });
const asNobody = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, ...withBody(body) });
const rotation = { expires_at_millis: null, old_expires_at_millis: 1 };
const newKey = (body: object = {}) => ({ description: 'laptop', expires_at_millis: null, ...body });
const check = (kind: string, api_key: string, where = project) =>
  asServer('POST', `/${kind}-api-keys/check`, { api_key }, where);
const withTeam = async () => {
  const owner = await signUp(send, project);
  const teamId = (await as(owner, 'POST', '/teams', { display_name: 'Band' })).body.id as string;
  return { owner, teamId };
};

/** A key of either kind, made by who owns it: what names the owner, and a call as them. */
async function withKey(kind: (typeof kinds)[number], body: object = {}) {
  const { owner, teamId } = await withTeam();
  const named = kind === 'user' ? { user_id: owner.userId } : { team_id: teamId };
  const query = kind === 'user' ? 'user_id=me' : `team_id=${teamId}`;
  const path = `/${kind}-api-keys`;
  const created = await as(owner, 'POST', path, newKey({ ...named, ...body }));
  const one = `${path}/${created.body.id}?${query}`;
  return { owner, teamId, named, query, path, one, created: created.body, status: created.status };
}

describe.each(kinds)('a key of a %s', (kind) => {
  test('is shown in full once, then by its last characters, and listed newest first', async () => {
    const expires_at_millis = Date.now() + 60_000;
    const { owner, named, query, path, one, created, status } = await withKey(kind, { expires_at_millis });
    expect(status).toBe(200);
    const facts = {
      id: expect.any(String),
      description: 'laptop',
      type: kind,
      ...named,
      is_public: false,
      created_at_millis: expect.any(Number),
      expires_at_millis,
    };
    expect(created).toEqual({ ...facts, value: expect.stringMatching(/^sk_[0-9a-z]{99}$/) });
    const seen = { ...created, value: { last_four: created.value.slice(-4) } };
    expect((await as(owner, 'GET', one)).body).toEqual(seen);
    const second = (await as(owner, 'POST', path, newKey({ ...named, is_public: true }))).body;
    expect(second.value).toMatch(/^pk_/);
    expect(second).not.toHaveProperty('expires_at_millis');
    const list = (await as(owner, 'GET', `${path}?${query}`)).body;
    expect(list).toEqual({
      items: [{ ...second, value: { last_four: second.value.slice(-4) } }, seen],
      is_paginated: false,
    });
    expect((await asServer('GET', `${path}?${query.replace('me', owner.userId)}`)).body).toEqual(list);
  });

  test('can be described, extended and permanently revoked', async () => {
    const { owner, one, created } = await withKey(kind);
    const patch = (body: object) => as(owner, 'PATCH', one, body);
    expect((await patch({ description: 'desk', expires_at_millis: 7 })).body).toMatchObject({
      description: 'desk',
      expires_at_millis: 7,
    });
    expect((await patch({ expires_at_millis: null })).body).not.toHaveProperty('expires_at_millis');
    const revoked = await patch({ revoked: true });
    expect(revoked.body.manually_revoked_at_millis).toEqual(expect.any(Number));
    api.advance(1000);
    const again = await patch({ revoked: true, description: 'late' });
    expect(again.body).toEqual({ ...revoked.body, description: 'late' });
    expectKnown(await check(kind, created.value), 401, 'API_KEY_REVOKED');
    expectSchemaError(await patch({ revoked: false }), 'body.revoked');
    expectSchemaError(await patch({ user_id: owner.userId }), 'unknown fields: user_id');
    expectSchemaError(await patch({ team_id: unknownId }), 'unknown fields: team_id');
  });

  test('is rotated: both keys work until the old one expires, which is never extended', async () => {
    const { owner, named, one, created } = await withKey(kind, { is_public: true });
    const now = Date.parse(api.deps.now());
    const rotate = (body: object, by = owner) => as(by, 'POST', one.replace('?', '/rotate?'), body);
    const times = { expires_at_millis: now + 9_000_000, old_expires_at_millis: now + 60_000 };
    const rotated = await rotate(times);
    expect(rotated).toMatchObject({
      status: 200,
      body: { description: 'laptop', type: kind, ...named, is_public: true, expires_at_millis: now + 9_000_000 },
    });
    expect(rotated.body.value).toMatch(/^pk_/);
    expect(rotated.body.id).not.toBe(created.id);
    expect((await as(owner, 'GET', one)).body.expires_at_millis).toBe(now + 60_000);
    for (const { value } of [created, rotated.body]) expect((await check(kind, value)).status).toBe(200);
    const later = await rotate({ expires_at_millis: null, old_expires_at_millis: now + 120_000 });
    expect(later.body).not.toHaveProperty('expires_at_millis');
    expect((await as(owner, 'GET', one)).body.expires_at_millis).toBe(now + 60_000);
    api.advance(60_000);
    expectKnown(await check(kind, created.value), 401, 'API_KEY_EXPIRED');
    expect((await check(kind, rotated.body.value)).status).toBe(200);
    await as(owner, 'PATCH', one, { revoked: true });
    expectKnown(await rotate(times), 404, 'API_KEY_NOT_FOUND');
  });

  test('is reported as valid, expired, of the other kind, unknown or of another project by a check', async () => {
    const { created, named, owner, path } = await withKey(kind);
    const good = await check(kind, created.value);
    expect({ status: good.status, body: good.body }).toEqual({
      status: 200,
      body: { ...created, value: { last_four: created.value.slice(-4) } },
    });
    const other = kind === 'user' ? 'team' : 'user';
    const types = { expected_type: other, actual_type: kind };
    expectKnown(await check(other, created.value), 400, 'WRONG_API_KEY_TYPE', types);
    const past = (await as(owner, 'POST', path, newKey({ ...named, expires_at_millis: 1 }))).body;
    expectKnown(await check(kind, past.value), 401, 'API_KEY_EXPIRED');
    for (const text of ['', 'sk_x', created.value.slice(0, -1), `${created.value}0`]) {
      expectKnown(await check(kind, text), 404, 'API_KEY_NOT_FOUND');
    }
    const config = { allow_user_api_keys: true, allow_team_api_keys: true };
    const elsewhere = await createProject(send, { config });
    expectKnown(await check(kind, created.value, elsewhere), 404, 'API_KEY_NOT_FOUND');
    const asClient = await as(owner, 'POST', `${path}/check`, { api_key: created.value });
    expectKnown(asClient, 401, 'INSUFFICIENT_ACCESS_TYPE', {
      actual_access_type: 'client',
      allowed_access_types: ['server', 'admin'],
    });
    expectSchemaError(await asServer('POST', `${path}/check`, {}), 'body.api_key is required');
  });

  test('requires the project setting, checked right after the schema', async () => {
    const named = kind === 'user' ? { user_id: unknownId } : { team_id: unknownId };
    const query = `?${kind}_id=${unknownId}`;
    const path = `/${kind}-api-keys`;
    for (const [method, where, body] of [
      ['GET', `${path}${query}`],
      ['POST', path, newKey(named)],
      ['GET', `${path}/${unknownId}${query}`],
      ['PATCH', `${path}/${unknownId}${query}`, {}],
      ['POST', `${path}/${unknownId}/rotate${query}`, rotation],
      ['POST', `${path}/check`, { api_key: 'x' }],
    ] as const) {
      expectPlain(await asServer(method, where, body, closed), 400);
    }
    expectSchemaError(await asServer('POST', path, {}, closed), 'body.description', 'body.expires_at_millis');
    expectSchemaError(await asServer('GET', path, undefined, closed), `query.${kind}_id is required`);
  });

  test('is looked up before permissions and after the caller', async () => {
    const { path, query, named, one } = await withKey(kind);
    const stranger = await signUp(send, project);
    const owned = query.replace('user_id=me', `user_id=${unknownId}`);
    for (const [method, where, body] of [
      ['GET', one.replace('user_id=me', `user_id=${unknownId}`)],
      ['PATCH', one.replace('user_id=me', `user_id=${unknownId}`), {}],
      ['POST', one.replace('user_id=me', `user_id=${unknownId}`).replace('?', '/rotate?'), rotation],
      ['GET', `${path}?${owned}`],
      ['POST', path, newKey(named)],
    ] as const) {
      expectKnown(await asNobody(method, where, body), 401, 'USER_AUTHENTICATION_REQUIRED');
      const rejected = await as(stranger, method, where, body);
      if (kind === 'user') expectPlain(rejected, 403);
      else expectKnown(rejected, 404, 'API_KEY_NOT_FOUND');
    }
    const unknown = `${path}/${unknownId}?${owned}`;
    expectKnown(await as(stranger, 'GET', unknown), 404, 'API_KEY_NOT_FOUND');
    expectKnown(await as(stranger, 'PATCH', unknown, {}), 404, 'API_KEY_NOT_FOUND');
    const otherKind = `/${kind === 'user' ? 'team' : 'user'}-api-keys/${one.split('/')[2]?.split('?')[0]}`;
    const otherQuery = kind === 'user' ? `?team_id=${unknownId}` : '';
    expectKnown(await asServer('GET', otherKind + otherQuery), 404, 'API_KEY_NOT_FOUND');
    expectKnown(await asServer('PATCH', otherKind + otherQuery, {}), 404, 'API_KEY_NOT_FOUND');
  });

  test('is deleted with its owner', async () => {
    const { owner, teamId, created, one, named, path } = await withKey(kind);
    const gone = kind === 'user' ? `/users/${owner.userId}` : `/teams/${teamId}`;
    expect((await asServer('DELETE', gone, {})).status).toBe(200);
    expectKnown(await check(kind, created.value), 404, 'API_KEY_NOT_FOUND');
    const where = one.replace('user_id=me', `user_id=${owner.userId}`);
    expectKnown(await asServer('PATCH', where, { revoked: true }), 404, 'API_KEY_NOT_FOUND');
    const again = await asServer('POST', path, newKey(named));
    if (kind === 'user') expectKnown(again, 404, 'USER_NOT_FOUND');
    else expectKnown(again, 404, 'TEAM_NOT_FOUND', { team_id: teamId });
  });

  test('is revoked by anyone who presents its leaked text, and its managers are notified', async () => {
    const { owner, created } = await withKey(kind);
    const revoke = async (api_key: string) => {
      const payload = { api_key };
      const url = '/api/v1/integrations/credential-scanning/revoke';
      const answer = await api.app.inject({ method: 'POST', url, payload });
      expectDeclared('POST', url, answer);
      const body = answer.headers['content-type']?.includes('json') ? answer.json() : answer.body;
      return { status: answer.statusCode, body, text: answer.body, headers: answer.headers };
    };
    expectKnown(await revoke('sk_unknown'), 404, 'API_KEY_NOT_FOUND');
    for (let twice = 0; twice < 2; twice += 1) expect((await revoke(created.value)).body).toEqual({ success: true });
    expectKnown(await check(kind, created.value), 401, 'API_KEY_REVOKED');
    // The mail that verifies the address, and this one.
    expect(await countMailsTo(api, owner.email)).toBe(2);
    const shown = await withKey(kind, { is_public: true });
    expectKnown(await revoke(shown.created.value), 400, 'PUBLIC_API_KEY_CANNOT_BE_REVOKED');
    const past = await withKey(kind, { expires_at_millis: 1 });
    expectKnown(await revoke(past.created.value), 401, 'API_KEY_EXPIRED');
  });
});

test('`me` without a signed-in user reports a missing user', async () => {
  const rejected = await asNobody('POST', '/user-api-keys', newKey({ user_id: 'me' }));
  expectKnown(rejected, 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
  expectKnown(await asNobody('GET', '/user-api-keys?user_id=me'), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
});

test('members of a team manage its keys only with permission', async () => {
  const { owner, teamId, path, query, one } = await withKey('team');
  const member = await signUp(send, project);
  await asServer('POST', `/team-memberships/${teamId}/${member.userId}`, {});
  expectKnown(await as(member, 'GET', `${path}?${query}`), 404, 'API_KEY_NOT_FOUND');
  expectKnown(await as(member, 'GET', one), 404, 'API_KEY_NOT_FOUND');
  await asServer('POST', `/team-permissions/${teamId}/${member.userId}/$manage_api_keys`, {});
  expect((await as(member, 'GET', `${path}?${query}`)).body).toEqual((await as(owner, 'GET', `${path}?${query}`)).body);
  expect((await as(member, 'PATCH', one, { revoked: true })).status).toBe(200);
});

test('a check concurrent with a revocation reports valid before it and revoked after it', async () => {
  const { created, one, owner } = await withKey('user');
  const checks = Array.from({ length: 20 }, () => check('user', created.value));
  const [revoked, ...answers] = await Promise.all([as(owner, 'PATCH', one, { revoked: true }), ...checks]);
  expect(revoked.status).toBe(200);
  for (const { status, body } of answers) expect([200, 'API_KEY_REVOKED']).toContain(status === 200 ? 200 : body.code);
  expectKnown(await check('user', created.value), 401, 'API_KEY_REVOKED');
});

test('the last use of a key is stored outside the log', async () => {
  const { created, owner } = await withKey('user');
  const head = await api.deps.store.head();
  await check('user', created.value);
  await api.deps.activity.flush();
  expect(await api.deps.store.head()).toBe(head);
  const uses = await listKeyUses(api.deps.db, project.projectId, owner.userId);
  expect(uses).toEqual([{ keyId: created.id, lastUsedAt: expect.any(Number) }]);
  const path = `/internal/api-key-uses?owner_id=${owner.userId}`;
  const { body } = await send('GET', path, { ...project, access: 'admin' });
  expect(body).toEqual({ items: [{ api_key_id: created.id, last_used_at_millis: expect.any(Number) }] });
});
