import { createListener, type Listener } from '@gatebook/runtime/listener';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger as logger } from '../testing/test-log.ts';
import { createPeers, migratePeers } from './peers.ts';

let database: TestDatabase;
let listener: Listener;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  await migratePeers(database.pool);
  listener = createListener(database.url, { name: 'test', logger });
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await listener.close();
  await database.close();
});

/** Starts one process. The test sets the position up to which it has followed the log. */
async function join(n: number, followed: bigint) {
  const state = { followed: followed as bigint | null, oldHead: followed, head: followed, ms: 0 };
  const tail = {
    add: () => undefined,
    followed: () => state.followed,
    headWithin: () => state.oldHead,
    look: async () => state.head,
    follow: async () => undefined,
  };
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const peers = await createPeers({ pool: database.pool, listener, tail, id, logger, now: () => state.ms });
  const stop = new AbortController();
  const ended = peers.follow(stop.signal);
  const leave = async () => {
    stop.abort();
    await ended;
  };
  closing.push(leave);
  return { peers, state, leave };
}

const hasEnded = (promise: Promise<unknown>) => {
  const state = { isDone: false };
  void promise.then(() => {
    state.isDone = true;
  });
  return state;
};
const listLeases = async () => (await database.pool.query('select id, followed from peers.apis order by id')).rows;

test('a change waits until every process has followed the log past it', async () => {
  const [a, b] = [await join(1, 5n), await join(2, 5n)];
  await expect.poll(() => a.peers.canCache() && b.peers.canCache()).toBe(true);
  const passed = a.peers.allPassed(6n);
  const waiting = hasEnded(passed);
  await expect.poll(async () => (await listLeases()).length).toBe(2);
  expect(waiting.isDone).toBe(false);
  b.state.followed = 6n;
  b.peers.announce(6n);
  await passed;
});

test('a change does not wait if no other process exists or all are past it', async () => {
  const a = await join(1, 5n);
  await a.peers.allPassed(6n);
  const b = await join(2, 7n);
  await expect.poll(() => b.peers.canCache()).toBe(true);
  await a.peers.allPassed(7n);
});

test('a process that left is not waited for', async () => {
  const [a, b] = [await join(1, 5n), await join(2, 5n)];
  await expect.poll(() => b.peers.canCache()).toBe(true);
  await b.leave();
  expect(b.peers.canCache()).toBe(false);
  await a.peers.allPassed(6n);
});

test('a process that died is waited for until its lease ends, and by then would not serve from its cache', async () => {
  const [a, b] = [await join(1, 5n), await join(2, 5n)];
  await expect.poll(() => b.peers.canCache()).toBe(true);
  // The process still runs, but announces nothing, because its log is unavailable.
  b.state.followed = null;
  await expect.poll(async () => (await listLeases()).length).toBe(2);
  await a.peers.allPassed(6n);
  b.state.followed = 5n;
  b.state.ms += 2_500;
  expect(b.peers.canCache()).toBe(false);
});

test('a process that was away follows the missed events before it caches again', async () => {
  const b = await join(2, 5n);
  await expect.poll(() => b.peers.canCache()).toBe(true);
  b.state.ms += 2_500;
  expect(b.peers.canCache()).toBe(false);
  // Another process made a change before this one had a lease, and after this one had read the head.
  b.state.head = 6n;
  await database.pool.query('delete from peers.apis');
  await expect.poll(async () => (await listLeases()).length).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(b.peers.canCache()).toBe(false);
  b.state.followed = 6n;
  await expect.poll(() => b.peers.canCache()).toBe(true);
});

test('a process that does not keep up with the log does not renew its lease', async () => {
  const b = await join(2, 5n);
  await expect.poll(() => b.peers.canCache()).toBe(true);
  await database.pool.query('delete from peers.apis');
  b.state.oldHead = 9n;
  b.state.ms += 2_500;
  const c = await join(3, 9n);
  await expect.poll(() => c.peers.canCache()).toBe(true);
  expect((await listLeases()).map(({ followed }) => followed)).toEqual(['9']);
  expect(b.peers.canCache()).toBe(false);
});
