import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { findFreePort } from '@gatebook/runtime/free-port';
import { createLogger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Counts, createMemoryCounts, createRedisCounts, withFallback } from './limit-counts.ts';

const hasRedis = () => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const noRedis = hasRedis() || process.env.REQUIRE_REDIS ? null : 'redis-server is not installed';

let redis: ChildProcess;
let client: Redis;
beforeAll(async () => {
  if (noRedis) return;
  const port = await findFreePort();
  redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], { stdio: 'ignore' });
  client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await client.ping();
});
afterAll(() => {
  client?.disconnect();
  redis?.kill();
});

const places = [
  { place: 'in memory', missing: null, make: () => createMemoryCounts(() => performance.now()) },
  { place: 'in Redis', missing: noRedis, make: () => createRedisCounts(client) },
];

describe.each(places)('counts $place', ({ place, missing, make }) => {
  const title = (text: string) => (missing ? `${text} (${missing})` : text);
  let nth = 0;
  const newKey = () => {
    nth += 1;
    return `${place} ${nth}`;
  };
  let counts: Counts;
  beforeAll(() => {
    if (!missing) counts = make();
  });

  test.skipIf(missing)(title('add up per key, also under concurrency'), async () => {
    const [key, other] = [newKey(), newKey()];
    const taken = await Promise.all(Array.from({ length: 50 }, () => counts.add(key, 1, 60_000)));
    expect(taken.map(({ count }) => count).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect((await counts.add(key, 7, 60_000)).count).toBe(57);
    const { count, msLeft } = await counts.add(other, 1, 60_000);
    expect(count).toBe(1);
    expect(msLeft).toBeGreaterThan(59_000);
    expect(msLeft).toBeLessThan(60_001);
  });

  test.skipIf(missing)(title('expire after their window, which later requests do not extend'), async () => {
    const key = newKey();
    await counts.add(key, 1, 200);
    await pause(120);
    expect((await counts.add(key, 1, 200)).count).toBe(2);
    await pause(120);
    expect((await counts.add(key, 1, 200)).count).toBe(1);
  });

  test.skipIf(missing)(title('that are returned never go below zero'), async () => {
    const key = newKey();
    expect(await counts.add(key, -1, 60_000)).toEqual({ count: 0, msLeft: 0 });
    await counts.add(key, 1, 60_000);
    expect((await counts.add(key, -5, 60_000)).count).toBe(0);
    expect((await counts.add(key, 1, 60_000)).count).toBe(1);
  });
});

test('counts in memory are limited to a number of keys; the oldest is evicted first', async () => {
  const counts = createMemoryCounts(() => 0, 3);
  for (const key of ['a', 'b', 'c', 'd']) await counts.add(key, 1, 1_000);
  expect((await counts.add('b', 1, 1_000)).count).toBe(2);
  expect((await counts.add('a', 1, 1_000)).count).toBe(1);
});

test('while shared counts are unavailable, a process counts alone and does not retry on each request', async () => {
  let asked = 0;
  const away: Counts = {
    add: async () => {
      asked += 1;
      throw new Error('Connection is closed.');
    },
  };
  const logger = createLogger({ level: 'silent' });
  const counts = withFallback(
    away,
    createMemoryCounts(() => performance.now()),
    logger,
  );
  for (const expected of [1, 2, 3]) expect((await counts.add('key', 1, 1_000)).count).toBe(expected);
  expect(asked).toBe(1);
});
