import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { enoughSkipped, skippedMs } from './batch.ts';
import { createSharedLog, note, numbered, type SharedLog } from './testing/shared-log.ts';

let log: SharedLog;
beforeEach(async () => {
  log = await createSharedLog();
});
afterEach(() => {
  log.close();
  vi.useRealTimers();
});

/** Waits without timers, which these tests fake. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resume) => setImmediate(resume));
}

test('unneeded events wake nobody until there are many or some time has passed, and then the position is known', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const reader = log.openReader();
  const everything = log.follow(reader);
  const picky = log.follow(reader, 0n, { types: new Set(['Noted']) });
  const named = { type: 'PersonNamed', data: { personId: randomUUID(), name: null, isMember: true } };
  const pass = async (seen: number) => {
    log.newest.announce(BigInt(log.records.length));
    await until(() => everything.batches.flat().length === seen);
  };
  await log.store(note('a'), note('b'));
  await pass(2);
  expect(picky.batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(skippedMs);
  await until(() => picky.batches.length === 1);
  expect(picky.batches).toMatchObject([[{ position: 2n, data: {} }]]);

  await log.store(note('c'), named, note('d'));
  await pass(5);
  await until(() => picky.batches.length === 2);
  expect(picky.batches[1]).toMatchObject([
    { position: 4n, data: named.data },
    { position: 5n, data: {} },
  ]);

  await log.store(...numbered(1, enoughSkipped).map(note));
  await pass(5 + enoughSkipped);
  await until(() => picky.batches.length === 3);
  expect(picky.batches[2]).toMatchObject([{ position: BigInt(5 + enoughSkipped), data: {} }]);
});

test('a subscription with a delay gets what has come by then, in one batch', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const reader = log.openReader();
  const everything = log.follow(reader);
  const lazy = log.follow(reader, 0n, { delayMs: 250 });
  for (const text of ['a', 'b', 'c']) {
    await log.append(text);
    await until(() => everything.texts().includes(text));
    await vi.advanceTimersByTimeAsync(80);
  }
  expect(lazy.batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(10);
  await until(() => lazy.batches.length === 1);
  expect(lazy.texts()).toEqual(['a', 'b', 'c']);

  await log.append(...numbered(1, 500));
  await until(() => lazy.texts().length === 503);
});

test('a subscription with an interval gets a single event at once, and later ones in one batch', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const reader = log.openReader();
  const everything = log.follow(reader);
  const lazy = log.follow(reader, 0n, { intervalMs: 250 });
  const add = async (text: string) => {
    await log.append(text);
    await until(() => everything.texts().includes(text));
  };
  await add('a');
  await until(() => lazy.batches.length === 1);
  for (const text of ['b', 'c']) {
    await vi.advanceTimersByTimeAsync(80);
    await add(text);
  }
  expect(lazy.texts()).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(90);
  await until(() => lazy.batches.length === 2);
  expect(lazy.texts()).toEqual(['a', 'b', 'c']);

  await vi.advanceTimersByTimeAsync(250);
  await add('d');
  await until(() => lazy.batches.length === 3);
});
