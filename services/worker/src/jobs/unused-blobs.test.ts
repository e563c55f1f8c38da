import { randomBytes, randomUUID } from 'node:crypto';
import { defineEvents, type EventDefinitions } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { type EventStore, NO_STREAM } from '@gatebook/eventlog/port';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { migrateProjections } from '@gatebook/projections/projection-versions';
import { runReactor } from '@gatebook/projections/subscriptions/reactor';
import { silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createBlobKeeper } from './unused-blobs.ts';

const catalog = defineEvents({
  Pictured: {
    version: 1,
    data: z.object({ personId: z.uuid(), picture: z.string().nullable() }),
    personal: { subject: 'personId', fields: ['picture'] },
    large: ['picture'],
  },
});
const personId = randomUUID();
const write = (expected: bigint, picture: string) => ({
  stream: 'person-1',
  expected,
  events: [{ type: 'Pictured', data: { personId, picture } }],
});
const later = new Date(Date.now() + 25 * 60 * 60 * 1000).toISOString();

let database: TestDatabase;
let store: EventStore & { close(): Promise<void> };
let openStore: (events: EventDefinitions) => Promise<typeof store>;
let erase: (subjectId: string) => Promise<void>;
let close: () => Promise<void>;
const stopping = new AbortController();
beforeEach(async () => {
  database = await testDatabase();
  const { pool, url } = database;
  await migrateEventLog(pool);
  await migrateProjections(pool);
  const listener = createListener(url, { name: 'test', logger });
  const keyring = await createKeyring({
    masterKey: randomBytes(32),
    keyStore: createPostgresKeyStore(pool, listener),
  });
  const blobs = createPostgresBlobStore(pool);
  openStore = (events) =>
    createPostgresEventStore({
      pool,
      listener,
      codec: createCodec({ catalog: events, keyring, blobs, newEventId }),
    });
  store = await openStore(catalog);
  erase = keyring.erase;
  close = async () => {
    await store.close();
    await keyring.close();
    await listener.close();
    await database.close();
  };
});
afterEach(() => close());

async function countBlobs(): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>('select count(*) from log.blobs');
  return Number(rows[0]?.count);
}

test('blobs of failed appends are deleted after a day, and those that events refer to stay', async () => {
  const kept = 'k'.repeat(10_000);
  await store.append([write(NO_STREAM, kept)], testMetadata);
  // The same value again, and another value: both appends fail.
  await expect(store.append([write(NO_STREAM, kept)], testMetadata)).rejects.toThrow('revision');
  await expect(store.append([write(NO_STREAM, 'l'.repeat(10_000))], testMetadata)).rejects.toThrow('revision');
  expect(await countBlobs()).toBe(2);

  const blobs = createPostgresBlobStore(database.pool);
  const keeper = createBlobKeeper({ pool: database.pool, store, blobs });
  await keeper.removeUnused(later, stopping.signal);
  await keeper.removeUnused(later, stopping.signal);
  expect(await countBlobs(), 'nothing is deleted before the events were looked at').toBe(2);

  const running = runReactor({ store, pool: database.pool, logger }, keeper.reactor, stopping.signal);
  await expect.poll(async () => (await database.pool.query('select from log.blobs where is_used')).rowCount).toBe(1);
  const saved = 'select from readmodel.subscriptions where position > 0';
  await expect.poll(async () => (await database.pool.query(saved)).rowCount).toBe(1);
  const now = new Date().toISOString();
  const other = createBlobKeeper({ pool: database.pool, store, blobs });
  for (const _ of [1, 2]) await other.removeUnused(now, stopping.signal);
  expect(await countBlobs(), 'a younger blob may belong to an append in progress').toBe(2);
  await keeper.removeUnused(later, stopping.signal);
  await keeper.removeUnused(later, stopping.signal);
  expect(await countBlobs()).toBe(1);
  expect((await store.readStream('person-1')).events[0]?.data.picture).toBe(kept);
  stopping.abort();
  await running;
});

test('blobs of an event that the worker cannot read stay', async () => {
  await store.append([write(NO_STREAM, 'k'.repeat(10_000))], testMetadata);
  const older = await openStore({});
  const keeper = createBlobKeeper({ pool: database.pool, store, blobs: createPostgresBlobStore(database.pool) });
  const { pool } = database;
  const ending = new AbortController();
  const running = runReactor({ store: older, pool, logger }, keeper.reactor, ending.signal);
  await expect.poll(async () => (await pool.query('select from readmodel.quarantines')).rowCount).toBe(1);
  // The checkpoint passes the event.
  const passed = 'select from readmodel.subscriptions where position >= $1';
  await expect.poll(async () => (await pool.query(passed, [await store.head()])).rowCount).toBe(1);
  for (const _ of [1, 2]) await keeper.removeUnused(later, ending.signal);
  expect(await countBlobs()).toBe(1);
  ending.abort();
  await running;
  await older.close();
});

test('erasing a subject deletes its blobs, and none is stored afterwards', async () => {
  await store.append([write(NO_STREAM, 'k'.repeat(10_000))], testMetadata);
  expect(await countBlobs()).toBe(1);
  const encoded = createPostgresBlobStore(database.pool);
  await erase(personId);
  expect(await countBlobs()).toBe(0);
  await encoded.put([{ owner: personId, hash: 'late', content: Buffer.alloc(5_000), isEncrypted: true }]);
  expect(await countBlobs()).toBe(0);
  expect((await store.readStream('person-1')).events[0]?.data.picture).toBeNull();
});
