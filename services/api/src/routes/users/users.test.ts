import bcrypt from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  type OwnedProject,
  password,
  type Send,
  senderOf,
  signUp,
} from '../../testing/requests.ts';

let api: TestApi;
let send: Send;
let project: OwnedProject;

beforeAll(async () => {
  api = await startTestApi();
  send = senderOf(api);
  project = await createProject(send, { config: { magic_link_enabled: true } });
});
afterAll(() => api.close());

const unknownId = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
const asServer = { access: 'server' as const };
const create = (body: Record<string, unknown>, call = {}) =>
  send('POST', '/users', { ...project, ...asServer, body, ...call });
const patch = (id: string, body: Record<string, unknown>, call = {}) =>
  send('PATCH', `/users/${id}`, { ...project, ...asServer, body, ...call });
const configured = (config: Record<string, unknown>) =>
  send('PATCH', '/internal/projects/current', { ...project, access: 'admin', body: { config } });

const serverView = (facts: Record<string, unknown> = {}) => ({
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  display_name: null,
  primary_email: null,
  primary_email_verified: false,
  primary_email_auth_enabled: false,
  profile_image_url: null,
  signed_up_at_millis: expect.any(Number),
  last_active_at_millis: expect.any(Number),
  has_password: false,
  otp_auth_enabled: false,
  passkey_auth_enabled: false,
  auth_with_email: false,
  requires_totp_mfa: false,
  is_anonymous: false,
  client_metadata: null,
  client_read_only_metadata: null,
  server_metadata: null,
  oauth_providers: [],
  selected_team_id: null,
  selected_team: null,
  ...facts,
});

describe('create', () => {
  test.each(['server', 'admin'] as const)('with nothing at all, as %s', async (access) => {
    const answer = await create({}, { access });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(serverView());
    expect(answer.body.last_active_at_millis).toBe(answer.body.signed_up_at_millis);
  });

  test('with everything', async () => {
    const facts = {
      display_name: 'Ünïcode ☃',
      profile_image_url: 'https://example.com/me.png',
      primary_email: newEmail(),
      primary_email_verified: true,
      primary_email_auth_enabled: true,
      client_metadata: { a: [1, { b: null }] },
      client_read_only_metadata: 'text',
      server_metadata: 7,
      otp_auth_enabled: true,
      is_anonymous: true,
    };
    const answer = await create({ ...facts, password, totp_secret_base64: null, oauth_providers: [] });
    expect(answer.body).toEqual(serverView({ ...facts, has_password: true, auth_with_email: true }));
    const signIn = await send('POST', '/auth/password/sign-in', {
      ...project,
      body: { email: facts.primary_email, password },
    });
    expect(signIn.status).toBe(200);
  });

  test('an empty name is none, and scalars are converted', async () => {
    expect((await create({ display_name: '' })).body.display_name).toBeNull();
    expect((await create({ display_name: 12, is_anonymous: 'FALSE' })).body.display_name).toBe('12');
  });

  test('an address may stand on many users, but one signs in with it', async () => {
    const primary_email = newEmail();
    expect((await create({ primary_email, primary_email_auth_enabled: true })).status).toBe(201);
    expect((await create({ primary_email })).status).toBe(201);
    const again = primary_email.toUpperCase();
    expectKnown(
      await create({ primary_email: again, primary_email_auth_enabled: true }),
      409,
      'USER_EMAIL_ALREADY_EXISTS',
      { email: again },
    );
  });

  test('an address that is used or verified has to be there', async () => {
    expectPlain(await create({ primary_email_auth_enabled: true }), 400);
    expectPlain(await create({ primary_email_verified: true }), 400);
  });

  test('methods that are off can not be given', async () => {
    await configured({ credential_enabled: false, magic_link_enabled: false });
    expectPlain(await create({ password }), 400);
    expectPlain(await create({ otp_auth_enabled: true }), 400);
    await configured({ credential_enabled: true, magic_link_enabled: true });
  });

  test('a password has a maximum, but no minimum for servers', async () => {
    expect((await create({ password: 'x' })).status).toBe(201);
    expectKnown(await create({ password: 'x'.repeat(71) }), 400, 'PASSWORD_TOO_LONG', { maxLength: 70 });
  });

  test('faults are told by their path; unknown fields at any depth', async () => {
    expectSchemaError(
      await create({
        primary_email: 'no',
        profile_image_url: '',
        is_anonymous: null,
        nickname: 'x',
        selected_team_id: null,
      }),
      'POST /api/v1/users',
      'body.primary_email',
      'body.profile_image_url',
      'body.is_anonymous',
      'body has unknown fields: nickname, selected_team_id',
    );
    expectSchemaError(await create({ oauth_providers: [{ id: 'github', more: 1 }] }), 'body.oauth_providers.0');
    expectSchemaError(await send('POST', '/users', { ...project, ...asServer }), 'body is required');
    expectSchemaError(await create({ display_name: 'a\u0000b' }), 'body.display_name');
    expectSchemaError(await create({ client_metadata: { deep: ['\ud800'] } }), 'body.client_metadata.deep.0');
  });
});

describe('get', () => {
  test.each(['server', 'admin'] as const)('a user by id in any case, as %s', async (access) => {
    const { id } = (await create({ display_name: 'Ann' })).body;
    const answer = await send('GET', `/users/${id.toUpperCase()}`, { ...project, access });
    expect(answer).toMatchObject({ status: 200, body: { id, display_name: 'Ann' } });
  });

  test('unknown, another project’s, no id at all', async () => {
    const foreign = await signUp(send);
    for (const id of [unknownId, foreign.userId]) {
      expectKnown(await send('GET', `/users/${id}`, { ...project, ...asServer }), 404, 'USER_NOT_FOUND');
    }
    expectSchemaError(await send('GET', '/users/somebody', { ...project, ...asServer }), 'params.user_id');
  });
});

describe('list', () => {
  let listed: OwnedProject;
  const ids: string[] = [];
  const list = (query: string) => send('GET', `/users${query}`, { ...listed, ...asServer });
  const idsOf = async (query: string) => (await list(query)).body.items.map(({ id }: { id: string }) => id);

  beforeAll(async () => {
    listed = await createProject(send);
    for (const name of ['Ann', 'Ben', 'Cem', 'Dörte', 'Eve']) {
      const body = { display_name: name, primary_email: `${name.toLowerCase().replace('ö', 'o')}@example.com` };
      ids.push((await send('POST', '/users', { ...listed, ...asServer, body })).body.id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });

  test('everybody, oldest first, without a cursor', async () => {
    const answer = await list('');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      items: ids.map((id) => expect.objectContaining({ id })),
      is_paginated: true,
      pagination: { next_cursor: null },
    });
  });

  test('pages in both directions', async () => {
    for (const [desc, order] of [
      ['false', ids],
      ['true', ids.toReversed()],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: string = `?limit=2&order_by=signed_up_at&desc=${desc}${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { body } = await list(query);
        expect(body.items.length).toBeLessThanOrEqual(2);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        cursor = body.pagination.next_cursor;
      }
      expect(seen).toEqual(order);
    }
  });

  test('filters by name, address or id', async () => {
    expect(await idsOf('?query=an')).toEqual([ids[0]]);
    expect(await idsOf('?query=DORTE@EX')).toEqual([ids[3]]);
    expect(await idsOf(`?query=${ids[1]}`)).toEqual([ids[1]]);
    expect(await idsOf('?query=%25')).toEqual([]);
    expect(await idsOf('?query=')).toHaveLength(5);
    expect(await idsOf('?query=e&limit=1&desc=1')).toEqual([ids[4]]);
  });

  test('an unknown cursor gives an empty page, an unknown team an empty list', async () => {
    expect(await idsOf(`?cursor=${unknownId}`)).toEqual([]);
    expect(await idsOf(`?team_id=${unknownId}`)).toEqual([]);
  });

  test('of repeated keys the last one wins', async () => {
    expect(await idsOf('?limit=nonsense&limit=1')).toEqual([ids[0]]);
  });

  test('faults of the query', async () => {
    expectSchemaError(
      await list('?limit=0&cursor=x&order_by=name&desc=maybe&page=2'),
      'query.limit',
      'query.cursor',
      'query.order_by',
      'query.desc',
      'query has unknown fields: page',
    );
    expectSchemaError(await list('?query=%00'), 'query.query');
    expectSchemaError(await list('?query=%ff'), 'query has unknown fields');
  });
});

describe('update', () => {
  test('changes what it names and leaves the rest', async () => {
    const { body: before } = await create({
      display_name: 'Ann',
      client_metadata: { a: 1 },
      server_metadata: { b: 2 },
    });
    const answer = await patch(before.id, { display_name: null, server_metadata: null });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, display_name: null, server_metadata: null });
    expect((await patch(before.id, {})).body).toEqual(answer.body);
  });

  test('the primary address: set, replaced, removed', async () => {
    const { id } = (await create({})).body;
    const [first, second] = [newEmail(), newEmail()];
    expect((await patch(id, { primary_email: first, primary_email_verified: true })).body).toMatchObject({
      primary_email: first,
      primary_email_verified: true,
      primary_email_auth_enabled: false,
    });
    expect((await patch(id, { primary_email: second, primary_email_auth_enabled: true })).body).toMatchObject({
      primary_email: second,
      primary_email_verified: true,
      primary_email_auth_enabled: true,
    });
    const { id: other } = (await create({})).body;
    expectKnown(
      await patch(other, { primary_email: second, primary_email_auth_enabled: true }),
      409,
      'USER_EMAIL_ALREADY_EXISTS',
      { email: second },
    );
    expect((await patch(id, { primary_email: null })).body).toMatchObject({
      primary_email: null,
      primary_email_verified: false,
      primary_email_auth_enabled: false,
    });
    expect((await patch(other, { primary_email: second, primary_email_auth_enabled: true })).status).toBe(200);
    expectPlain(await patch(id, { primary_email_verified: true }), 400);
    expectPlain(await patch(other, { primary_email: null, primary_email_auth_enabled: true }), 400);
  });

  test('a password by a server ends all sessions', async () => {
    const user = await signUp(send, project);
    expect((await patch(user.userId, { password: 'short' })).body.has_password).toBe(true);
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).body.code).toBe(
      'ACCESS_TOKEN_EXPIRED',
    );
    const signIn = (secret: string) =>
      send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password: secret } });
    expect((await signIn('short')).status).toBe(200);
    expect((await patch(user.userId, { password: null })).body.has_password).toBe(false);
    expect((await signIn('short')).body.code).toBe('EMAIL_PASSWORD_MISMATCH');
    expectKnown(await patch(user.userId, { password: 'x'.repeat(71) }), 400, 'PASSWORD_TOO_LONG', { maxLength: 70 });
  });

  test('a first password needs the method and an address', async () => {
    const { id } = (await create({})).body;
    expectPlain(await patch(id, { password }), 400);
    await configured({ credential_enabled: false, magic_link_enabled: false });
    expectPlain(await patch(id, { primary_email: newEmail(), password }), 400);
    expectPlain(await patch(id, { otp_auth_enabled: true }), 400);
    await configured({ credential_enabled: true, magic_link_enabled: true });
    expect((await patch(id, { primary_email: newEmail(), password, otp_auth_enabled: true })).body).toMatchObject({
      has_password: true,
      otp_auth_enabled: true,
    });
  });

  test('what is not offered yet is refused, not swallowed', async () => {
    const { id } = (await create({})).body;
    expectKnown(await patch(id, { selected_team_id: unknownId }), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', {
      team_id: unknownId,
      user_id: id,
    });
    expectPlain(await patch(id, { passkey_auth_enabled: true }), 400);
    expect((await patch(id, { selected_team_id: null, passkey_auth_enabled: false })).status).toBe(200);
  });

  test('unknown users', async () => {
    const foreign = await signUp(send);
    expectKnown(await patch(unknownId, {}), 404, 'USER_NOT_FOUND');
    expectKnown(await patch(foreign.userId, { display_name: 'x' }), 404, 'USER_NOT_FOUND');
  });
});

describe('a password hash from elsewhere', () => {
  const hash = bcrypt.hashSync(password, 6);
  const signIn = (email: string) => send('POST', '/auth/password/sign-in', { ...project, body: { email, password } });

  test('lets its user sign in, and is replaced then', async () => {
    const email = newEmail();
    const created = await create({ primary_email: email, primary_email_auth_enabled: true, password_hash: hash });
    expect(created.body).toMatchObject({ has_password: true });
    expect((await signIn(email)).body.user_id).toBe(created.body.id);
    const { events } = await api.deps.store.readStream(`user-${created.body.id}`);
    const hashes = events.filter(({ type }) => type === 'UserPasswordSet').map(({ data }) => String(data.passwordHash));
    expect(hashes.map((text) => text.slice(0, 9))).toEqual([hash.slice(0, 9), '$argon2id']);
    expect((await signIn(email)).status).toBe(200);
  });

  test('takes the place of a password, and ends the sessions', async () => {
    const user = await signUp(send, project);
    expect((await patch(user.userId, { password_hash: bcrypt.hashSync('another one', 6) })).status).toBe(200);
    expect((await signIn(user.email)).body.code).toBe('EMAIL_PASSWORD_MISMATCH');
    const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expect(me.body.code).toBe('ACCESS_TOKEN_EXPIRED');
  });

  test('is refused beside a password, and when it is none', async () => {
    const { id } = (await create({})).body;
    for (const value of ['a password', null]) {
      expectPlain(await create({ password: value, password_hash: hash }), 400);
      expectPlain(await patch(id, { password: value, password_hash: hash }), 400);
    }
    for (const bad of ['x', '$2b$10$short', hash.replace('$06$', '$17$'), hash.replace('$2b$', '$2x$'), `${hash}a`]) {
      expectPlain(await create({ password_hash: bad }), 400);
    }
    expectSchemaError(await create({ password_hash: '' }), 'body.password_hash');
    expectSchemaError(await create({ password_hash: null }), 'body.password_hash');
  });
});

describe('delete', () => {
  test('removes the user, frees the address, lowers the count', async () => {
    const owned = await createProject(send);
    const user = await signUp(send, owned);
    const count = async () =>
      (await send('GET', '/internal/projects/current', { ...owned, access: 'admin' })).body.user_count;
    expect(await count()).toBe(1);
    const answer = await send('DELETE', `/users/${user.userId}`, { ...owned, ...asServer, body: { any: ['json'] } });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await count()).toBe(0);
    for (const method of ['GET', 'DELETE']) {
      expectKnown(await send(method, `/users/${user.userId}`, { ...owned, ...asServer }), 404, 'USER_NOT_FOUND');
    }
    expect((await signUp(send, owned, user.email)).userId).not.toBe(user.userId);
  });
});

describe('me', () => {
  test('the view follows the access type alone', async () => {
    const user = await signUp(send, project);
    const asClient = await send('GET', '/users/me', { ...project, as: user.accessToken });
    const asAdmin = await send('GET', '/users/me', { ...project, access: 'admin', as: user.accessToken });
    const extra = Object.keys(asAdmin.body).filter((key) => !(key in asClient.body));
    expect(extra.sort()).toEqual(['last_active_at_millis', 'primary_email_auth_enabled', 'server_metadata']);
  });

  test.each(['GET', 'PATCH', 'DELETE'])('%s without a user', async (method) => {
    for (const access of ['client', 'server', 'admin'] as const) {
      await configured({ client_user_deletion_enabled: true });
      const answer = await send(method, '/users/me', { ...project, access, body: {} });
      expectKnown(answer, 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    }
    await configured({ client_user_deletion_enabled: false });
  });

  test('a client sets its own fields and no others', async () => {
    const { accessToken: as } = await signUp(send, project);
    const changed = await send('PATCH', '/users/me', {
      ...project,
      as,
      body: { display_name: 'Me', client_metadata: ['x'], otp_auth_enabled: true, totp_secret_base64: null },
    });
    expect(changed.body).toMatchObject({ display_name: 'Me', client_metadata: ['x'], otp_auth_enabled: true });
    expect(changed.body).not.toHaveProperty('server_metadata');
    const forbidden = {
      server_metadata: 1,
      client_read_only_metadata: 1,
      primary_email: newEmail(),
      primary_email_verified: true,
      primary_email_auth_enabled: true,
      password,
    };
    for (const [field, value] of Object.entries(forbidden)) {
      const answer = await send('PATCH', '/users/me', { ...project, as, body: { [field]: value } });
      expectSchemaError(answer, `body has unknown fields: ${field}`);
      const allowed = await send('PATCH', '/users/me', { ...project, access: 'server', as, body: { [field]: value } });
      expect(allowed.status).toBe(200);
      if (field === 'password') break;
    }
  });

  test('a client uploads an image, and points nowhere else; that is told before who is signed in', async () => {
    const { accessToken: as } = await signUp(send, project);
    const image = (profile_image_url: string | null, call: Record<string, unknown> = { as }) =>
      send('PATCH', '/users/me', { ...project, ...call, body: { profile_image_url } });
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    expect((await image(png)).body.profile_image_url).toBe(png);
    expect((await image(null)).body.profile_image_url).toBeNull();
    for (const bad of ['https://example.com/me.png', 'data:image/svg+xml;base64,AAAA', 'data:text/html;base64,AAAA']) {
      expectPlain(await image(bad), 400);
      expectPlain(await image(bad, {}), 400);
    }
    expect((await image('https://example.com/me.png', { as, access: 'server' })).status).toBe(200);
    expectSchemaError(await image('nonsense'), 'body.profile_image_url');
    expect((await image(`data:image/png;base64,${'A'.repeat(999_978)}`)).status).toBe(200);
    expectSchemaError(await image(`data:image/png;base64,${'A'.repeat(1_000_000)}`), 'body.profile_image_url');
  });

  test('a client deletes itself where the project allows it', async () => {
    const user = await signUp(send, project);
    expectPlain(await send('DELETE', '/users/me', { ...project, as: user.accessToken }), 400);
    expectPlain(await send('DELETE', '/users/me', project), 400);
    await configured({ client_user_deletion_enabled: true });
    const answer = await send('DELETE', '/users/me', { ...project, as: user.accessToken, body: {} });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expectKnown(await send('GET', `/users/${user.userId}`, { ...project, ...asServer }), 404, 'USER_NOT_FOUND');
    await configured({ client_user_deletion_enabled: false });
  });

  test('a server deletes the signed-in user in any case', async () => {
    const user = await signUp(send, project);
    const answer = await send('DELETE', '/users/me', { ...project, access: 'server', as: user.accessToken });
    expect(answer.status).toBe(200);
  });

  test('costs one query', async () => {
    const user = await signUp(send, project);
    const call = { ...project, as: user.accessToken };
    await send('GET', '/users/me', call);
    let queries = 0;
    const { rows } = api.deps.db;
    Object.assign(api.deps.db, {
      rows: (...args: Parameters<typeof rows>) => {
        queries += 1;
        return rows(...args);
      },
    });
    await send('GET', '/users/me', call);
    Object.assign(api.deps.db, { rows });
    expect(queries).toBe(1);
  });
});

test('servers of internal find the owned projects in the server metadata', async () => {
  const { owner, projectId } = await createProject(send);
  const answer = await send('PATCH', `/users/${owner.userId}`, {
    access: 'server',
    body: { server_metadata: { a: 1 } },
  });
  expect(answer.body.server_metadata).toEqual({ a: 1, managedProjectIds: [projectId] });
});

test('client libraries newer than the protocol get the keys that they can not do without', async () => {
  const { id } = (await create({})).body;
  const read = async (version: string) =>
    (await send('GET', `/users/${id}`, { ...project, ...asServer, headers: { 'x-stack-client-version': version } }))
      .body;
  expect(await read('js @stackframe/js@2.8.108')).toMatchObject({
    is_restricted: false,
    risk_scores: { sign_up: { bot: 0, free_trial_abuse: 0 } },
  });
  for (const version of [
    'js @stackframe/js@2.8.15',
    'js @stackframe/js@2.8.3',
    'js @stackframe/js@1.9.99',
    'nonsense',
  ]) {
    expect(await read(version)).toEqual(serverView());
  }
});
