import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../testing/api.ts';
import { senderOf, signUp } from '../testing/requests.ts';
import { type ClientHeaders, trustIn } from './end-user.ts';

const browser = 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0';
const apis: TestApi[] = [];
const start = async (clientHeaders: ClientHeaders, trustedProxies = ['10.0.0.0/8', 'loopback']) => {
  const api = await startTestApi({ trustedProxies, clientHeaders });
  apis.push(api);
  return api;
};
afterAll(() => Promise.all(apis.map((api) => api.close())));

/** What the log holds of the session that a sign-up with these headers started. */
async function recordedOrigin(api: TestApi, headers: Record<string, string>) {
  await signUp(senderOf(api), { headers: { 'user-agent': browser, ...headers } });
  const events = await api.deps.store.readAll(0n, 1_000);
  const started = events.findLast(({ type }) => type === 'SessionStarted');
  return started?.data.ip;
}

describe('behind proxies that append to x-forwarded-for', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await start({ address: null, country: null });
  });

  test('a forged first hop is not recorded as the client address', async () => {
    expect(await recordedOrigin(api, { 'x-forwarded-for': '9.8.7.6, 203.0.113.50' })).toBe('203.0.113.50');
    expect(await recordedOrigin(api, { 'x-forwarded-for': '9.8.7.6, 203.0.113.50, 10.1.1.1' })).toBe('203.0.113.50');
  });
  test.each(['cf-connecting-ip', 'x-real-ip', 'x-vercel-forwarded-for', 'true-client-ip'])(
    'a forged %s is not recorded as the address of a client',
    async (name) => {
      expect(await recordedOrigin(api, { [name]: '1.2.3.4', 'x-forwarded-for': '203.0.113.50' })).toBe('203.0.113.50');
    },
  );
  test('a malformed address is not recorded', async () => {
    expect(await recordedOrigin(api, { 'x-forwarded-for': '<script>' })).toBe('127.0.0.1');
  });
  test('a forged country is not recorded', async () => {
    const user = await signUp(senderOf(api));
    const headers = {
      'user-agent': browser,
      'x-forwarded-for': '10.9.9.9',
      'cf-ipcountry': 'KP',
      'x-vercel-ip-country': 'KP',
    };
    const body = { email: user.email, password: 'correct horse battery' };
    const { access_token } = (await senderOf(api)('POST', '/auth/password/sign-in', { body, headers })).body;
    await api.deps.activity.flush();
    const list = await senderOf(api)('GET', '/auth/sessions?user_id=me', { as: access_token });
    expect(list.body.items[0].last_used_at_end_user_ip_info).toEqual({ ip: '10.9.9.9', countryCode: null });
  });
  test('the address of a server that acts for a user is not recorded', async () => {
    const headers = { 'user-agent': 'node', 'x-forwarded-for': '203.0.113.50' };
    expect(await recordedOrigin(api, headers)).toBeNull();
  });
});

test('a header that the operator names is trusted from a trusted proxy', async () => {
  const api = await start({ address: 'cf-connecting-ip', country: 'cf-ipcountry' });
  const headers = { 'cf-connecting-ip': '203.0.113.7', 'x-forwarded-for': '9.8.7.6' };
  expect(await recordedOrigin(api, headers)).toBe('203.0.113.7');
  expect(await recordedOrigin(api, { ...headers, 'cf-connecting-ip': 'nonsense' })).toBe('9.8.7.6');
});

test('a header that the operator names is ignored from any other client', async () => {
  const api = await start({ address: 'cf-connecting-ip', country: 'cf-ipcountry' }, ['10.0.0.0/8']);
  const headers = { 'cf-connecting-ip': '203.0.113.7', 'x-forwarded-for': '9.8.7.6' };
  expect(await recordedOrigin(api, headers)).toBe('127.0.0.1');
});

test('a trusted proxy that is not an address stops the start', () => {
  expect(() => trustIn(['proxy.example.com'])).toThrow('proxy.example.com');
});
