import { createLookupHash } from '@gatebook/eventlog/sealing/lookup-hash';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../testing/api.ts';
import { newEmail, password, type Send, senderOf, signUp } from '../testing/requests.ts';
import { networkOf } from './rate-limits.ts';

let api: TestApi;
let send: Send;

beforeAll(async () => {
  api = await startTestApi({ rateLimits: true, trustedProxies: ['loopback'] });
  send = senderOf(api);
});
afterAll(() => api.close());

const from = (address: string) => ({ 'x-forwarded-for': address });
const signIn = (email: string, address: string, call = {}) =>
  send('POST', '/auth/password/sign-in', {
    body: { email, password: 'wrong password' },
    headers: from(address),
    ...call,
  });

test('guessing at one account from one address is slowed down; its owner elsewhere is not', async () => {
  const { email } = await signUp(send);
  for (let guess = 0; guess < 10; guess += 1) expect((await signIn(email, '203.0.113.1')).status).toBe(400);
  const slowed = await signIn(email.toUpperCase(), '203.0.113.1');
  expect(slowed.status).toBe(429);
  expect(slowed.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(slowed.headers['x-stack-known-error']).toBeUndefined();
  expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(slowed.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect((await signIn(email, '203.0.113.2')).status).toBe(400);
  expect((await signIn(newEmail(), '203.0.113.1')).status).toBe(400);
});

test('guessing at one account from many addresses is slowed down in the end', async () => {
  const email = newEmail();
  const statuses: number[] = [];
  for (let guess = 0; guess < 61; guess += 1) statuses.push((await signIn(email, `198.51.100.${guess}`)).status);
  expect(statuses.indexOf(429)).toBe(60);
});

test('mails to one address are few, whether somebody has it or not', async () => {
  const { email } = await signUp(send);
  for (const address of [email, newEmail()]) {
    const statuses: number[] = [];
    for (let nth = 0; nth < 12; nth += 1) {
      const body = { email: address, callback_url: 'http://localhost/reset' };
      const headers = from(`203.0.113.${150 + nth}`);
      statuses.push((await send('POST', '/auth/password/send-reset-code', { body, headers })).status);
    }
    expect(statuses.indexOf(429)).toBe(10);
  }
});

test('malformed requests use nothing up, and a forged address of an untrusted proxy is not believed', async () => {
  const address = from('203.0.113.50');
  for (let time = 0; time < 70; time += 1) {
    expect((await send('POST', '/auth/password/sign-up', { body: {}, headers: address })).status).toBe(400);
  }
  const body = { email: newEmail(), password, verification_callback_url: 'http://localhost' };
  expect((await send('POST', '/auth/password/sign-up', { body, headers: address })).status).toBe(200);
});

test('a server signs many people in from one address', async () => {
  const body = { email: newEmail(), password };
  for (let time = 0; time < 15; time += 1) {
    const answer = await send('POST', '/auth/password/sign-in', {
      access: 'server',
      body,
      headers: from('203.0.113.77'),
    });
    expect(answer.status).toBe(400);
  }
});

test('the old password can not be guessed by a stolen access token', async () => {
  const user = await signUp(send);
  const guess = (n: number) =>
    send('POST', '/auth/password/update', {
      as: user.accessToken,
      headers: from(`203.0.113.${100 + n}`),
      body: { old_password: `guess ${n}`, new_password: password },
    });
  for (let n = 0; n < 10; n += 1) expect((await guess(n)).body.code).toBe('PASSWORD_CONFIRMATION_MISMATCH');
  expect((await guess(10)).status).toBe(429);
});

test('nobody exports their data all day, and nobody uses up what others may', async () => {
  const [eager, other] = [await signUp(send), await signUp(send)];
  const statuses: number[] = [];
  for (let nth = 0; nth < 70; nth += 1) {
    const call = { as: eager.accessToken, headers: from(`203.0.113.${nth}`) };
    statuses.push((await send('GET', '/users/me/export', call)).status);
  }
  expect(statuses.indexOf(429)).toBe(10);
  expect((await send('GET', '/users/me/export', { as: other.accessToken })).status).toBe(200);
  for (let nth = 0; nth < 20; nth += 1) {
    const asServer = await send('GET', `/users/${eager.userId}/export`, { access: 'server' });
    expect(asServer.status).toBe(200);
  }
});

test.each([
  ['203.0.113.1', '203.0.113.1'],
  ['::ffff:203.0.113.1', '203.0.113.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('%s belongs to %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('everything else is not limited', async () => {
  const user = await signUp(send);
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => send('GET', '/users/me', { as: user.accessToken })),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
});

/** As much of a client of Redis as the plugin uses: one counter for each key, and time stands still. */
function countsInOnePlace() {
  const counts = new Map<string, number>();
  const state = { isAway: false };
  const rateLimit = (
    key: string,
    timeWindow: number,
    _max: number,
    _continues: boolean,
    _grows: boolean,
    done: (error: Error | null, result?: [number, number]) => void,
  ) => {
    if (state.isAway) return done(new Error('Connection is closed.'));
    counts.set(key, (counts.get(key) ?? 0) + 1);
    done(null, [counts.get(key) ?? 0, timeWindow]);
  };
  return { counts, state, client: { rateLimit, rateLimitRead: rateLimit, defineCommand: () => undefined } };
}

test('processes with a place in common count together; while it is away each counts for itself', async () => {
  const { counts, state, client } = countsInOnePlace();
  const options = {
    rateLimits: true,
    overrides: () => ({ sharedCounts: client, lookupHash: createLookupHash(Buffer.alloc(32)) }),
  };
  const apis = await Promise.all([startTestApi(options), startTestApi(options)]);
  try {
    const email = newEmail();
    const guess = async (nth: number) => {
      const body = { email, password: 'wrong password' };
      const api = apis[nth % 2] ?? apis[0];
      return (await senderOf(api)('POST', '/auth/password/sign-in', { body })).status;
    };
    const statuses: number[] = [];
    for (let nth = 0; nth < 12; nth += 1) statuses.push(await guess(nth));
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
    expect([...counts.keys()].join()).not.toContain(email);
    expect([...counts.keys()].join()).not.toContain('127.0.0.1');
    state.isAway = true;
    for (let nth = 0; nth < 4; nth += 1) expect(await guess(nth)).toBe(400);
  } finally {
    await Promise.all(apis.map((api) => api.close()));
  }
});
