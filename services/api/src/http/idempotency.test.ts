import { createUser } from '@gatebook/commands/user';
import { initialPermissions } from '@gatebook/domain/permission/definition';
import { defaultProjectConfig } from '@gatebook/domain/project/config';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../testing/api.ts';
import {
  createProject,
  expectPlain,
  expectSchemaError,
  newEmail,
  type OwnedProject,
  password,
  type Send,
  senderOf,
  signUp,
} from '../testing/requests.ts';

let api: TestApi;
let send: Send;
let project: OwnedProject;
let other: OwnedProject;
let isFailing = false;

beforeAll(async () => {
  api = await startTestApi({
    overrides: ({ hasher }) => ({
      hasher: {
        ...hasher,
        hash: async (text) => {
          if (isFailing) throw new Error('the hasher is broken');
          return hasher.hash(text);
        },
      },
    }),
  });
  send = senderOf(api);
  [project, other] = await Promise.all([createProject(send), createProject(send)]);
});
afterAll(() => api.close());

let count = 0;
const newKey = () => `key-${count++}`;
const write = (key: string, body: object = { display_name: 'Ann' }, call: Parameters<Send>[2] = {}) =>
  send('POST', '/users', {
    ...{ ...project, access: 'server', body, ...call },
    headers: { 'idempotency-key': key, ...call?.headers },
  });
const users = async () => (await send('GET', '/users', { ...project, access: 'server' })).body.items.length;

describe('a write with a key', () => {
  test('is done once, and answered alike ever after', async () => {
    const [key, before] = [newKey(), await users()];
    const first = await write(key);
    expect(first.status).toBe(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const again = await write(key);
    expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: first.text });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(await users()).toBe(before + 1);
  });

  test('shows a secret again to whoever asks again, and keeps it sealed', async () => {
    const body = {
      ...{ description: 'x', expires_at_millis: Date.parse('2099-01-01'), has_publishable_client_key: false },
      ...{ has_secret_server_key: true, has_super_secret_admin_key: false },
    };
    const create = () =>
      send('POST', '/internal/api-keys', {
        ...project,
        access: 'admin',
        body,
        headers: { 'idempotency-key': 'secret' },
      });
    const first = await create();
    expect(first.body.secret_server_key).toMatch(/^ssk_/);
    expect((await create()).body).toEqual(first.body);
    const asked = { id: 'none', fingerprint: 'none', at: new Date().toISOString() };
    expect(JSON.stringify(await api.deps.keptAnswers.reserve(asked))).not.toContain('ssk_');
  });

  test('of another body, path or method is refused', async () => {
    const key = newKey();
    const { body } = await write(key);
    expectPlain(await write(key, { display_name: 'Bob' }), 409);
    const headers = { 'idempotency-key': key };
    const patch = { ...project, access: 'server', body: { display_name: 'Ann' }, headers } as const;
    expectPlain(await send('PATCH', `/users/${body.id}`, patch), 409);
    expect((await send('GET', `/users/${body.id}`, { ...project, access: 'server', headers })).status).toBe(200);
  });

  test('20 at once make one user and 20 equal answers', async () => {
    const [key, before] = [newKey(), await users()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => write(key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await users()).toBe(before + 1);
  });

  test('is nobody else’s: not another project’s, access type’s, or person’s', async () => {
    const key = newKey();
    const first = await write(key);
    const elsewhere = await write(key, undefined, other);
    const asAdmin = await write(key, undefined, { access: 'admin' });
    expect(new Set([first, elsewhere, asAdmin].map(({ body }) => body.id)).size).toBe(3);
    const [ann, bob] = [await signUp(send, project), await signUp(send, project)];
    const rename = (as: string) =>
      send('PATCH', '/users/me', { ...project, as, body: { display_name: 'x' }, headers: { 'idempotency-key': key } });
    expect((await rename(ann.accessToken)).body.id).toBe(ann.userId);
    expect((await rename(bob.accessToken)).body.id).toBe(bob.userId);
  });

  test('of somebody without a name is told apart by where they are', async () => {
    const proxied = await startTestApi({ trustedProxies: ['127.0.0.1'] });
    const from = (ip: string) =>
      senderOf(proxied)('POST', '/auth/anonymous/sign-up', {
        headers: { 'idempotency-key': '1', 'x-forwarded-for': ip },
        body: {},
      });
    const [one, two, again] = [await from('203.0.113.1'), await from('203.0.113.2'), await from('203.0.113.1')];
    expect(one.status).toBe(200);
    expect(two.body.user_id).not.toBe(one.body.user_id);
    expect(again.body).toEqual(one.body);
    await proxied.close();
  });

  test('is done anew after a day', async () => {
    const key = newKey();
    const first = await write(key);
    api.advance(24 * 60 * 60_000 - 1000);
    expect((await write(key)).body).toEqual(first.body);
    api.advance(2000);
    expect((await write(key)).body.id).not.toBe(first.body.id);
  });
});

describe('what is answered again', () => {
  test('a refusal is, with its code', async () => {
    const key = newKey();
    const body = { primary_email: newEmail(), primary_email_auth_enabled: true };
    expect((await write(newKey(), body)).status).toBe(201);
    const first = await write(key, body);
    expect(first.body.code).toBe('USER_EMAIL_ALREADY_EXISTS');
    const again = await write(key, body);
    expect(again.text).toBe(first.text);
    expect(again.headers['x-stack-known-error']).toBe('USER_EMAIL_ALREADY_EXISTS');
    const asOk = await write(key, body, { headers: { 'x-stack-override-error-status': 'true' } });
    expect({ status: asOk.status, actual: asOk.headers['x-stack-actual-status'] }).toEqual({
      status: 200,
      actual: '409',
    });
  });

  test('a fault of ours is not', async () => {
    const [key, body] = [newKey(), { primary_email: newEmail(), password }];
    isFailing = true;
    expect((await write(key, body)).status).toBe(500);
    isFailing = false;
    expect((await write(key, body)).status).toBe(201);
  });

  test('a request that is not understood is not', async () => {
    const key = newKey();
    expectSchemaError(await write(key, { nonsense: 1 }), 'unknown fields');
    expect((await write(key)).status).toBe(201);
  });

  test.each(['', 'with space', 'ü', 'x'.repeat(256)])('keys of another form are refused: %j', async (key) => {
    expectPlain(await write(key), 400);
  });
});

describe('when whoever worked on it has died', () => {
  const projectFacts = { displayName: 'App', config: defaultProjectConfig, permissions: initialPermissions };
  const idOf = (key: string) =>
    api.deps.lookupHash('request', project.projectId, JSON.stringify(['server', null, key]));
  const fingerprint = () =>
    api.deps.lookupHash(
      'request body',
      project.projectId,
      JSON.stringify(['POST', '/api/v1/users', { display_name: 'Ann' }]),
    );

  test('before anything was decided, it is done', async () => {
    const key = newKey();
    await api.deps.keptAnswers.reserve({ id: idOf(key), fingerprint: fingerprint(), at: api.deps.now() });
    api.advance(61_000);
    expect((await write(key)).status).toBe(201);
  });

  test('after it was decided, it is not done again', async () => {
    const [key, before] = [newKey(), await users()];
    const once = idOf(key);
    await api.deps.keptAnswers.reserve({ id: once, fingerprint: fingerprint(), at: api.deps.now() });
    const actor = { kind: 'server', id: null } as const;
    const ctx = { projectId: project.projectId, actor, requestId: 'dead', ip: null, userAgent: null, once };
    const { position } = await createUser(api.deps, ctx, { project: projectFacts, displayName: 'Ann' });
    await api.deps.readModels.reached(position);
    api.advance(61_000);
    for (let twice = 0; twice < 2; twice += 1) expectPlain(await write(key), 409);
    expect(await users()).toBe(before + 1);
  });

  test('or works still, the answer is to ask again', async () => {
    const key = newKey();
    await api.deps.keptAnswers.reserve({ id: idOf(key), fingerprint: fingerprint(), at: api.deps.now() });
    const answer = await write(key);
    expectPlain(answer, 409);
    expect(answer.headers['retry-after']).toBe('1');
  }, 10_000);
});
