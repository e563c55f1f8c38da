import { describe, expect, test } from 'vitest';
import { createProject, expectKnown, type OwnedProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const path = '/webhooks/endpoints';

const tokenOf = async (project: OwnedProject, headers: Record<string, string> = {}) =>
  (await send('POST', '/webhooks/svix-token', { ...project, access: 'admin', headers, body: {} })).body.token as string;
const asOwner = (token: string) => ({ 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': token });
const withToken = (token: string, method: string, at: string, body?: unknown) => (project: OwnedProject) =>
  send(method, at, { ...project, access: 'admin', headers: asOwner(token), ...(body === undefined ? {} : { body }) });

describe('check 20: a token of the webhooks page', () => {
  test('manages the webhooks of its project, on behalf of the key that asked for it', async () => {
    const project = await createProject(send);
    const token = await tokenOf(project);
    const created = await withToken(token, 'POST', path, { url: 'https://1.1.1.1/hooks' })(project);
    expect(created.status).toBe(201);
    expect((await withToken(token, 'GET', `${path}/${created.body.id}/secret`)(project)).body.secret).toBe(
      created.body.secret,
    );
    const { events } = await api.deps.store.readStream(`webhook-${created.body.id}`);
    const [key] = (await send('GET', '/internal/api-keys', { ...project, access: 'admin' })).body.items;
    expect(events[0]?.metadata.actor).toEqual({ kind: 'admin', id: key.id });
  });

  test('ends after an hour', async () => {
    const project = await createProject(send);
    const token = await tokenOf(project);
    api.advance(3_599_000);
    expect((await withToken(token, 'GET', path)(project)).status).toBe(200);
    api.advance(1_000);
    const answer = await withToken(token, 'GET', path)(project);
    expectKnown(answer, 401, 'ADMIN_ACCESS_TOKEN_EXPIRED', { expired_at_millis: expect.any(Number) });
  });

  test('ends with the key that asked for it', async () => {
    const project = await createProject(send);
    const token = await tokenOf(project);
    const [key] = (await send('GET', '/internal/api-keys', { ...project, access: 'admin' })).body.items;
    await send('PATCH', `/internal/api-keys/${key.id}`, { ...project, access: 'admin', body: { revoked: true } });
    const answer = await withToken(token, 'GET', path)(project);
    expectKnown(answer, 401, 'ADMIN_ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  });

  test('ends with the session of the owner who asked for it', async () => {
    const project = await createProject(send);
    const { accessToken, refreshToken, userId } = project.owner;
    const token = await tokenOf(project, asOwner(accessToken));
    const created = await withToken(token, 'POST', path, { url: 'https://1.1.1.1/hooks' })(project);
    const { events } = await api.deps.store.readStream(`webhook-${created.body.id}`);
    expect(events[0]?.metadata.actor).toEqual({ kind: 'owner', id: userId });
    const headers = { 'x-stack-refresh-token': refreshToken };
    await send('DELETE', '/auth/sessions/current', { as: accessToken, headers });
    const answer = await withToken(token, 'GET', path)(project);
    expectKnown(answer, 401, 'ADMIN_ACCESS_TOKEN_EXPIRED', { expired_at_millis: null });
  });

  test('cannot be made of other texts', async () => {
    const project = await createProject(send);
    const token = await tokenOf(project);
    const { next_after: cursor } = (await send('GET', '/events', { ...project, access: 'server' })).body;
    const user = await signUp(send, project);
    for (const text of [token.slice(0, -1), `${token}A`, cursor, 'v1.', '']) {
      const answer = await withToken(text, 'GET', path)(project);
      expect(answer.status, text).toBe(401);
    }
    expectKnown(await withToken(user.accessToken, 'GET', path)(project), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  });
});
