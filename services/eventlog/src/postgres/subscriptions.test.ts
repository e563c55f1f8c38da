import type { Recorded } from '@gatebook/domain/event';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { createFaultyLink, type FaultyLink } from '@gatebook/runtime/testing/faulty-link';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EventStore, NO_STREAM } from '../port.ts';
import { logTemplate } from '../testing/log-template.ts';
import { createNotesCodec, metadata, textsOf, write } from '../testing/notes.ts';
import { follow } from '../testing/races.ts';
import { createPostgresEventStore } from './store.ts';

const logger = createLogger({ level: 'silent' });

let database: TestDatabase;
let link: FaultyLink;
/** Writes without faults. */
let writing: EventStore;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  database = await testDatabase(logTemplate);
  link = await createFaultyLink(database.url);
  writing = await openLog(database.url);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await link.close();
  await database.close();
});

async function openLog(url: string, sharedListener?: Listener, onQuery = (_: string) => {}): Promise<EventStore> {
  const pool = createPool(url, { max: 4, name: 'log' });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const counted = (...args: unknown[]) => {
      const [config] = args;
      if (typeof config === 'object' && config !== null && 'name' in config) onQuery(String(config.name));
      return query(...args);
    };
    Object.assign(client, { query: counted });
  });
  const listener = sharedListener ?? createListener(url, { name: 'log', logger });
  const codec = await createNotesCodec();
  const store = await createPostgresEventStore({ pool, listener, codec });
  closers.push(async () => {
    await store.close();
    await listener.close();
    await pool.end();
  });
  return store;
}

/** A listener whose notifications are all lost. */
const deaf: Listener = { listen: async () => async () => undefined, close: async () => undefined };

const numbered = (from: number, count: number) => Array.from({ length: count }, (_, index) => `n${from + index}`);
let streams = 0;
async function append(...texts: string[]): Promise<bigint> {
  streams += 1;
  return (await writing.append([write(`note-${streams}`, NO_STREAM, ...texts)], metadata)).position;
}

/** Follows from the start until it has `count` events; `onBatch` can delay it. */
async function followSlowly(store: EventStore, count: number, onBatch: (seen: number) => unknown): Promise<Recorded[]> {
  const seen: Recorded[] = [];
  for await (const batch of store.subscribe(0n, new AbortController().signal)) {
    seen.push(...batch);
    await onBatch(seen.length);
    if (seen.length >= count) break;
  }
  return seen;
}

test('a connection that breaks at any byte of a page loses and repeats no event', async () => {
  const all = numbered(0, 2_500);
  await append(...all);
  const following = await openLog(link.url);
  // A page of 1,000 has some 250 KB: the cuts lie in its first bytes, in its middle, and in the pages after it.
  for (const bytes of [1, 200, 5_000, 100_000, 200_000, 300_000, 400_000, 550_000]) {
    const before = link.cuts();
    link.cutAfter(bytes);
    expect(textsOf(await follow(following, 0n, all.length))).toEqual(all);
    expect(link.cuts()).toBeGreaterThan(before);
  }
});

test('a subscription whose connections break after each page and while it waits sees every event once', async () => {
  await append(...numbered(0, 3_500));
  const following = await openLog(link.url);
  const seen = followSlowly(following, 3_512, (count) => {
    link.cut();
    // From here on, append one event at a time while the connection is down.
    if (count >= 3_500 && count < 3_512) void append(`n${count}`);
  });
  expect(textsOf(await seen)).toEqual(numbered(0, 3_512));
  expect(link.cuts()).toBeGreaterThan(10);
});

test('a subscription resumes from its position after the log was unavailable', async () => {
  const following = await openLog(link.url);
  const seen: string[] = [];
  const done = followSlowly(following, 6, async () => undefined).then((events) => seen.push(...textsOf(events)));
  await append('n0', 'n1');
  for (const text of ['n2', 'n3', 'n4']) {
    link.sever();
    await append(text);
    // Long enough for several tries to be rejected.
    await expect.poll(() => following.head().catch(() => 'away')).toBe('away');
    link.repair();
  }
  await append('n5');
  await done;
  expect(seen).toEqual(numbered(0, 6));
});

test('events whose notifications are lost arrive in order', async () => {
  const following = await openLog(database.url, deaf);
  let count = 0;
  const seen = followSlowly(following, 1_203, (soFar) => {
    count = soFar;
  });
  for (const [from, more] of [
    [0, 1],
    [1, 1],
    [2, 1_201],
  ] as const) {
    await append(...numbered(from, more));
    // The subscription polls once a second.
    await expect.poll(() => count).toBe(from + more);
  }
  expect(textsOf(await seen)).toEqual(numbered(0, 1_203));
});

/** Simulates a writer in another process that has written `text` without a commit, so it locks the head. */
async function writeSlowly(pool: Pool, text: string): Promise<{ commit(): Promise<void>; die(): Promise<void> }> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query(
    `select * from log.append('{1}', '{note-slow}', '{-1}', '{1}', '{note-slow}', '{0}', array[gen_random_uuid()], '{Noted}',
       '{1}', array[$1::json], '{null}', array[$2::json])`,
    [JSON.stringify({ text }), JSON.stringify(metadata)],
  );
  return {
    commit: async () => {
      await client.query('commit');
      client.release();
    },
    die: async () => client.release(true),
  };
}

test.each(['finally commits', 'dies'])('no writer overtakes a slow one that locks the head and %s', async (end) => {
  await append('first');
  const subscriptions = [await openLog(database.url), await openLog(database.url, deaf)];
  const expected = end === 'dies' ? ['first', 'a', 'b', 'c'] : ['first', 'slow', 'a', 'b', 'c'];
  const seen: number[] = [0, 0];
  const following = subscriptions.map((store, index) =>
    followSlowly(store, expected.length, (count) => {
      seen[index] = count;
    }),
  );
  const slow = await writeSlowly(database.pool, 'slow');
  let answered = 0;
  // Each is a separate process.
  const others: Promise<unknown>[] = [];
  for (const [index, text] of ['a', 'b', 'c'].entries()) {
    const store = await openLog(database.url);
    const appending = store.append([write(`note-after-${text}`, NO_STREAM, text)], metadata);
    others.push(
      appending.then(() => {
        answered += 1;
      }),
    );
    await expect.poll(countWaitingAppends).toBe(index + 1);
  }
  await expect.poll(() => seen).toEqual([1, 1]);
  expect(await writing.head()).toBe(1n);
  // By then the subscription without notifications has polled again, and must not see the waiting appends.
  await expect.poll(secondsSinceStart, { interval: 100 }).toBeGreaterThan(1);
  expect([answered, ...seen]).toEqual([0, 1, 1]);
  await (end === 'dies' ? slow.die() : slow.commit());
  await Promise.all(others);
  for (const events of await Promise.all(following)) {
    // Postgres chooses the order of the waiting appends.
    const holders = expected.length - 3;
    expect(textsOf(events).slice(0, holders)).toEqual(expected.slice(0, holders));
    expect(textsOf(events).toSorted()).toEqual(expected.toSorted());
    expect(events.map(({ position }) => position)).toEqual(expected.map((_, index) => BigInt(index + 1)));
  }
});

/** Counts appends that wait for the head. */
async function countWaitingAppends(): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>(
    `select count(*) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%log.append%'`,
  );
  return Number(rows[0]?.count);
}

/** Seconds since the slow writer started. */
async function secondsSinceStart(): Promise<number> {
  const { rows } = await database.pool.query<{ seconds: string }>(
    `select extract(epoch from clock_timestamp() - min(xact_start)) as seconds from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  );
  return Number(rows[0]?.seconds);
}

test('a slow reader that lags several pages gets every event once and delays no writer', async () => {
  await append(...numbered(0, 2_100));
  const reading = await openLog(database.url);
  let written = 2_100;
  const seen = await followSlowly(reading, 6_100, async () => {
    // Process each page only after more events than it contains have been appended.
    if (written < 6_100) {
      await append(...numbered(written, 1_000));
      written += 1_000;
    }
  });
  expect(textsOf(seen)).toEqual(numbered(0, 6_100));
});

test('own events are not read, events of other processes once for all subscriptions, and nothing while there are none', async () => {
  const queries: string[] = [];
  const store = await openLog(database.url, undefined, (name) => queries.push(name));
  const reads = () => queries.filter((name) => name.startsWith('log-follow') || name.startsWith('log-read')).length;
  const seen = Array.from({ length: 4 }, () => [] as Recorded[]);
  const stopping = new AbortController();
  const collect = async (events: Recorded[]) => {
    for await (const batch of store.subscribe(0n, stopping.signal)) events.push(...batch);
  };
  const collecting = seen.map(collect);
  const allHave = (count: number) =>
    expect.poll(() => seen.map(({ length }) => length)).toEqual([count, count, count, count]);
  // The first event may be appended before or after the reader begins.
  await append('foreign');
  await allHave(1);
  let before = reads();
  for (let n = 1; n <= 50; n += 1) {
    await store.append([write(`own-${n}`, NO_STREAM, `own ${n}`, `own ${n} again`)], metadata);
  }
  await allHave(101);
  // The poll may come in between.
  expect(reads() - before).toBeLessThanOrEqual(2);
  before = reads();
  for (let n = 1; n <= 10; n += 1) {
    await append('foreign', 'foreign again');
    await allHave(101 + 2 * n);
  }
  expect(reads() - before).toBeGreaterThanOrEqual(10);
  expect(reads() - before).toBeLessThanOrEqual(12);
  for (const events of seen) expect(events).toEqual(await store.readAll(0n, 1_000));
  stopping.abort();
  await Promise.all(collecting);
});
