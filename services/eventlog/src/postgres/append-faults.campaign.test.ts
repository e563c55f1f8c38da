import type { Recorded } from '@gatebook/domain/event';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { countFault } from '@gatebook/runtime/testing/injected-faults';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConcurrencyError, type EventStore, NO_STREAM } from '../port.ts';
import { createNotesCodec, metadata, textsOf, write } from '../testing/notes.ts';
import { createRandom } from '../testing/races.ts';
import { migrateEventLog } from './migrate.ts';
import { createPostgresEventStore } from './store.ts';

const writers = sized({ inTest: 8, inCampaign: 40 });
const appendsPerWriter = sized({ inTest: 5, inCampaign: 65 });
const sharedStreams = 200;
/** Fewer than the attempts of an append and of a read. */
const maxFaultsInARow = 3;

let database: TestDatabase;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  closers.push(() => database.close());
  await migrateEventLog(database.pool);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A pool whose connections break before a statement reaches the server, or after it was executed. */
function createFailingPool(random: () => number): { pool: Pool; faults: () => number } {
  let [faults, inARow] = [0, 0];
  const breaking = async (execute: () => Promise<unknown>): Promise<unknown> => {
    const isFaulty = inARow < maxFaultsInARow && random() < 0.6;
    inARow = isFaulty ? inARow + 1 : 0;
    if (!isFaulty) return execute();
    faults += 1;
    countFault();
    if (random() < 0.5) await execute();
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  };
  const connect = async () => {
    const client = await database.pool.connect();
    const query = (...args: unknown[]) =>
      breaking(() => (client.query as (...all: unknown[]) => Promise<unknown>)(...args));
    return Object.assign(Object.create(client) as PoolClient, { query, release: () => client.release() });
  };
  const query = (...args: unknown[]) =>
    breaking(() => (database.pool.query as (...all: unknown[]) => Promise<unknown>).apply(database.pool, args));
  return { pool: Object.assign(Object.create(database.pool) as Pool, { connect, query }), faults: () => faults };
}

/** Appends to its own stream and, as counters do, to streams that all writers share. @returns acknowledged texts */
async function appendNotes(store: EventStore, writer: number, random: () => number): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let nth = 0; nth < appendsPerWriter; nth += 1) {
    const shared = `note-shared${Math.floor(random() * sharedStreams)}`;
    const text = `${writer}.${nth}`;
    for (;;) {
      const { revision } = await store.readStream(shared);
      const own = write(`note-${writer}`, nth === 0 ? NO_STREAM : BigInt(nth - 1), text);
      try {
        await store.append([own, write(shared, revision, `${text} shared`)], metadata);
        break;
      } catch (error) {
        if (!(error instanceof ConcurrencyError)) throw error;
      }
    }
    acknowledged.push(text, `${text} shared`);
  }
  return acknowledged;
}

test('appends and reads over connections that keep breaking lose, skip and double no event', async () => {
  const listener = createListener(database.url, { name: 'faults', logger: createLogger({ level: 'silent' }) });
  closers.push(() => listener.close());
  const codec = await createNotesCodec();
  const failing: ReturnType<typeof createFailingPool>[] = [];
  const open = async (seed: number) => {
    const one = createFailingPool(createRandom(seed));
    failing.push(one);
    const store = await createPostgresEventStore({ pool: one.pool, listener, codec });
    closers.push(() => store.close());
    return store;
  };
  const reader = await open(0);
  const stores = await Promise.all(Array.from({ length: writers }, (_, nth) => open(nth + 1)));
  const expected = writers * appendsPerWriter * 2;
  const [seen, stop] = [[] as Recorded[], new AbortController()];
  const following = (async () => {
    for await (const batch of reader.subscribe(0n, stop.signal)) seen.push(...batch);
  })();
  const acknowledged = (
    await Promise.all(stores.map((store, writer) => appendNotes(store, writer, createRandom(1_000 + writer))))
  ).flat();
  await expect.poll(() => seen.at(-1)?.position).toBe(BigInt(expected));
  stop.abort();
  await following;

  expect(acknowledged).toHaveLength(expected);
  expect(textsOf(seen).toSorted()).toEqual(acknowledged.toSorted());
  expect(seen.map(({ position }) => position)).toEqual(Array.from({ length: expected }, (_, nth) => BigInt(nth + 1)));
  const revisions = Map.groupBy(seen, ({ stream }) => stream);
  for (const events of revisions.values())
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, nth) => BigInt(nth)));
  const faults = failing.reduce((sum, one) => sum + one.faults(), 0);
  expect(faults).toBeGreaterThan(writers * appendsPerWriter);
});
