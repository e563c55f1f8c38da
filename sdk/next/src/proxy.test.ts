import { GatebookClientApp } from '@gatebook/js';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeNetwork } from '../../js/src/testing.ts';
import { type Issuer, projectId, startIssuer, userId } from '../../node/src/testing/issuer.ts';
import { createGatebookProxy, type GatebookProxyOptions } from './proxy.ts';

let issuer: Issuer;
let fresh: string;
let refreshes: number;
beforeAll(async () => {
  issuer = await startIssuer();
  fresh = await issuer.issue();
});
afterAll(() => issuer.stop());
beforeEach(() => {
  refreshes = 0;
});

function createProxy(options: GatebookProxyOptions, tokenOfRefresh: () => string | null = () => fresh) {
  const { network } = fakeNetwork(async () => {
    refreshes += 1;
    const access_token = tokenOfRefresh();
    return access_token === null ? { fails: true } : { json: { access_token } };
  });
  const parts = { network: { ...network, now: Date.now } };
  return createGatebookProxy(
    new GatebookClientApp({ baseUrl: issuer.url, projectId, tokenStore: null, parts }),
    options,
  );
}
const visit = (path: string, cookie: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  new Request(`http://app.test${path}`, { headers: { cookie, ...headers } });
const cookies = (accessToken: string | null) =>
  [
    `stack-refresh-${projectId}=r1`,
    ...(accessToken === null ? [] : [`stack-access=${encodeURIComponent(JSON.stringify(['r1', accessToken]))}`]),
    'theme=dark',
  ].join('; ');

describe('an expired access token', () => {
  test('check 24: is renewed once for twenty requests at a time, for the page and for the browser', async () => {
    const proxy = createProxy({});
    const responses = await Promise.all(Array.from({ length: 20 }, () => proxy(visit('/', cookies(null)))));
    expect(refreshes).toBe(1);
    for (const { headers } of responses) {
      const access = `stack-access=${encodeURIComponent(JSON.stringify(['r1', fresh]))}`;
      expect(headers.get('x-middleware-next')).toBe('1');
      expect(headers.get('x-middleware-request-cookie')).toBe(`theme=dark; stack-refresh-${projectId}=r1; ${access}`);
      expect(headers.getSetCookie()).toContain(`${access}; Path=/; Max-Age=86400; SameSite=Lax`);
      expect(headers.get('cache-control')).toContain('no-store');
    }
  });

  test('check 24: is not renewed again for a request with the same cookies that begins later', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const proxy = createProxy({});
    const accessOf = async () => (await proxy(visit('/', cookies(null)))).headers.getSetCookie().join();
    expect(await accessOf()).toBe(await accessOf());
    expect(refreshes).toBe(1);
    vi.setSystemTime(Date.now() + 11_000);
    await accessOf();
    expect(refreshes).toBe(2);
    vi.useRealTimers();
  });

  test('is renewed again after many other sessions, because a bounded number of renewals is kept', async () => {
    const proxy = createProxy({});
    const requestAs = (id: number) => proxy(visit('/', `stack-refresh-${projectId}=r${id}`));
    for (let id = 0; id <= 1_000; id += 1) await requestAs(id);
    await requestAs(1);
    expect(refreshes).toBe(1_001);
    await requestAs(0);
    expect(refreshes).toBe(1_002);
  });

  test('of an ended session signs the browser out', async () => {
    const { network } = fakeNetwork(() => ({
      json: { code: 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', error: 'ended' },
      headers: { 'x-stack-known-error': 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 'x-stack-actual-status': '401' },
    }));
    const app = new GatebookClientApp({ baseUrl: issuer.url, projectId, tokenStore: null, parts: { network } });
    const { headers } = await createGatebookProxy(app)(visit('/', cookies(null)));
    expect(headers.get('x-middleware-request-cookie')).toBe('theme=dark');
    expect(headers.getSetCookie()[0]).toContain(`stack-refresh-${projectId}=; Path=/; Max-Age=0`);
  });

  test('does not stop public pages while Gatebook is down', async () => {
    const proxy = createProxy({ protect: ['/account'] }, () => null);
    expect((await proxy(visit('/', cookies(null)))).headers.get('x-middleware-next')).toBe('1');
    await expect(proxy(visit('/account', cookies(null)))).rejects.toThrow();
  });
});

test('a valid access token is neither renewed nor written', async () => {
  const { headers } = await createProxy({ protect: ['/'] })(visit('/', cookies(fresh)));
  expect(headers.get('x-middleware-next')).toBe('1');
  expect(headers.getSetCookie()).toEqual([]);
  expect(refreshes).toBe(0);
});

describe('a protected path', () => {
  const protect = ['/account'];

  test('leads visitors to the sign-in page and back', async () => {
    const response = await createProxy({ protect })(visit('/account/teams?tab=2', 'theme=dark'));
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe(
      'http://app.test/handler/sign-in?after_auth_return_to=%2Faccount%2Fteams%3Ftab%3D2',
    );
  });

  test.each(['/accounts', '/', '/handler/sign-in'])('does not include %s', async (path) => {
    expect((await createProxy({ protect })(visit(path, ''))).headers.get('x-middleware-next')).toBe('1');
  });

  test('includes percent-encoded spellings, which Next.js serves as the same page', async () => {
    const statusOf = async (path: string) => (await createProxy({ protect })(visit(path, ''))).status;
    expect(await statusOf('/%61ccount')).toBe(307);
    expect(await statusOf('/%E0%A4%A')).toBe(200);
  });

  test('is not stored by shared caches, and public pages can be', async () => {
    const cacheOf = async (path: string) =>
      (await createProxy({ protect })(visit(path, cookies(fresh)))).headers.get('cache-control');
    expect(await cacheOf('/account')).toContain('private');
    expect(await cacheOf('/')).toBeNull();
  });

  test('can be chosen by a function, except for the handler', async () => {
    const proxy = createProxy({ protect: ({ url }) => !url.endsWith('/public') });
    expect((await proxy(visit('/account', ''))).status).toBe(307);
    expect((await proxy(visit('/public', ''))).status).toBe(200);
    expect((await proxy(visit('/handler/sign-in', ''))).status).toBe(200);
  });

  test('does not include the sign-in page of the app itself', async () => {
    const app = new GatebookClientApp({ baseUrl: issuer.url, projectId, tokenStore: null, urls: { signIn: '/login' } });
    const proxy = createGatebookProxy(app, { protect: ['/'] });
    expect((await proxy(visit('/login', ''))).status).toBe(200);
    expect((await proxy(visit('/login/help', ''))).headers.get('location')).toContain('http://app.test/login?');
  });

  test('rejects a forged token', async () => {
    const forged = await issuer.issue({ sub: userId }, new Uint8Array(32), 'HS256');
    expect((await createProxy({ protect })(visit('/account', cookies(forged)))).status).toBe(307);
  });

  test('leads restricted users to what they have to complete, and anonymous ones to the sign-in page', async () => {
    const target = async (claims: object) => {
      const response = await createProxy({ protect })(visit('/account', cookies(await issuer.issue(claims))));
      return new URL(response.headers.get('location') ?? '').pathname;
    };
    const restricted = { is_restricted: true, restricted_reason: { type: 'email_not_verified' } };
    expect(await target(restricted)).toBe('/handler/onboarding');
    expect(await target({ ...restricted, is_anonymous: true })).toBe('/handler/sign-in');
  });

  test('answers programs with 401', async () => {
    const response = await createProxy({ protect })(visit('/account', '', { accept: 'application/json' }));
    expect(response.status).toBe(401);
  });
});
