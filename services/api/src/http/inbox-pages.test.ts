import { expect, test } from 'vitest';
import { startSuite } from '../testing/suite.ts';

const inbox = { list: async () => [], find: async () => null };
const { api } = await startSuite({ trustedProxies: ['loopback'], overrides: () => ({ inbox }) });

const statusFor = async (headers: Record<string, string>) =>
  (await api.app.inject({ method: 'GET', url: '/inbox', headers })).statusCode;

test('the inbox is served under the host names of this machine', async () => {
  for (const host of ['localhost:8102', '127.0.0.1:8102', '[::1]:8102', 'auth.localhost']) {
    expect(await statusFor({ host })).toBe(200);
  }
});

test('a forged x-forwarded-host does not open the inbox to a foreign host', async () => {
  expect(await statusFor({ host: 'gatebook.example.com', 'x-forwarded-host': 'localhost' })).toBe(404);
});

test('a request for a foreign host through a proxy does not open the inbox', async () => {
  expect(await statusFor({ host: 'localhost:8102', 'x-forwarded-host': 'gatebook.example.com' })).toBe(404);
  expect(await statusFor({ host: 'gatebook.example.com' })).toBe(404);
});
