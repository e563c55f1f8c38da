import { afterEach, describe, expect, test, vi } from 'vitest';
import { type FakeAnswer, fakeNetwork, rejection, type SentRequest, tokenFor } from '../testing.ts';
import type { Resource } from './cache.ts';
import { fromClientJson, GatebookClientApp } from './client-app.ts';
import { type GatebookClientAppOptions, gatebookInternals } from './options.ts';

const view = {
  ...{ id: 'u1', display_name: 'Ann', primary_email: 'ann@example.com', primary_email_verified: true },
  ...{ profile_image_url: null, signed_up_at_millis: 1_000, has_password: true, otp_auth_enabled: false },
  ...{ passkey_auth_enabled: false, auth_with_email: true, requires_totp_mfa: false, is_anonymous: false },
  ...{ client_metadata: { plan_name: 'pro' }, client_read_only_metadata: null, oauth_providers: [] },
  ...{ selected_team_id: null, selected_team: null },
};
const signedIn = () => ({ accessToken: tokenFor(600_000), refreshToken: 'r1' });

function appWith(
  answer: (request: SentRequest) => FakeAnswer = () => ({ json: view }),
  given: GatebookClientAppOptions & Record<string, unknown> = {},
) {
  const { network, requests } = fakeNetwork(answer);
  const location = { href: 'https://app.example/start?tab=1', assign: vi.fn(), replace: vi.fn() };
  const app = new GatebookClientApp({
    ...{ baseUrl: 'https://gate.test/', projectId: 'p1', publishableClientKey: 'pck_1', tokenStore: signedIn() },
    redirectMethod: { useNavigate: () => () => {}, navigate: (url) => location.assign(url) },
    parts: { network, location },
    ...given,
  });
  return { app, requests, location };
}

describe('the current user', () => {
  test('has camelCase fields, and metadata as the app wrote it', async () => {
    const { app } = appWith();
    expect(await app.getUser()).toMatchObject({
      ...{ id: 'u1', signedUpAt: new Date(1_000), emailAuthEnabled: true, isMultiFactorRequired: false },
      clientMetadata: { plan_name: 'pro' },
    });
  });

  const restricted = { ...view, is_restricted: true, restricted_reason: { type: 'email_not_verified' } };
  test('who is restricted counts only on request', async () => {
    const { app, location } = appWith(() => ({ json: restricted }));
    expect(await app.getUser()).toBeNull();
    expect(await app.getUser({ includeRestricted: true })).toMatchObject({ isRestricted: true });
    expect(await app.getUser({ or: 'redirect' })).toBeNull();
    expect(location.assign).toHaveBeenCalledWith('/handler/onboarding');
  });

  const anonymous = { ...view, is_anonymous: true, is_restricted: true, restricted_reason: { type: 'anonymous' } };
  test('who is anonymous counts only with the values that name them', async () => {
    const { app } = appWith(() => ({ json: anonymous }));
    expect(await app.getUser()).toBeNull();
    expect(await app.getUser({ includeRestricted: true })).toBeNull();
    for (const or of ['anonymous', 'anonymous-if-exists', 'anonymous-if-exists[deprecated]'] as const) {
      expect(await app.getUser({ or })).toMatchObject({ isAnonymous: true });
    }
  });

  test('without a session is null without a request, and leads to the sign-in page', async () => {
    const { app, requests, location } = appWith(undefined, { tokenStore: 'memory' });
    expect(await app.getUser()).toBeNull();
    await expect(app.getUser({ or: 'throw' })).rejects.toThrow('No user');
    await app.getUser({ or: 'redirect' });
    expect(location.assign).toHaveBeenCalledWith('/handler/sign-in?after_auth_return_to=%2Fstart%3Ftab%3D1');
    expect(requests).toEqual([]);
  });

  test('is read with the tokens of the call', async () => {
    const { app, requests } = appWith(undefined, { tokenStore: null });
    const accessToken = tokenFor(600_000, { sub: 'u2' });
    await app.getUser({ tokenStore: { accessToken, refreshToken: 'r2' } });
    expect(requests[0]?.headers).toMatchObject({ 'x-stack-access-token': accessToken, 'x-stack-refresh-token': 'r2' });
    await expect(app.getUser()).rejects.toThrow('pass a tokenStore');
  });

  test('updates only what is given', async () => {
    const { app, requests } = appWith();
    const user = await app.getUser({ or: 'throw' });
    await user.update({
      displayName: null,
      clientMetadata: { planName: 1 },
      totpMultiFactorSecret: new Uint8Array([1]),
    });
    expect(requests.at(-1)).toMatchObject({ method: 'PATCH', url: 'https://gate.test/api/v1/users/me' });
    expect(requests.at(-1)?.body).toEqual({
      ...{ display_name: null, client_metadata: { planName: 1 }, totp_secret_base64: 'AQ==' },
    });
  });
});

test('without a publishable key, its header and the client secret are left out', async () => {
  const { app, requests } = appWith(
    ({ url }) => ({ json: url.endsWith('/token') ? { access_token: tokenFor(60_000) } : view }),
    {
      ...{ publishableClientKey: '', tokenStore: { refreshToken: 'r1' } },
    },
  );
  await app.getUser();
  expect(requests[0]?.body).toEqual({ grant_type: 'refresh_token', refresh_token: 'r1', client_id: 'p1' });
  expect(requests[1]?.headers).not.toHaveProperty('x-stack-publishable-client-key');
});

test('a list goes on until its last page', async () => {
  const pages: Record<string, FakeAnswer> = {
    '/teams?user_id=me': { json: { items: [{ id: 't1' }], pagination: { next_cursor: 't 2' } } },
    '/teams?user_id=me&cursor=t+2': { json: { items: [{ id: 't2' }], pagination: { next_cursor: null } } },
  };
  const { app } = appWith(({ url }) => pages[url.split('/api/v1')[1] ?? ''] ?? { json: view });
  const user = await app.getUser({ or: 'throw' });
  expect((await user.listTeams()).map(({ id }) => id)).toEqual(['t1', 't2']);
  expect((await user.getTeam('t2'))?.id).toBe('t2');
});

test('signing out ends the session, and goes nowhere for anonymous users', async () => {
  const { app, requests, location } = appWith();
  await app.signOut({ redirectUrl: '/bye' });
  expect(requests[0]).toMatchObject({ method: 'DELETE', url: 'https://gate.test/api/v1/auth/sessions/current' });
  expect(location.assign).toHaveBeenCalledWith('/bye');
  expect(await app.getUser()).toBeNull();
  const accessToken = tokenFor(600_000, { is_anonymous: true });
  const guest = appWith(undefined, { tokenStore: { accessToken, refreshToken: 'r1' } });
  await guest.app.signOut();
  expect(guest.requests).toEqual([]);
});

test('sign-in returns expected errors and throws others', async () => {
  const answers = [rejection('EMAIL_PASSWORD_MISMATCH', 400), rejection('PASSWORD_AUTHENTICATION_NOT_ENABLED', 400)];
  const { app } = appWith(() => answers.shift() ?? {}, { tokenStore: 'memory' });
  const credentials = { email: 'ann@example.com', password: 'wrong' };
  expect(await app.signInWithCredential(credentials)).toMatchObject({
    ...{ status: 'error', error: { errorCode: 'EMAIL_PASSWORD_MISMATCH', statusCode: 400 } },
  });
  await expect(app.signInWithCredential(credentials)).rejects.toMatchObject({
    ...{ code: 'PASSWORD_AUTHENTICATION_NOT_ENABLED' },
  });
});

describe('hooks', () => {
  test('each read has one, also on the objects that it returns', async () => {
    const used: Resource<unknown>[] = [];
    const useResource = <Value>(resource: Resource<Value>): Value => {
      used.push(resource);
      return 'from a hook' as Value;
    };
    const { app } = appWith(undefined, { useResource });
    const user = (await app.getUser({ or: 'throw' })) as unknown as Record<string, (...args: unknown[]) => unknown>;
    expect(user.useTeams?.()).toBe('from a hook');
    expect(user.usePermission?.('read')).toBe('from a hook');
    expect((app as unknown as Record<string, () => unknown>).useProject?.()).toBe('from a hook');
    expect(used.map(({ peek }) => peek())).toEqual([null, null, null]);
    expect(user).not.toHaveProperty('useSession');
    expect(await appWith().app.getUser()).not.toHaveProperty('useTeams');
  });

  test('see a sign-out without a request', async () => {
    const { app, requests } = appWith();
    const resource = app[gatebookInternals].currentUser();
    const seen: unknown[] = [];
    resource.subscribe(() => seen.push(resource.peek()));
    await resource.load();
    app[gatebookInternals].connectionOf().session.invalidate();
    await vi.waitFor(() => expect(resource.peek()).toEqual({ value: null }));
    expect(seen).toMatchObject([{ value: { id: 'u1' } }, { value: null }]);
    expect(requests).toHaveLength(1);
  });
});

describe('options', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test.each(['NEXT_PUBLIC_STACK', 'NEXT_PUBLIC_HEXCLAVE', 'NEXT_PUBLIC_GATEBOOK', 'STACK', 'GATEBOOK'])(
    'come from the environment as %s_…',
    async (prefix) => {
      vi.stubEnv(`${prefix}_PROJECT_ID`, 'p9');
      vi.stubEnv(`${prefix}_PUBLISHABLE_CLIENT_KEY`, 'pck_9');
      vi.stubEnv(`${prefix}_API_URL`, 'https://env.test/');
      const { app, requests } = appWith(undefined, { baseUrl: '', projectId: '', publishableClientKey: '' });
      await app.getUser();
      expect(app.projectId).toBe('p9');
      expect(requests[0]?.url).toBe('https://env.test/api/v1/users/me');
      expect(requests[0]?.headers).toMatchObject({ 'x-stack-publishable-client-key': 'pck_9' });
    },
  );

  test('take the address for servers first', async () => {
    vi.stubEnv('NEXT_PUBLIC_STACK_URL', 'https://old.test');
    vi.stubEnv('NEXT_PUBLIC_SERVER_STACK_API_URL', 'https://server.test');
    vi.stubEnv('NEXT_PUBLIC_STACK_EXTRA_REQUEST_HEADERS', '{"x-tenant":"t1"}');
    const { app, requests } = appWith(undefined, { baseUrl: '' });
    await app.getUser();
    expect(requests[0]?.url).toBe('https://server.test/api/v1/users/me');
    expect(requests[0]?.headers).toMatchObject({ 'x-tenant': 't1' });
    const given = appWith(undefined, { baseUrl: { browser: 'https://b.test', server: 'https://s.test' } });
    await given.app.getUser();
    expect(given.requests[0]?.url).toBe('https://s.test/api/v1/users/me');
  });

  test('that are missing are named', () => {
    expect(() => appWith(undefined, { baseUrl: '' })).toThrow('Pass baseUrl, or set the environment variable');
    expect(() => appWith(undefined, { projectId: '' })).toThrow('Pass projectId');
  });

  test('are inherited from another app', () => {
    const { app } = appWith(undefined, { urls: { home: '/home', signIn: { type: 'custom', url: '/in' } } });
    const heir = new GatebookClientApp({ inheritsFrom: app, urls: { home: '/other' } });
    expect(app.urls).toMatchObject({ afterSignIn: '/home', signIn: '/in', signUp: '/handler/sign-up' });
    expect(heir.projectId).toBe('p1');
    expect(heir.urls).toMatchObject({ home: '/other', signIn: '/handler/sign-in' });
  });
});

describe('the hand-over to a browser', () => {
  const byName = { tokenStore: 'memory', redirectMethod: 'none' } as const;

  test('finds the same app by its identifier', () => {
    const { app } = appWith(undefined, byName);
    const json = app[gatebookInternals].toClientJson();
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    expect(json).toMatchObject({ projectId: 'p1', publishableClientKey: 'pck_1', ...byName });
    expect(fromClientJson(json)).toBe(app);
    expect(() => fromClientJson({ ...json, projectId: 'p2' })).toThrow('other options');
    const ofServer = { ...json, uniqueIdentifier: 'of another process' };
    expect(fromClientJson(ofServer)).toBe(fromClientJson(ofServer));
    expect(fromClientJson(ofServer)).not.toBe(app);
    expect(() => new GatebookClientApp(ofServer)).toThrow('already an app');
  });

  test('needs a token store and a redirect method by name', () => {
    for (const options of [{ redirectMethod: 'none' }, { tokenStore: 'memory' }] as const) {
      expect(() => appWith(undefined, options).app[gatebookInternals].toClientJson()).toThrow('becomes JSON');
    }
  });
});
