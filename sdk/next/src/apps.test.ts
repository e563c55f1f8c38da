import { gatebookInternals } from '@gatebook/js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeNetwork, type SentRequest, tokenFor } from '../../js/src/testing.ts';
import { GatebookClientApp, GatebookServerApp } from './apps.ts';
import { fakeJar } from './testing/fake-jar.ts';
import { withUser } from './with-user.ts';

const request = vi.hoisted(() => ({ jar: null as object | null, headers: new Headers() }));
vi.mock('next/headers', () => ({
  cookies: async () => {
    if (!request.jar) throw new Error('`cookies` was called outside a request scope.');
    return request.jar;
  },
  headers: async () => request.headers,
}));
vi.mock('next/navigation', () => ({
  redirect: (url: string) => {
    throw new Error(`NEXT_REDIRECT ${url}`);
  },
}));

const signedInAs = (user: string) => ({
  'stack-refresh-p1': user,
  'stack-access': JSON.stringify([user, tokenFor(600_000, { sub: user })]),
});
/** The user is named by the refresh token. */
const answer = ({ url, headers, method }: SentRequest) => {
  if (url.endsWith('/auth/oauth/token')) return { json: { access_token: tokenFor(600_000) } };
  if (url.endsWith('/auth/password/sign-in'))
    return { json: { access_token: tokenFor(600_000), refresh_token: 'new', user_id: 'new' } };
  if (url.endsWith('/users/me')) return { json: { id: headers['x-stack-refresh-token'], is_anonymous: false } };
  if (/\/users\/\w+$/.test(url)) return { json: { id: url.split('/').at(-1), is_anonymous: false } };
  throw new Error(`no answer for ${method} ${url}`);
};

function createApps() {
  const { network, requests } = fakeNetwork(answer);
  const options = { baseUrl: 'https://gate.test', projectId: 'p1', parts: { network } };
  return {
    client: new GatebookClientApp(options),
    server: new GatebookServerApp({ ...options, secretServerKey: 'ssk_secret' }),
    requests,
  };
}

beforeEach(() => {
  request.jar = null;
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(['client', 'server'] as const)('the %s app', (kind) => {
  test('finds the user of each request by its cookies', async () => {
    const app = createApps()[kind];
    for (const user of ['ann', 'bob']) {
      request.jar = fakeJar(signedInAs(user));
      expect(await app.getUser()).toMatchObject({ id: user });
    }
    request.jar = fakeJar();
    expect(await app.getUser()).toBeNull();
  });

  test('redirects by Next.js', async () => {
    request.jar = fakeJar();
    const app = createApps()[kind];
    await expect(app.getUser({ or: 'redirect' })).rejects.toThrow('NEXT_REDIRECT /handler/sign-in');
    await expect(app.redirectToHome()).rejects.toThrow('NEXT_REDIRECT /');
  });

  test('stores a sign-in in the cookies of the response', async () => {
    const jar = fakeJar();
    request.jar = jar;
    const credentials = { email: 'ann@example.com', password: 'a long passphrase', noRedirect: true };
    expect(await createApps()[kind].signInWithCredential(credentials)).toMatchObject({ status: 'ok' });
    expect(jar.getAll()).toContainEqual({ name: 'stack-refresh-p1', value: 'new' });
  });

  test('stores a renewed access token', async () => {
    const jar = fakeJar({ 'stack-refresh-p1': 'ann' });
    request.jar = jar;
    await createApps()[kind].getUser();
    expect(jar.getAll().map(({ name }) => name)).toEqual(['stack-refresh-p1', 'stack-access']);
  });

  test('is handed to browsers without its secret key, with the URL for browsers', () => {
    vi.stubEnv('NEXT_PUBLIC_BROWSER_GATEBOOK_API_URL', 'https://public.test');
    const app = createApps()[kind];
    const json = app[gatebookInternals].toClientJson();
    expect(json).toMatchObject({ baseUrl: 'https://gate.test', projectId: 'p1', tokenStore: 'nextjs-cookie' });
    expect(JSON.stringify(json)).not.toContain('ssk_');
    expect(app[gatebookInternals].toClientJson()).toBe(json);
  });
});

test.each([
  'NEXT_PUBLIC_BROWSER_GATEBOOK_API_URL',
  'NEXT_PUBLIC_BROWSER_STACK_API_URL',
  'NEXT_PUBLIC_GATEBOOK_API_URL',
  'GATEBOOK_API_URL',
])('browsers get the URL of %s, and never that for servers', (variable) => {
  vi.stubEnv('NEXT_PUBLIC_SERVER_GATEBOOK_API_URL', 'http://gatebook.internal');
  vi.stubEnv(variable, 'https://public.test');
  const app = new GatebookClientApp({ projectId: 'p1' });
  expect(app[gatebookInternals].server.baseUrl).toBe('http://gatebook.internal');
  expect(app[gatebookInternals].toClientJson().baseUrl).toBe('https://public.test');
});

test('browsers get their URL of two in the options', () => {
  const baseUrl = { browser: 'https://public.test', server: 'http://gatebook.internal' };
  const app = new GatebookClientApp({ projectId: 'p1', baseUrl });
  expect(app[gatebookInternals].server.baseUrl).toBe(baseUrl.server);
  expect(app[gatebookInternals].toClientJson().baseUrl).toBe(baseUrl.browser);
});

test('what needs the secret key alone works outside of requests', async () => {
  const { server } = createApps();
  expect(await server.getUser('ann')).toMatchObject({ id: 'ann' });
  await expect(server.getUser()).rejects.toThrow('outside a request scope');
});

describe('a route handler for users', () => {
  const handle = (app: GatebookClientApp) => withUser(app, (_, { user }) => Response.json(user.id));

  test('gets the user of the cookies', async () => {
    request.jar = fakeJar(signedInAs('ann'));
    const response = await handle(createApps().client)(new Request('https://app.test/api'), {});
    expect(await response.json()).toBe('ann');
  });

  test('gets the user whom the headers name instead', async () => {
    request.jar = fakeJar(signedInAs('ann'));
    const tokens = { accessToken: tokenFor(600_000), refreshToken: 'bob' };
    const headers = { authorization: `Bearer stackauth_${btoa(JSON.stringify(tokens))}` };
    const response = await handle(createApps().client)(new Request('https://app.test/api', { headers }), {});
    expect(await response.json()).toBe('bob');
  });

  test('gets the user of the cookies behind a proxy with a password', async () => {
    request.jar = fakeJar(signedInAs('ann'));
    const headers = { authorization: `Basic ${btoa('staging:secret')}` };
    const response = await handle(createApps().client)(new Request('https://app.test/api', { headers }), {});
    expect(await response.json()).toBe('ann');
  });

  test('is not called for others', async () => {
    request.jar = fakeJar();
    const response = await handle(createApps().client)(new Request('https://app.test/api'), {});
    expect(response.status).toBe(401);
  });
});
