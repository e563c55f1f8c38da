import { randomUUID } from 'node:crypto';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import { pause } from '@gatebook/runtime/pause';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogTail } from '../log-tail.ts';
import { silentLogger as logger } from '../testing/test-log.ts';
import { createPeers, migratePeers } from './peers.ts';

let database: TestDatabase;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  await migratePeers(database.pool);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await database.close();
});

/** Starts one process. The test sets the position up to which it has followed the log, and moves its clock. */
async function join(n: number, followed: bigint) {
  const state = { followed: followed as bigint | null, oldHead: followed, head: followed, ms: 0, renewalMs: 0 };
  const own = createListener(database.url, { name: `test listener ${n}`, logger });
  const tail = {
    add: () => undefined,
    followed: () => state.followed,
    headWithin: () => state.oldHead,
    look: async () => state.head,
    follow: async () => undefined,
  };
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const now = () => performance.now() + state.ms;
  const query = async (text: string | { name: string; text: string }, values?: unknown[]) => {
    const result = await (typeof text === 'string' ? database.pool.query(text, values) : database.pool.query(text));
    if (typeof text !== 'string' && text.name === 'peers-announce') {
      state.ms += state.renewalMs;
      state.renewalMs = 0;
    }
    return result;
  };
  const pool = new Proxy(database.pool, { get: (of, key) => (key === 'query' ? query : Reflect.get(of, key)) });
  const peers = await createPeers({ pool, listener: own, tail, id, logger, now });
  const stop = new AbortController();
  const ended = peers.follow(stop.signal);
  const leave = async () => {
    stop.abort();
    await ended;
    await own.close();
  };
  closing.push(leave);
  return { peers, state, leave };
}

const hasEnded = (promise: Promise<unknown> | null) => {
  const state = { isDone: false };
  void Promise.resolve(promise).then(() => {
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

test('leases of processes that were killed are deleted, and those of others are not', async () => {
  const add = `insert into peers.apis (id, followed, announced_at) values ($1, 1, clock_timestamp() - $2::interval)`;
  await database.pool.query(add, [randomUUID(), '2 minutes']);
  const paused = randomUUID();
  await database.pool.query(add, [paused, '30 seconds']);
  const a = await join(1, 5n);
  await expect.poll(() => a.peers.canCache()).toBe(true);
  const ids = (await listLeases()).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(ids).toContain(paused);
});

test('a change does not wait if no other process exists or all are past it', async () => {
  const a = await join(1, 5n);
  await expect.poll(() => a.peers.allPassed(6n)).toBeNull();
  const b = await join(2, 7n);
  await expect.poll(() => b.peers.canCache()).toBe(true);
  await a.peers.allPassed(7n);
  expect(a.peers.allPassed(7n)).toBeNull();
});

test('a change that others announced in time does not read their leases', async () => {
  const [a, b] = [await join(1, 5n), await join(2, 5n)];
  await expect.poll(() => a.peers.canCache() && b.peers.canCache()).toBe(true);
  for (let position = 6n; position <= 20n; position += 1n) {
    b.state.followed = position;
    b.peers.announce(position);
    await expect.poll(() => a.peers.allPassed(position), { interval: 1 }).toBeNull();
  }
});

test('a process caches only when every other process has listed it', async () => {
  const a = await join(1, 5n);
  await expect.poll(() => a.peers.allPassed(6n)).toBeNull();
  const b = await join(2, 5n);
  await expect.poll(async () => (await listLeases()).length).toBe(2);
  // The first process may not know of the second one yet.
  expect(b.peers.canCache()).toBe(false);
  const isListed = () => a.peers.allPassed(6n) !== null;
  await expect
    .poll(() => ({ isListed: isListed(), isCaching: b.peers.canCache() }), { interval: 1 })
    .toMatchObject({ isListed: true, isCaching: false });
  await expect.poll(() => b.peers.canCache()).toBe(true);
});

test('an unused lease is not renewed, and a process that is used again joins again', async () => {
  const [a, b] = [await join(1, 5n), await join(2, 5n)];
  await expect.poll(() => a.peers.canCache() && b.peers.canCache()).toBe(true);
  a.state.ms += 11_000;
  await expect.poll(() => b.peers.allPassed(6n), { timeout: 6_000 }).toBeNull();
  expect(a.peers.canCache()).toBe(false);
  await expect
    .poll(() => ({ isListed: b.peers.allPassed(6n) !== null, isCaching: a.peers.canCache() }))
    .toEqual({
      isListed: true,
      isCaching: false,
    });
  await expect.poll(a.peers.canCache).toBe(true);
});

test('a process whose list of the others is old reads it before a change counts as passed', async () => {
  const [a, b] = [await join(1, 5n), await join(2, 5n)];
  await expect.poll(() => a.peers.canCache() && b.peers.canCache()).toBe(true);
  await b.leave();
  await expect.poll(() => a.peers.allPassed(6n)).toBeNull();
  a.state.ms += 800;
  const c = await join(3, 5n);
  await expect.poll(async () => (await listLeases()).length).toBe(2);
  a.state.ms += 800;
  const waiting = hasEnded(a.peers.allPassed(6n));
  await expect.poll(async () => (await listLeases()).length).toBe(2);
  expect(waiting.isDone).toBe(false);
  c.state.followed = 6n;
  c.peers.announce(6n);
  await expect.poll(() => waiting.isDone).toBe(true);
});

test('a process that lost its connection for notifications does not cache until it has joined again', async () => {
  const [a, b] = [await join(1, 5n), await join(2, 5n)];
  await expect.poll(() => a.peers.canCache() && b.peers.canCache()).toBe(true);
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test listener 2'`,
  );
  await expect.poll(() => b.peers.canCache(), { interval: 1 }).toBe(false);
  await expect.poll(() => b.peers.canCache()).toBe(true);
});

test('a process whose lease ended while it was being renewed does not cache until it has joined again', async () => {
  const a = await join(1, 5n);
  await expect.poll(() => a.peers.canCache()).toBe(true);
  Object.assign(a.state, { ms: 1_900, renewalMs: 1_000 });
  await expect.poll(() => a.state.renewalMs).toBe(0);
  await pause(50);
  expect(a.peers.canCache()).toBe(false);
  await expect.poll(() => a.peers.canCache(), { timeout: 5_000 }).toBe(true);
});

test('a process starts although another one announces something at the same moment', async () => {
  const listen: Listener['listen'] = async (_, onNotification) => {
    onNotification('00000000-0000-4000-8000-000000000002 5 ');
    return async () => undefined;
  };
  const tail = { add: () => undefined } as unknown as LogTail;
  const own = { listen, close: async () => undefined };
  const peers = await createPeers({ pool: database.pool, listener: own, tail, id: randomUUID(), logger });
  await expect.poll(() => peers.allPassed(6n)).toBeNull();
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
