import { expect, test } from 'vitest';
import { createLogTail } from './log-tail.ts';
import { createTestLog, silentLogger } from './testing/read-side.ts';

const projectId = 'p1';
const at = '2026-01-15T12:00:00.000Z';
const ownerAdded = {
  type: 'ProjectOwnerAdded',
  data: { projectId, userId: '00000000-0000-4000-8000-000000000001', at },
};

test('listeners see what comes, in order, and are told when they do not any more', async () => {
  const log = await createTestLog();
  const before = await log.record(`project-${projectId}`, ownerAdded);
  const tail = createLogTail({ store: log.store, logger: silentLogger });
  const heard: string[] = [];
  tail.add({
    begin: (head) => void heard.push(`begin ${head}`),
    see: (events) => heard.push(...events.map(({ position }) => `see ${position}`)),
    end: () => void heard.push('end'),
  });
  expect(tail.followed()).toBeNull();
  const stop = new AbortController();
  const ended = tail.follow(stop.signal);
  await expect.poll(() => tail.followed()).toBe(before);
  const after = await log.record(`project-${projectId}`, ownerAdded);
  await expect.poll(() => tail.followed()).toBe(after);
  stop.abort();
  await ended;
  expect(heard).toEqual([`begin ${before}`, `see ${after}`, 'end']);
  expect(tail.followed()).toBeNull();
});

test('of the looks of late the oldest counts', async () => {
  const log = await createTestLog();
  let ms = 0;
  const tail = createLogTail({ store: log.store, logger: silentLogger, now: () => ms });
  expect(tail.headWithin(1_000)).toBeNull();
  await tail.look();
  ms = 600;
  await log.record(`project-${projectId}`, ownerAdded);
  await tail.look();
  ms = 1_000;
  expect(tail.headWithin(1_000)).toBe(0n);
  ms = 1_001;
  expect(tail.headWithin(1_000)).toBe(1n);
  ms = 1_601;
  expect(tail.headWithin(1_000)).toBeNull();
});

test('while the log is away nobody waits for it but who follows it', async () => {
  const log = await createTestLog();
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
