import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type AccessType, accessTypes } from '../access-type.ts';
import { nameOf, urlOf } from '../http/define-route.ts';
import { changeSettings, createProject, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { routes as declared } from './all.ts';

const { api, send } = await startSuite();
const mine = await createProject(send);
await changeSettings(send, mine, { keyless_clients_allowed: false });
const theirs = await createProject(send);
const webhooksToken = async (project: typeof mine) =>
  (await send('POST', '/webhooks/svix-token', { ...project, access: 'admin', body: {} })).body.token as string;
const pageTokens = { mine: await webhooksToken(mine), theirs: await webhooksToken(theirs) };

const anyId = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
const concrete = (url: string) => url.replace(/:\w+/g, anyId);
const routes = declared
  .filter(({ isRoot }) => !isRoot)
  .map((route) => ({
    route: nameOf(route),
    method: route.method,
    url: urlOf(route),
    access: route.access,
    takesWebhooksToken: route.takesWebhooksToken,
  }));
const guarded = routes.filter(({ access }) => access !== 'anyone');
/** Offered to libraries before the reference version only. */
const oldPath = { 'x-stack-client-version': 'js @stackframe/js@2.8.3' };

async function call(method: string, url: string, headers: Record<string, string>) {
  const answer = await api.app.inject({
    method: method as 'GET',
    url: concrete(url),
    headers: { ...oldPath, ...headers },
    payloadAsStream: true,
  });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  const body = answer.stream();
  const code = isJson ? ((await json(body)) as { code?: string }).code : undefined;
  // The response of a live stream has no end.
  body.destroy();
  return { status: answer.statusCode, code };
}

const keyNames = {
  client: 'x-stack-publishable-client-key',
  server: 'x-stack-secret-server-key',
  admin: 'x-stack-super-secret-admin-key',
} as const;
const missing = {
  client: 'CLIENT_AUTHENTICATION_REQUIRED',
  server: 'SERVER_AUTHENTICATION_REQUIRED',
  admin: 'ADMIN_AUTHENTICATION_REQUIRED',
};
const invalid = {
  client: 'INVALID_PUBLISHABLE_CLIENT_KEY',
  server: 'INVALID_SECRET_SERVER_KEY',
  admin: 'INVALID_SUPER_SECRET_ADMIN_KEY',
};
const accessErrors: (string | undefined)[] = [
  'ACCESS_TYPE_REQUIRED',
  'INSUFFICIENT_ACCESS_TYPE',
  ...Object.values(missing),
  ...Object.values(invalid),
];

test('every declared route is registered', () => {
  for (const route of declared) {
    expect(api.app.hasRoute({ method: route.method, url: urlOf(route) }), nameOf(route)).toBe(true);
  }
});

describe.each(guarded)('$route', ({ method, url, access, takesWebhooksToken }) => {
  const as = (type: AccessType, extra: Record<string, string>) =>
    call(method, url, { 'x-stack-access-type': type, 'x-stack-project-id': mine.projectId, ...extra });
  const isOpenTo = (type: AccessType) => access.includes(type);
  const deletesProject =
    (url.endsWith('/projects/current') && method === 'DELETE') || url.endsWith('/projects/current/erase');

  test('rejects callers without a credential', async () => {
    expect(await call(method, url, {})).toEqual({ status: 400, code: 'ACCESS_TYPE_REQUIRED' });
    for (const type of accessTypes) expect(await as(type, {})).toEqual({ status: 401, code: missing[type] });
  });

  test('rejects wrong credentials: of another type, of another project, unknown', async () => {
    for (const type of accessTypes) {
      const otherKind = accessTypes.filter((kind) => kind !== type).map((kind) => mine.keys[kind]);
      for (const key of [...otherKind, theirs.keys[type], api.keys[type], `${'x'.repeat(49)}`]) {
        expect(await as(type, { [keyNames[type]]: key })).toEqual({ status: 401, code: invalid[type] });
      }
    }
  });

  test('accepts the right key at exactly the declared access types', async () => {
    for (const type of accessTypes) {
      if (deletesProject && type === 'admin') continue;
      const answer = await as(type, { [keyNames[type]]: mine.keys[type] });
      if (isOpenTo(type)) expect(accessErrors).not.toContain(answer.code);
      else expect(answer).toEqual({ status: 401, code: 'INSUFFICIENT_ACCESS_TYPE' });
    }
  });

  test('accepts an owner’s token at the same access types, for owned projects only', async () => {
    for (const type of accessTypes) {
      if (deletesProject && type === 'admin') continue;
      const token = { 'x-stack-admin-access-token': mine.owner.accessToken };
      const answer = await as(type, token);
      if (isOpenTo(type)) expect(accessErrors).not.toContain(answer.code);
      else expect(answer).toEqual({ status: 401, code: 'INSUFFICIENT_ACCESS_TYPE' });
      const foreign = { 'x-stack-admin-access-token': theirs.owner.accessToken };
      expect(await as(type, foreign)).toEqual({ status: 401, code: 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN' });
    }
  });

  test('check 20: accepts a token of the webhooks page only where it is declared, for its project only', async () => {
    for (const type of accessTypes) {
      const answer = await as(type, { 'x-stack-admin-access-token': pageTokens.mine });
      const foreign = await as(type, { 'x-stack-admin-access-token': pageTokens.theirs });
      if (!takesWebhooksToken) {
        const rejected = { status: 401, code: 'UNPARSABLE_ADMIN_ACCESS_TOKEN' };
        expect([answer, foreign]).toEqual([rejected, rejected]);
        continue;
      }
      if (isOpenTo(type)) expect(accessErrors).not.toContain(answer.code);
      else expect(answer).toEqual({ status: 401, code: 'INSUFFICIENT_ACCESS_TYPE' });
      expect(foreign).toEqual({ status: 401, code: 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN' });
    }
  });

  test('rejects a user’s token as an admin token and tokens of other projects', async () => {
    const user = await signUp(send, mine);
    expect(await as('admin', { 'x-stack-admin-access-token': user.accessToken })).toEqual({
      status: 401,
      code: 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN',
    });
    const foreign = { [keyNames.client]: mine.keys.client, 'x-stack-access-token': theirs.owner.accessToken };
    expect(await as('client', foreign)).toEqual({ status: 401, code: 'INVALID_PROJECT_FOR_ACCESS_TOKEN' });
  });
});

describe('routes that are open to anyone', () => {
  const open = routes.filter(({ access }) => access === 'anyone');

  test.each(open)('$route still validates its input', async ({ method, url }) => {
    expect(await call(method, url, { 'x-stack-access-type': 'root' })).toEqual({
      status: 400,
      code: 'INVALID_ACCESS_TYPE',
    });
    expect(accessErrors).not.toContain((await call(method, url, {})).code);
  });
});

describe('two projects', () => {
  test('do not see each other by any ID', async () => {
    const user = await signUp(send, theirs);
    const { items } = (await send('GET', `/auth/sessions?user_id=${user.userId}`, { ...theirs, access: 'server' }))
      .body;
    const [key] = (await send('GET', '/internal/api-keys', { ...theirs, access: 'admin' })).body.items;
    const asAdmin = { ...mine, access: 'admin' as const };
    const statusOf = async (method: string, path: string, body?: unknown) =>
      (await send(method, path, { ...asAdmin, ...(body === undefined ? {} : { body }) })).status;
    expect(await statusOf('GET', `/users/${user.userId}`)).toBe(404);
    expect(await statusOf('PATCH', `/users/${user.userId}`, { display_name: 'x' })).toBe(404);
    expect(await statusOf('DELETE', `/users/${user.userId}`)).toBe(404);
    expect(await statusOf('DELETE', `/auth/sessions/${items[0].id}`)).toBe(404);
    expect(await statusOf('POST', '/auth/sessions', { user_id: user.userId })).toBe(400);
    expect(await statusOf('GET', `/internal/api-keys/${key.id}`)).toBe(404);
    expect(await statusOf('PATCH', `/internal/api-keys/${key.id}`, { revoked: true })).toBe(404);
    expect((await send('GET', `/users?query=${user.userId}`, asAdmin)).body.items).toEqual([]);
    expect((await send('GET', `/users?cursor=${user.userId}`, asAdmin)).body.items).toEqual([]);
    expect((await send('GET', `/auth/sessions?user_id=${user.userId}`, asAdmin)).body.items).toEqual([]);
    expect((await send('GET', `/internal/users/${user.userId}/history`, asAdmin)).body.items).toEqual([]);
    // All of it is still there for those it belongs to.
    expect((await send('GET', `/users/${user.userId}`, { ...theirs, access: 'server' })).status).toBe(200);
    expect((await send('GET', '/users/me', { ...theirs, as: user.accessToken })).status).toBe(200);
  });
});
