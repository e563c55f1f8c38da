import { expect, test } from 'vitest';
import { expectPlain } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({ log: 'eventstoredb' });
if (!api.simulator) throw new Error('the log is not in EventStoreDB');
const { simulator } = api;

const credentials = (email: string) => ({
  email,
  password: 'correct horse',
  verification_callback_url: 'http://localhost',
});
const signUp = (email: string, headers = {}) =>
  send('POST', '/auth/password/sign-up', { body: credentials(email), headers });
const ready = async () => {
  const answer = await api.app.inject({ url: '/health/ready' });
  return { status: answer.statusCode, body: answer.json() };
};

test('while the log is unavailable, writes get 503 and reads work; both recover when it returns', async () => {
  const ann = await signUp('ann@example.com');
  expect(ann.status).toBe(200);
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok', log: 'ok', lag: 0 } });

  await simulator.goAway();
  const key = { 'idempotency-key': 'bob-signs-up' };
  for (const headers of [{}, key]) {
    const rejected = await signUp('bob@example.com', headers);
    expectPlain(rejected, 503);
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    expect(rejected.text).toContain('log');
  }
  const as = ann.body.access_token;
  expect(await send('GET', '/users/me', { as })).toMatchObject({
    status: 200,
    body: { primary_email: 'ann@example.com' },
  });
  expect((await send('GET', '/teams?user_id=me', { as })).status).toBe(200);
  expect(await ready()).toMatchObject({ status: 503, body: { status: 'unavailable', log: 'failed', database: 'ok' } });

  await simulator.comeBack();
  await expect.poll(async () => (await ready()).status).toBe(200);
  const bob = await signUp('bob@example.com', key);
  expect(bob.status).toBe(200);
  expect((await send('GET', '/users/me', { as: bob.body.access_token })).body.primary_email).toBe('bob@example.com');
});

test('a write with an unknown outcome is not retried automatically', async () => {
  simulator.dieAfter(1);
  const unknown = await signUp('carol@example.com');
  expectPlain(unknown, 503);
  expect(unknown.headers['retry-after']).toBeUndefined();
  expect(unknown.text).toContain('Check whether it was executed');
  await simulator.comeBack();
});
