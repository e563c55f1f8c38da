import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countOpenRequests } from './yield-to-requests.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** With a request that is open until `answer` is called. */
async function start() {
  const app = Fastify();
  countOpenRequests(app);
  const answer = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  app.get('/', () => {
    begun.resolve();
    return answer.promise;
  });
  const request = app.inject('/');
  await begun.promise;
  const waitForAll = async () => {
    answer.resolve('done');
    await request;
    await app.close();
  };
  return { app, answer: () => answer.resolve('done'), waitForAll };
}

test('long work goes on once open requests are answered', async () => {
  const { app, answer, waitForAll } = await start();
  let isWaiting = true;
  const waited = app.yieldToRequests().finally(() => {
    isWaiting = false;
  });
  await nextTurn();
  await nextTurn();
  expect(isWaiting).toBe(true);
  answer();
  await waited;
  await app.yieldToRequests();
  await waitForAll();
});

test('long work goes on after a moment where requests stay open', async () => {
  const { app, waitForAll } = await start();
  const waited = app.yieldToRequests();
  await nextTurn();
  await nextTurn();
  vi.advanceTimersByTime(5);
  await waited;
  await waitForAll();
});
