import { describe, expect, test } from 'vitest';
import { startTestApi } from '../testing/api.ts';
import { createProject, password, senderOf, signUp } from '../testing/requests.ts';
import { startIdempotencySuite } from './testing/idempotency.ts';

const { send, project, newKey, write } = await startIdempotencySuite();
const other = await createProject(send);

describe('an idempotency key', () => {
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
});
