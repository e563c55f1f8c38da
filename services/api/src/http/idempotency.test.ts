import { addressRefOf } from '@gatebook/commands/reservation/reservation';
import { describe, expect, test } from 'vitest';
import { buildApp } from '../app.ts';
import { startTestApi } from '../testing/api.ts';
import {
  type Answer,
  changeSettings,
  createProject,
  expectPlain,
  expectSchemaError,
  newEmail,
  password,
  type Send,
  senderOf,
  signUp,
} from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

let isFailing = false;
/** Encrypted answers, as the table has them. */
const stored: string[] = [];

/** One append of the log, or one step after it, that waits to be let go on or to fail. */
type Stop = { reached: Promise<void>; goOn(): void; fail(): void };
let stops: { before?: () => Promise<void>; after?: () => Promise<void> } = {};

function stopNext(when: 'before' | 'after'): Stop {
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  stops[when] = () => {
    stops = {};
    reached.resolve();
    return going.promise;
  };
  return {
    reached: reached.promise,
    goOn: going.resolve,
    fail: () => going.reject(new Error('the process died')),
  };
}

const { api, send } = await startSuite({
  overrides: ({ hasher, store, idempotencyRecords }) => ({
    hasher: {
      ...hasher,
      hash: async (text) => {
        if (isFailing) throw new Error('the hasher is broken');
        return hasher.hash(text);
      },
    },
    store: {
      ...store,
      append: async (writes, metadata) => {
        await stops.before?.();
        const appended = await store.append(writes, metadata);
        await stops.after?.();
        return appended;
      },
    },
    idempotencyRecords: {
      ...idempotencyRecords,
      keep: async (held, answer) => {
        stored.push(answer.answer);
        await idempotencyRecords.keep(held, answer);
      },
    },
  }),
});
const [project, other] = await Promise.all([createProject(send), createProject(send)]);

let count = 0;
const newKey = () => `key-${count++}`;
const write = (key: string, body: object = { display_name: 'Ann' }, call: Parameters<Send>[2] = {}, by = send) =>
  by('POST', '/users', {
    ...project,
    access: 'server',
    body,
    ...call,
    headers: { 'idempotency-key': key, ...call?.headers },
  });
/** All that does not belong to the single answer. */
const lasting = ({ headers: { date, connection, ...headers }, status, text }: Answer) => {
  const { 'x-stack-request-id': _id, 'idempotency-replayed': _replayed, ...kept } = headers;
  return { status, text, headers: kept };
};
const users = async () => (await send('GET', '/users', { ...project, access: 'server' })).body.items.length;

describe('a write with an idempotency key', () => {
  test('is executed once, and every retry replays the response', async () => {
    const [key, before] = [newKey(), await users()];
    const first = await write(key);
    expect(first.status).toBe(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const again = await write(key);
    expect(lasting(again)).toEqual(lasting(first));
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await users()).toBe(before + 1);
  });

  test('replays a secret to the same caller and stores it encrypted', async () => {
    const body = {
      description: 'x',
      expires_at_millis: Date.parse('2099-01-01'),
      has_publishable_client_key: false,
      has_secret_server_key: true,
      has_super_secret_admin_key: false,
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
    expect(lasting(await create())).toEqual(lasting(first));
    expect(stored.at(-1)).toMatch(/^v1\.[\w-]+$/);
    expect(Buffer.from(String(stored.at(-1)).slice(3), 'base64url').toString('latin1')).not.toContain('ssk_');
  });

  test('is rejected if body, path or method differ', async () => {
    const key = newKey();
    const { body } = await write(key);
    expectPlain(await write(key, { display_name: 'Bob' }), 409);
    const headers = { 'idempotency-key': key };
    const patch = { ...project, access: 'server', body: { display_name: 'Ann' }, headers } as const;
    expectPlain(await send('PATCH', `/users/${body.id}`, patch), 409);
    expect((await send('GET', `/users/${body.id}`, { ...project, access: 'server', headers })).status).toBe(200);
  });

  test('sent 20 times at once to two processes creates one user and 20 equal responses', async () => {
    const [key, before, second] = [newKey(), await users(), await buildApp(api.deps)];
    const sendOther = senderOf({ app: second, keys: api.keys });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => write(key, undefined, {}, nth % 2 === 0 ? send : sendOther)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(lasting(answer)))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(await users()).toBe(before + 1);
    await second.close();
  });

  test('is not shared with another project, access type or user', async () => {
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

  test('is not shared with another key of the project', async () => {
    const key = newKey();
    const made = await send('POST', '/internal/api-keys', {
      ...project,
      access: 'admin',
      body: {
        description: 'another',
        expires_at_millis: Date.parse('2099-01-01'),
        has_publishable_client_key: false,
        has_secret_server_key: true,
        has_super_secret_admin_key: false,
      },
    });
    const anotherServer = { keys: { ...project.keys, server: made.body.secret_server_key } };
    const [first, second] = [await write(key), await write(key, undefined, anotherServer)];
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('is separate for each user that an owner acts as', async () => {
    const [key, ann, bob] = [newKey(), await signUp(send, project), await signUp(send, project)];
    const asOwner = { 'x-stack-secret-server-key': '', 'x-stack-admin-access-token': project.owner.accessToken };
    const rename = (as: string) =>
      send('PATCH', '/users/me', {
        projectId: project.projectId,
        access: 'server',
        as,
        body: { display_name: 'x' },
        headers: { 'idempotency-key': key, ...asOwner },
      });
    expect((await rename(ann.accessToken)).body.id).toBe(ann.userId);
    expect((await rename(bob.accessToken)).body.id).toBe(bob.userId);
  });

  test('is separate for each session if the write is about sessions', async () => {
    const headers = { 'idempotency-key': newKey() };
    const [ann, bob] = [await signUp(send, project), await signUp(send, project)];
    const refresh = (refreshToken: string) =>
      send('POST', '/auth/sessions/current/refresh', {
        ...project,
        headers: { ...headers, 'x-stack-refresh-token': refreshToken },
      });
    const fresh = await refresh(ann.refreshToken);
    expect(fresh.status).toBe(200);
    expect((await refresh(ann.refreshToken)).body).toEqual(fresh.body);
    const bobs = await refresh(bob.refreshToken);
    expect(bobs.headers['idempotency-replayed']).toBeUndefined();
    expect(bobs.body.access_token).not.toBe(fresh.body.access_token);

    const signIn = { ...project, body: { email: ann.email, password } };
    const second = (await send('POST', '/auth/password/sign-in', signIn)).body.access_token;
    const signOut = (as: string) => send('DELETE', '/auth/sessions/current', { ...project, as, headers });
    for (const as of [ann.accessToken, second]) {
      expect((await signOut(as)).headers['idempotency-replayed']).toBeUndefined();
      expect((await send('GET', '/users/me', { ...project, as })).status).toBe(401);
    }
    expect((await signOut(second)).body).toEqual({ success: true });
  });

  test('replays nothing about a deleted user, not even to the server that created them', async () => {
    const [key, body] = [newKey(), { display_name: 'Ann Gone', primary_email: newEmail() }];
    const { body: user } = await write(key, body);
    await send('DELETE', `/users/${user.id}`, { ...project, access: 'server' });
    const again = await write(key, body);
    expectPlain(again, 409);
    for (const personal of [user.id, body.display_name, body.primary_email]) expect(again.text).not.toContain(personal);
  });

  test('replays nothing about a user who awaits deletion, not even after a restore', async () => {
    const home = await createProject(send);
    await changeSettings(send, home, { user_deletion_grace_days: 30 });
    const body = { display_name: 'Ann Gone' };
    const create = () =>
      send('POST', '/users', { ...home, access: 'server', body, headers: { 'idempotency-key': 'create' } });
    const { body: user } = await create();
    expect((await create()).headers['idempotency-replayed']).toBe('true');
    await send('DELETE', `/users/${user.id}`, { ...home, access: 'server' });
    expectPlain(await create(), 409);
    await send('POST', `/internal/users/${user.id}/restore`, { ...home, access: 'admin' });
    expectPlain(await create(), 409);
  });

  test('replays nothing about a team that awaits deletion', async () => {
    const home = await createProject(send);
    await changeSettings(send, home, { team_deletion_grace_days: 30 });
    const headers = { 'idempotency-key': 'create-team' };
    const create = () => send('POST', '/teams', { ...home, access: 'server', body: { display_name: 'Crew' }, headers });
    const { body: team } = await create();
    await send('DELETE', `/teams/${team.id}`, { ...home, access: 'server' });
    expectPlain(await create(), 409);
  });

  test('replays nothing to the token of a deleted user', async () => {
    const home = await createProject(send, { config: { client_user_deletion_enabled: true } });
    const { accessToken: as } = await signUp(send, home);
    const withKey = (method: 'PATCH' | 'DELETE', key: string, body: object) =>
      send(method, '/users/me', { ...home, as, body, headers: { 'idempotency-key': key } });
    const rename = () => withKey('PATCH', 'rename', { display_name: 'Ann Gone' });
    expect((await rename()).status).toBe(200);
    expect((await rename()).headers['idempotency-replayed']).toBe('true');
    const leave = () => withKey('DELETE', 'leave', {});
    expect((await leave()).body).toEqual({ success: true });
    for (const again of [await rename(), await leave()]) {
      expectPlain(again, 409);
      expect(again.headers['idempotency-replayed']).toBeUndefined();
      expect(again.text).not.toContain('Ann Gone');
    }
  });

  test('replays no tokens of an ended session', async () => {
    const person = await signUp(send, project);
    const signIn = () =>
      send('POST', '/auth/password/sign-in', {
        ...project,
        body: { email: person.email, password },
        headers: { 'idempotency-key': 'sign-in' },
      });
    const first = await signIn();
    expect((await signIn()).body).toEqual(first.body);
    await send('DELETE', '/auth/sessions/current', { ...project, as: first.body.access_token });
    expectPlain(await signIn(), 409);
  });

  test('is replayed to a server even if it was the deletion of the user', async () => {
    const { body } = await write(newKey());
    const call = { ...project, access: 'server', headers: { 'idempotency-key': newKey() } } as const;
    const remove = () => send('DELETE', `/users/${body.id}`, call);
    expect((await remove()).status).toBe(200);
    expect((await remove()).headers['idempotency-replayed']).toBe('true');
  });

  test('is stored with the subjects it concerns: the user, the caller, addresses, the project', async () => {
    const [email, other] = [newEmail(), newEmail()];
    const { body } = await write(newKey(), { primary_email: email, primary_email_auth_enabled: true });
    const taken = { primary_email: email.toUpperCase(), primary_email_auth_enabled: true };
    expect((await write(newKey(), taken)).body.code).toBe('USER_EMAIL_ALREADY_EXISTS');
    const person = await signUp(send, project);
    const add = { user_id: 'me', type: 'email', value: other, used_for_auth: false };
    const headers = { 'idempotency-key': newKey() };
    expect(
      (await send('POST', '/contact-channels', { ...project, as: person.accessToken, body: add, headers })).status,
    ).toBe(201);
    const concerns = async (...texts: string[]) =>
      (await api.pool.query('select from requests.answers where concerns @> $1', [texts])).rowCount;
    const ref = (address: string) => addressRefOf(api.deps, project.projectId, address);
    expect(await concerns(project.projectId, body.id, ref(email))).toBe(1);
    expect(await concerns(project.projectId, ref(email))).toBe(2);
    expect(await concerns(project.projectId, person.userId, ref(other))).toBe(1);
  });

  test('of anonymous callers is distinguished by client address', async () => {
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

  test('is executed again after a day', async () => {
    const key = newKey();
    const first = await write(key);
    api.advance(24 * 60 * 60_000 - 1000);
    expect((await write(key)).body).toEqual(first.body);
    api.advance(2000);
    expect((await write(key)).body.id).not.toBe(first.body.id);
  });
});

describe('a replayed response', () => {
  test('can be a rejection, with its code', async () => {
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

  test('is never an internal error', async () => {
    const [key, body] = [newKey(), { primary_email: newEmail(), password }];
    isFailing = true;
    expect((await write(key, body)).status).toBe(500);
    isFailing = false;
    expect((await write(key, body)).status).toBe(201);
  });

  test('is never an authentication error', async () => {
    const [key, { refreshToken }] = [newKey(), await signUp(send, project)];
    const { body } = await send('POST', '/auth/cli', { ...project, body: {} });
    const complete = (refresh_token: string) =>
      send('POST', '/auth/cli/complete', {
        ...project,
        body: { login_code: body.login_code, refresh_token },
        headers: { 'idempotency-key': key },
      });
    expect((await complete('wrong')).status).toBe(401);
    expect((await complete(refreshToken)).status).toBe(200);
  });

  test('can be a token, with the headers of its endpoint', async () => {
    const [{ refreshToken: refresh_token }, key] = [await signUp(send, project), newKey()];
    const call = {
      body: {
        grant_type: 'refresh_token',
        refresh_token,
        client_id: project.projectId,
        client_secret: project.keys.client,
      },
      headers: { 'idempotency-key': key },
    };
    const first = await send('POST', '/auth/oauth/token', call);
    expect(first.headers.pragma).toBe('no-cache');
    const again = await send('POST', '/auth/oauth/token', call);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(lasting(again)).toEqual(lasting(first));
  });

  test('does not exist for public routes that change nothing', async () => {
    const [headers, count] = [{ 'idempotency-key': newKey() }, stored.length];
    for (const path of ['/check-feature-support', '/nowhere']) await send('POST', path, { headers, body: {} });
    expect(stored).toHaveLength(count);
    expect((await write(headers['idempotency-key'])).status).toBe(201);
  });

  test('is never a schema error', async () => {
    const key = newKey();
    expectSchemaError(await write(key, { nonsense: 1 }), 'unknown fields');
    expect((await write(key)).status).toBe(201);
  });

  test.each(['', 'with space', 'ü', 'x'.repeat(256)])(
    'does not exist for malformed keys, which are rejected: %j',
    async (key) => {
      expectPlain(await write(key), 400);
    },
  );
});

describe('a process that stops', () => {
  /** Longer than a reservation holds. */
  const giveUp = () => api.advance(61_000);

  test('before it decided: a retry executes the write, and the stopped request does not', async () => {
    const [key, before, stop] = [newKey(), await users(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    giveUp();
    const again = await write(key);
    expect(again.status).toBe(201);
    stop.goOn();
    expectPlain(await first, 409);
    expect(await users()).toBe(before + 1);
    expect((await write(key)).text).toBe(again.text);
  });

  test('before it decided, and resumes first: its write is executed', async () => {
    const [key, before, stop] = [newKey(), await users(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    giveUp();
    const secondStop = stopNext('before');
    const second = write(key);
    await secondStop.reached;
    stop.goOn();
    expect((await first).status).toBe(201);
    secondStop.goOn();
    expectPlain(await second, 409);
    expect(await users()).toBe(before + 1);
  });

  test('after it decided: the write is not executed again, and its response is lost', async () => {
    const [key, before, stop] = [newKey(), await users(), stopNext('after')];
    const first = write(key);
    await stop.reached;
    giveUp();
    for (let twice = 0; twice < 2; twice += 1) expectPlain(await write(key), 409);
    stop.goOn();
    await first;
    expect(await users()).toBe(before + 1);
  });

  test('before it decided, with an error: the key can be used again for any request', async () => {
    const [key, stop] = [newKey(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    stop.fail();
    expect((await first).status).toBe(500);
    expect((await write(key, { display_name: 'Bob' })).status).toBe(201);
  });

  test('after it revoked a leaked API key: the revocation is not done again', async () => {
    await send('PATCH', '/internal/projects/current', {
      ...project,
      access: 'admin',
      body: { config: { allow_user_api_keys: true } },
    });
    const { id: user_id } = (await write(newKey())).body;
    const body = { description: 'leaked', expires_at_millis: null, is_public: false, user_id };
    const { value } = (await send('POST', '/user-api-keys', { ...project, access: 'server', body })).body;
    const [key, stop] = [newKey(), stopNext('after')];
    const revoke = () =>
      send('POST', '/integrations/credential-scanning/revoke', {
        body: { api_key: value },
        headers: { 'idempotency-key': key },
      });
    const first = revoke();
    await stop.reached;
    stop.fail();
    expect((await first).status).toBe(500);
    expectPlain(await revoke(), 409);
  });

  test('after it decided, with an error: the write is not executed again', async () => {
    const [key, before, stop] = [newKey(), await users(), stopNext('after')];
    const first = write(key);
    await stop.reached;
    stop.fail();
    expect((await first).status).toBe(500);
    for (let twice = 0; twice < 2; twice += 1) expectPlain(await write(key), 409);
    expect(await users()).toBe(before + 1);
  });

  test('for a short time: other requests wait for its response', async () => {
    const [key, stop] = [newKey(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    const second = write(key);
    expectPlain(await write(key, { display_name: 'Bob' }), 409);
    stop.goOn();
    expect((await second).text).toBe((await first).text);
  });

  test('for a long time: other requests get a 503 with retry-after', async () => {
    const [key, stop] = [newKey(), stopNext('before')];
    const first = write(key);
    await stop.reached;
    const second = await write(key);
    expectPlain(second, 409);
    expect(second.headers['retry-after']).toBe('1');
    stop.goOn();
    expect((await first).status).toBe(201);
  });

  test('a key that was used the day before is treated as new', async () => {
    const key = newKey();
    expect((await write(key)).status).toBe(201);
    api.advance(24 * 60 * 60_000 + 60_000);
    const stop = stopNext('before');
    const first = write(key);
    await stop.reached;
    giveUp();
    expect((await write(key)).status).toBe(201);
    stop.goOn();
    expectPlain(await first, 409);
  });
});
