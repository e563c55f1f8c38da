import { describe, expect, test } from 'vitest';
import { buildApp } from '../app.ts';
import { expectPlain, expectSchemaError, newEmail, password, senderOf, signUp } from '../testing/requests.ts';
import { commonPartOf, startIdempotencySuite } from './testing/idempotency.ts';

let isFailing = false;
/** Encrypted responses, as the table has them. */
const stored: string[] = [];
const { api, send, project, newKey, write, countUsers } = await startIdempotencySuite({
  overrides: ({ hasher, idempotencyRecords }) => ({
    hasher: {
      ...hasher,
      hash: async (text) => {
        if (isFailing) throw new Error('the hasher is broken');
        return hasher.hash(text);
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

describe('a write with an idempotency key', () => {
  test('is executed once, and every retry replays the response', async () => {
    const [key, before] = [newKey(), await countUsers()];
    const first = await write(key);
    expect(first.status).toBe(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const again = await write(key);
    expect(commonPartOf(again)).toEqual(commonPartOf(first));
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await countUsers()).toBe(before + 1);
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
    expect(commonPartOf(await create())).toEqual(commonPartOf(first));
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
    const [key, before, second] = [newKey(), await countUsers(), await buildApp(api.deps)];
    const sendOther = senderOf({ app: second, keys: api.keys });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => write(key, undefined, {}, nth % 2 === 0 ? send : sendOther)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(commonPartOf(answer)))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(await countUsers()).toBe(before + 1);
    await second.close();
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
    expect(commonPartOf(again)).toEqual(commonPartOf(first));
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
