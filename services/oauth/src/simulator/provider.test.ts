import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SimulatorProvider, startSimulatorProvider } from './provider.ts';

const app = 'http://localhost:8102';
const redirectUri = `${app}/api/v1/auth/oauth/callback/github`;

let simulator: SimulatorProvider;
beforeAll(async () => {
  simulator = await startSimulatorProvider({ secret: 'swordfish', redirectOrigins: [app] });
});
afterAll(() => simulator.close());

const authorization = (changes: Record<string, string> = {}) => {
  const parameters = new URLSearchParams({
    client_id: 'github',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: 's',
    code_challenge: '7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM',
    code_challenge_method: 'S256',
    ...changes,
  });
  for (const [name, value] of [...parameters]) if (value === '') parameters.delete(name);
  return fetch(`${simulator.url}/auth?${parameters}`, { redirect: 'manual' });
};

/** The page, and the cookie of the browser that it was shown to. */
async function openPage() {
  const sent = await authorization();
  const cookie = sent.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
  const address = new URL(sent.headers.get('location') ?? '', simulator.url);
  const page = await fetch(address, { headers: { cookie } });
  return { address, cookie, page, html: await page.text() };
}

test('the simulator page says what it is, works without scripts and loads nothing external', async () => {
  const { page, html } = await openPage();
  expect(page.status).toBe(200);
  expect(html).toContain('Simulator for GitHub');
  expect(html).toContain('For development only. This is not GitHub.');
  expect(html).toMatch(/<button[^>]*value="deny" formnovalidate>Deny/);
  expect(html).not.toMatch(/<script|<img|src=|@import|https?:\/\//);
  const csp = page.headers.get('content-security-policy') ?? '';
  expect(csp).toContain("default-src 'none'");
  expect(csp).toContain("frame-ancestors 'none'");
  expect(csp).not.toContain('unsafe');
  expect(page.headers.get('cache-control')).toBe('no-store');
});

test('the simulator page rejects an invalid address and escapes the input', async () => {
  const { address, cookie } = await openPage();
  const body = new URLSearchParams({ answer: 'allow', email: '"><script>alert(1)</script>', name: '<b>Ann</b>' });
  const again = await fetch(address, { method: 'POST', headers: { cookie }, body });
  expect(again.status).toBe(400);
  const html = await again.text();
  expect(html).toContain('role="alert"');
  expect(html).toContain('value="&lt;b&gt;Ann&lt;/b&gt;"');
  expect(html).not.toContain('<script');
});

test('a simulator sign-in is bound to its browser', async () => {
  const { address } = await openPage();
  const body = new URLSearchParams({ answer: 'allow', email: 'ann@example.com', name: '' });
  for (const stranger of [await fetch(address), await fetch(address, { method: 'POST', body })]) {
    expect(stranger.status).toBe(400);
    expect(await stranger.text()).toContain('expired or was started in another browser');
  }
});

test.each([
  ['another redirect URI', { redirect_uri: 'https://evil.example/api/v1/auth/oauth/callback/github' }],
  ["another provider's redirect URI", { redirect_uri: `${app}/api/v1/auth/oauth/callback/google` }],
  ['a client that nobody knows', { client_id: 'discord' }],
])('%s is not accepted', async (_, changes) => {
  const rejected = await authorization(changes);
  expect(rejected.status).toBe(400);
  expect(rejected.headers.get('location')).toBeNull();
  expect(await rejected.text()).toContain('Simulator provider for development');
});

test.each([
  ['no challenge', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
  ['a challenge in plain text', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
])('%s is rejected to the app', async (_, changes, error) => {
  const location = (await authorization(changes)).headers.get('location') ?? '';
  expect(location.startsWith(redirectUri)).toBe(true);
  expect(location).toContain(`error=${error}`);
});

test('the simulator rejects other host names (DNS rebinding)', async () => {
  const { port } = new URL(simulator.url);
  const path = '/.well-known/openid-configuration';
  const ask = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  expect(await ask(`127.0.0.1:${port}`)).toBe(200);
  expect(await ask(`evil.example:${port}`)).toBe(421);
});

test('the simulator listens only on the loopback address', () => {
  expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});
