import { expect, test } from 'vitest';
import { createLogTail } from './log-tail.ts';
import { create, createTalliesLog } from './testing/tallies.ts';
import { silentLogger } from './testing/test-log.ts';

test('listeners of the log tail see events in order and are told when it ends', async () => {
  const log = await createTalliesLog();
  const before = await create(log, 1);
  const tail = createLogTail({ store: log.store, logger: silentLogger });
  const calls: string[] = [];
  tail.add({
    begin: (head) => void calls.push(`begin ${head}`),
    see: (events) => calls.push(...events.map(({ position }) => `see ${position}`)),
    end: () => void calls.push('end'),
  });
  expect(tail.followed()).toBeNull();
  const stop = new AbortController();
  const ended = tail.follow(stop.signal);
  await expect.poll(() => tail.followed()).toBe(before);
  const after = await create(log, 2);
  await expect.poll(() => tail.followed()).toBe(after);
  stop.abort();
  await ended;
  expect(calls).toEqual([`begin ${before}`, `see ${after}`, 'end']);
  expect(tail.followed()).toBeNull();
});

test('the log tail reports the oldest recent look at the head', async () => {
  const log = await createTalliesLog();
  let ms = 0;
  const tail = createLogTail({ store: log.store, logger: silentLogger, now: () => ms });
  expect(tail.headWithin(1_000)).toBeNull();
  await tail.look();
  ms = 600;
  await create(log, 3);
  await tail.look();
  ms = 1_000;
  expect(tail.headWithin(1_000)).toBe(0n);
  ms = 1_001;
  expect(tail.headWithin(1_000)).toBe(1n);
  ms = 1_601;
  expect(tail.headWithin(1_000)).toBeNull();
});

test('only `follow` waits for an unavailable log', async () => {
  const log = await createTalliesLog();
  let isAway = true;
  let asked = 0;
  const store = {
    ...log.store,
    head: async () => {
      asked += 1;
      if (isAway) throw new Error('the log is away');
      return log.store.head();
    },
  };
  const tail = createLogTail({ store, logger: silentLogger });
  expect(await tail.look()).toBeNull();
  expect(await tail.look()).toBeNull();
  expect(asked).toBe(1);
  isAway = false;
  expect(await tail.look()).toBeNull();
  const stop = new AbortController();
  const ended = tail.follow(stop.signal);
  await expect.poll(() => tail.look()).toBe(0n);
  stop.abort();
  await ended;
});
