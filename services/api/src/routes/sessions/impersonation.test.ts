import { decodeJwt } from 'jose';
import * as oldest from 'stack-js-2-8-3';
import * as newest from 'stack-js-2-8-108';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nameOf } from '../../http/define-route.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  newEmail,
  type OwnedProject,
  password,
  type Send,
  type SignedIn,
  senderOf,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { routes } from '../all.ts';

const port = 18_531;
const baseUrl = `http://127.0.0.1:${port}`;
let api: TestApi;
let send: Send;
let project: OwnedProject;
let user: SignedIn;
let keyId: string;

beforeAll(async () => {
  api = await startTestApi({ publicUrl: baseUrl, port });
  await api.app.listen({ port, host: '127.0.0.1' });
  send = senderOf(api);
  project = await createProject(send, {
    config: { passkey_enabled: true, magic_link_enabled: true, client_user_deletion_enabled: true },
  });
  user = await signUp(send, project);
  [{ id: keyId }] = (await send('GET', '/internal/api-keys', { ...project, access: 'admin' })).body.items;
});
afterAll(() => api.close());

const hourMs = 3_600_000;
type Tokens = { access_token: string; refresh_token: string };

async function impersonate(who = user, body = {}, call = {}): Promise<Tokens> {
  const answer = await send('POST', '/auth/sessions', {
    ...project,
    access: 'server',
    ...call,
    body: { user_id: who.userId, is_impersonation: true, ...body },
  });
  expect(answer.status).toBe(200);
  return answer.body;
}
const refresh = (refreshToken: string, of = project) =>
  send('POST', '/auth/sessions/current/refresh', { ...of, headers: { 'x-stack-refresh-token': refreshToken } });

/** A token that says no more than who acts. */
const rejection = 'An impersonation session can’t do this. The user must sign in and do it.';
const writes = routes.flatMap(({ session: rule, access, ...route }) => {
  if (rule === undefined) return [];
  const url = route.path.replace(/:\w+/g, unknownId);
  return { route: nameOf(route), method: route.method, url, rule, accessTypes: access };
});

describe('a session in which somebody acts for a user', () => {
  test('says so in its tokens, and who acts, after each refresh too', async () => {
    const { access_token, refresh_token } = await impersonate();
    const claims = { is_impersonation: true, act: { kind: 'server', sub: keyId } };
    expect(decodeJwt(access_token)).toMatchObject(claims);
    expect(decodeJwt((await refresh(refresh_token)).body.access_token)).toMatchObject(claims);
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token,
      client_id: project.projectId,
      client_secret: project.keys.client,
    });
    const granted = await api.app.inject({
      method: 'POST',
      url: '/api/v1/auth/oauth/token',
      payload: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(decodeJwt(granted.json().access_token)).toMatchObject(claims);
    expect(decodeJwt(access_token)).not.toHaveProperty('auth_time');
  });

  test('names the owner who began it from the dashboard', async () => {
    const owner = { 'x-stack-secret-server-key': '', 'x-stack-admin-access-token': project.owner.accessToken };
    const { access_token } = await impersonate(user, {}, { headers: owner });
    expect(decodeJwt(access_token)).toMatchObject({ act: { kind: 'owner', sub: project.owner.userId } });
  });

  test('a session of the user’s own says that nobody else acts, and when they signed in', () => {
    const claims = decodeJwt(user.accessToken);
    expect(claims).toMatchObject({ is_impersonation: false, auth_time: claims.iat });
    expect(claims).not.toHaveProperty('act');
  });

  test.each([
    ['the protocol’s default of a year', {}],
    ['a day', { expires_in_millis: 24 * hourMs }],
  ])('ends after an hour, although %s was asked for', async (_, body) => {
    const { refresh_token } = await impersonate(user, body);
    const { events } = await api.deps.store.readStream(
      `session-${decodeJwt((await refresh(refresh_token)).body.access_token).refreshTokenId}`,
    );
    const [{ data }] = events as unknown as [{ data: { at: string; expiresAt: string } }];
    expect(Date.parse(data.expiresAt) - Date.parse(data.at)).toBe(hourMs);
  });

  test('lives shorter when told to, and its tokens do not outlive it', async () => {
    const { access_token } = await impersonate(user, { expires_in_millis: 120_000 });
    const { iat = 0, exp = 0 } = decodeJwt(access_token);
    expect(exp - iat).toBeLessThanOrEqual(120);
    // Clients need a minute.
    const short = decodeJwt((await impersonate(user, { expires_in_millis: 5_000 })).access_token);
    expect((short.exp ?? 0) - (short.iat ?? 0)).toBe(60);
  });

  test('may look and work', async () => {
    const { access_token: as } = await impersonate();
    expect((await send('GET', '/users/me', { ...project, as })).body.id).toBe(user.userId);
    const renamed = await send('PATCH', '/users/me', { ...project, as, body: { display_name: 'Ann' } });
    expect(renamed.status).toBe(200);
  });
});

describe('support can not become access for good', () => {
  const rejected = writes.filter(({ rule }) => rule === 'own' || rule === 'recent');

  test.each(rejected)('$route', async ({ method, url, accessTypes = [] }) => {
    const { access_token: as } = await impersonate();
    for (const access of ['client', 'server', 'admin'] as const) {
      if (!accessTypes.includes(access as never)) continue;
      const answer = await send(method, url, { ...project, as, access, ...(method === 'GET' ? {} : { body: {} }) });
      expectPlain(answer, 403);
      expect(answer.text).toBe(rejection);
    }
  });

  test.each([
    { totp_secret_base64: Buffer.alloc(20, 1).toString('base64') },
    { totp_secret_base64: null },
    { otp_auth_enabled: true },
    { passkey_auth_enabled: false, display_name: 'Ann' },
  ])('PATCH /users/me %j', async (body) => {
    const { access_token: as } = await impersonate();
    const answer = await send('PATCH', '/users/me', { ...project, as, body });
    expectPlain(answer, 403);
    const server = { ...project, as, access: 'server' } as const;
    expectPlain(await send('PATCH', '/users/me', { ...server, body: { password } }), 403);
    expectPlain(await send('PATCH', '/users/me', { ...server, body: { primary_email: newEmail() } }), 403);
  });

  test('a command line is not let in by the refresh token of such a session', async () => {
    const { refresh_token } = await impersonate();
    const { login_code } = (await send('POST', '/auth/cli', { ...project, body: {} })).body;
    const answer = await send('POST', '/auth/cli/complete', { ...project, body: { login_code, refresh_token } });
    expectPlain(answer, 403);
    const own = { login_code, refresh_token: user.refreshToken };
    expect((await send('POST', '/auth/cli/complete', { ...project, body: own })).status).toBe(200);
  });

  test('a provider account is not linked', async () => {
    const { access_token: token } = await impersonate();
    const query = new URLSearchParams({
      client_id: project.projectId,
      client_secret: project.keys.client,
      type: 'link',
      token,
      scope: 'legacy',
      redirect_uri: 'http://localhost/cb',
      state: 's',
      grant_type: 'authorization_code',
      response_type: 'code',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    const config = { oauth_providers: [{ id: 'github', type: 'shared' }] };
    await send('PATCH', '/internal/projects/current', { ...project, access: 'admin', body: { config } });
    const answer = await api.app.inject({ url: `/api/v1/auth/oauth/authorize/github?${query}` });
    expect({ status: answer.statusCode, text: answer.body }).toEqual({ status: 403, text: rejection });
    const pushed = await send('POST', '/auth/oauth/authorize/github', {
      ...project,
      as: token,
      body: {
        type: 'link',
        redirect_uri: 'http://localhost/cb',
        state: 's',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      },
    });
    expect({ status: pushed.status, text: pushed.text }).toEqual({ status: 403, text: rejection });
  });

  test('signing up while acting for an anonymous user leaves that user alone', async () => {
    const settings = { anonymous_sign_up_enabled: true };
    await send('PATCH', '/internal/projects/current/settings', { ...project, access: 'admin', body: settings });
    const guest = (await send('POST', '/auth/anonymous/sign-up', { ...project, body: {} })).body;
    const { access_token } = await impersonate({ ...user, userId: guest.user_id });
    const joined = await signUp(send, { ...project, as: access_token });
    expect(joined.userId).not.toBe(guest.user_id);
    expect((await send('GET', '/users/me', { ...project, as: guest.access_token })).body.is_anonymous).toBe(true);
  });

  test('an impersonator of an owner can’t administer the owner’s projects', async () => {
    const internal = { projectId: 'internal', keys: api.keys };
    const { access_token } = await impersonate(project.owner, {}, internal);
    const headers = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': access_token };
    for (const [method, path] of [
      ['GET', '/internal/projects/current'],
      ['POST', '/internal/api-keys'],
    ] as const) {
      const answer = await send(method, path, {
        ...project,
        access: 'admin',
        headers,
        ...(method === 'POST' ? { body: {} } : {}),
      });
      expectPlain(answer, 403);
    }
  });
});

describe('the history', () => {
  test('tells who acted for whom, and hides the name from the person’s own export', async () => {
    const { access_token: as } = await impersonate();
    await send('PATCH', '/users/me', { ...project, as, body: { display_name: 'Annabel' } });
    const history = await send('GET', `/internal/users/${user.userId}/history`, { ...project, access: 'admin' });
    const [renamed, started] = history.body.items;
    expect(renamed).toMatchObject({ type: 'UserRenamed', actor: { kind: 'user', id: user.userId } });
    expect(renamed.actor.impersonator).toEqual({ kind: 'server', id: keyId, display_name: 'all' });
    expect(started).toMatchObject({ type: 'SessionStarted', actor: { kind: 'server', id: keyId, impersonator: null } });
    const exported = await send('GET', '/users/me/export', { ...project, as: user.accessToken });
    const entry = exported.body.history.find(({ id }: { id: string }) => id === renamed.id);
    expect(entry.actor).toEqual({
      kind: 'user',
      id: user.userId,
      display_name: 'Annabel',
      impersonator: { kind: 'server', id: null, display_name: null },
    });
  });
});

describe.each([
  { version: '2.8.3', library: oldest },
  { version: '2.8.108', library: newest as unknown as typeof oldest },
])('@stackframe/js $version', ({ library }) => {
  test('takes the tokens, and shows a rejection as an error', async () => {
    const common = { baseUrl, projectId: project.projectId, publishableClientKey: project.keys.client };
    const server = new library.StackServerApp({
      ...common,
      secretServerKey: project.keys.server,
      tokenStore: 'memory',
    });
    const target = await server.createUser({ displayName: 'Guest' });
    const session = await target.createSession({ isImpersonation: true });
    const { accessToken, refreshToken } = await session.getTokens();
    const app = new library.StackClientApp({ ...common, tokenStore: 'memory' });
    const tokenStore = { accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' };
    const guest = await app.getUser({ tokenStore, or: 'throw' });
    expect(guest).toMatchObject({ id: target.id, displayName: 'Guest' });
    await guest.setDisplayName('Guest of honor');
    await expect(guest.update({ totpMultiFactorSecret: new Uint8Array(20) })).rejects.toThrow('403');
  });

  test('refreshes them', async () => {
    const { refresh_token } = await impersonate();
    const common = { baseUrl, projectId: project.projectId, publishableClientKey: project.keys.client };
    const app = new library.StackClientApp({ ...common, tokenStore: 'memory' });
    const found = await app.getUser({ tokenStore: { accessToken: '', refreshToken: refresh_token } });
    expect(found).toMatchObject({ id: user.userId });
  });
});

test('an ended session is reported before any other error', async () => {
  const { access_token: as, refresh_token } = await impersonate();
  await send('DELETE', '/auth/sessions/current', {
    ...project,
    as,
    headers: { 'x-stack-refresh-token': refresh_token },
  });
  expectKnown(await send('DELETE', '/users/me', { ...project, as }), 401, 'ACCESS_TOKEN_EXPIRED', {
    expired_at_millis: expect.any(Number),
  });
});
