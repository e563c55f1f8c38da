import { decodeJwt } from 'jose';
import * as oldest from 'stack-js-2-8-3';
import * as newest from 'stack-js-2-8-108';
import { describe, expect, test } from 'vitest';
import { nameOf } from '../../http/define-route.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  password,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { routes } from '../all.ts';

const port = 18_531;
const baseUrl = `http://127.0.0.1:${port}`;
const { api, send } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: '127.0.0.1' });
const project = await createProject(send, {
  config: { passkey_enabled: true, magic_link_enabled: true, client_user_deletion_enabled: true },
});
const user = await signUp(send, project);
const [{ id: keyId }] = (await send('GET', '/internal/api-keys', { ...project, access: 'admin' })).body.items;

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

const rejection = 'An impersonation session can’t do this. The user must sign in and do it.';
const writes = routes.flatMap(({ session: rule, access, ...route }) => {
  if (rule === undefined) return [];
  const url = route.path.replace(/:\w+/g, unknownId);
  return { route: nameOf(route), method: route.method, url, rule, accessTypes: access };
});

describe('an impersonation session', () => {
  test('names the impersonator in its tokens, also after each refresh', async () => {
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

  test('names the owner who started it from the dashboard', async () => {
    const owner = { 'x-stack-secret-server-key': '', 'x-stack-admin-access-token': project.owner.accessToken };
    const { access_token } = await impersonate(user, {}, { headers: owner });
    expect(decodeJwt(access_token)).toMatchObject({ act: { kind: 'owner', sub: project.owner.userId } });
  });

  test('a user’s own session names no impersonator, and the time of the sign-in', () => {
    const claims = decodeJwt(user.accessToken);
    expect(claims).toMatchObject({ is_impersonation: false, auth_time: claims.iat });
    expect(claims).not.toHaveProperty('act');
  });

  test.each([
    ['the protocol’s default of a year', {}],
    ['a day', { expires_in_millis: 24 * hourMs }],
  ])('ends after an hour even if %s was requested', async (_, body) => {
    const { refresh_token } = await impersonate(user, body);
    const { events } = await api.deps.store.readStream(
      `session-${decodeJwt((await refresh(refresh_token)).body.access_token).refreshTokenId}`,
    );
    const [{ data }] = events as unknown as [{ data: { at: string; expiresAt: string } }];
    expect(Date.parse(data.expiresAt) - Date.parse(data.at)).toBe(hourMs);
  });

  test('can be shorter on request, and its tokens do not outlive it', async () => {
    const { access_token } = await impersonate(user, { expires_in_millis: 120_000 });
    const { iat = 0, exp = 0 } = decodeJwt(access_token);
    expect(exp - iat).toBeLessThanOrEqual(120);
    // Clients need a minute.
    const short = decodeJwt((await impersonate(user, { expires_in_millis: 5_000 })).access_token);
    expect((short.exp ?? 0) - (short.iat ?? 0)).toBe(60);
  });

  test('is recorded with its reason and its duration, and its tokens name the end', async () => {
    const person = await signUp(send, project);
    const body = { impersonation_reason: 'Ticket 42', expires_in_millis: 15 * 60_000 };
    const { access_token } = await impersonate(person, body);
    const { iat = 0, impersonation_ends_at: end } = decodeJwt(access_token);
    expect(Number(end) - iat).toBeGreaterThan(14 * 60);
    const history = await send('GET', `/internal/users/${person.userId}/history`, { ...project, access: 'admin' });
    expect(history.body.items[0].text).toMatch(/^An impersonation session was started for 15 minutes.*: Ticket 42$/);
    const audit = await send('GET', `/internal/audit-events?target_id=${person.userId}&target_type=user`, {
      ...project,
      access: 'admin',
    });
    expect(audit.body.items[0]).toMatchObject({ type: 'SessionStarted', text: history.body.items[0].text });
  });

  test('has a reason only as an impersonation', async () => {
    const own = { user_id: user.userId, impersonation_reason: 'Ticket 42' };
    const answer = await send('POST', '/auth/sessions', { ...project, access: 'server', body: own });
    expectSchemaError(answer, 'body.impersonation_reason');
  });

  test('can read and change ordinary data', async () => {
    const { access_token: as } = await impersonate();
    expect((await send('GET', '/users/me', { ...project, as })).body.id).toBe(user.userId);
    const renamed = await send('PATCH', '/users/me', { ...project, as, body: { display_name: 'Ann' } });
    expect(renamed.status).toBe(200);
  });
});

describe('an impersonation session cannot gain permanent access with', () => {
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

  test('a command-line login approved with its refresh token', async () => {
    const { refresh_token } = await impersonate();
    const { login_code } = (await send('POST', '/auth/cli', { ...project, body: {} })).body;
    const answer = await send('POST', '/auth/cli/complete', { ...project, body: { login_code, refresh_token } });
    expectPlain(answer, 403);
    const own = { login_code, refresh_token: user.refreshToken };
    expect((await send('POST', '/auth/cli/complete', { ...project, body: own })).status).toBe(200);
  });

  test('a linked provider account', async () => {
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

  test('a sign-up while acting for an anonymous user, which stays unchanged', async () => {
    const settings = { anonymous_sign_up_enabled: true };
    await send('PATCH', '/internal/projects/current/settings', { ...project, access: 'admin', body: settings });
    const guest = (await send('POST', '/auth/anonymous/sign-up', { ...project, body: {} })).body;
    const { access_token } = await impersonate({ ...user, userId: guest.user_id });
    const joined = await signUp(send, { ...project, as: access_token });
    expect(joined.userId).not.toBe(guest.user_id);
    expect((await send('GET', '/users/me', { ...project, as: guest.access_token })).body.is_anonymous).toBe(true);
  });

  test('the projects of an impersonated owner', async () => {
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

describe('the history of an impersonated user', () => {
  test('shows who acted for whom; the user’s own export omits the name', async () => {
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
  test('accepts the tokens and reports a rejection as an error', async () => {
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

  test('refreshes the tokens of an impersonation session', async () => {
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
    expired_at_millis: null,
  });
});
