import { readFile } from 'node:fs/promises';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConcurrencyError, NO_STREAM } from '../port.ts';
import { createNotesCodec, metadata, write } from '../testing/notes.ts';
import { migrateEventLog } from './migrate.ts';
import { createPostgresEventStore } from './store.ts';

let database: TestDatabase;
let pool: Pool;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  ({ pool } = database);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await database.close();
});

async function openStore() {
  const logger = createLogger({ level: 'silent' });
  const listener = createListener(database.url, { name: 'test', logger });
  const codec = await createNotesCodec();
  const store = await createPostgresEventStore({ pool, listener, codec });
  closing.push(() => listener.close(), store.close);
  return store;
}

/** Opens a log whose partitions have ten positions each. */
async function openSmallPartitions() {
  await migrateEventLog(pool);
  await pool.query(`
    drop table log.events_0, log.events_1;
    create or replace function log.partition_size() returns bigint language sql immutable as 'select 10::bigint';
    select log.add_partition(0)`);
  return openStore();
}

const partitionCounts = async () =>
  (
    await pool.query<{ name: string; count: number }>(
      'select tableoid::regclass::text as name, count(*)::int from log.events group by 1 order by min(position)',
    )
  ).rows.map(({ name, count }) => [name, count]);

test('events are stored in partitions, which are added before they are needed', async () => {
  const store = await openSmallPartitions();
  for (let index = 0; index < 23; index += 1) {
    await store.append([write('note-long', BigInt(index - 1), `${index}`)], metadata);
  }
  await store.append([write('note-late', NO_STREAM, 'a')], metadata);
  expect(await partitionCounts()).toEqual([
    ['log.events_0', 10],
    ['log.events_1', 10],
    ['log.events_2', 4],
  ]);
  expect((await store.readAll(0n, 100)).map(({ position }) => Number(position))).toEqual(
    Array.from({ length: 24 }, (_, index) => index + 1),
  );
  expect((await store.readStream('note-long')).events.map(({ data }) => data.text)).toEqual(
    Array.from({ length: 23 }, (_, index) => `${index}`),
  );
  for (const change of ['truncate log.events_1', 'delete from log.events_0', 'update log.events_2 set type = type']) {
    await expect(pool.query(change)).rejects.toThrow('append-only');
  }
});

test('an append succeeds while a vacuum keeps the next partition from being added', async () => {
  const store = await openSmallPartitions();
  const vacuuming = await pool.connect();
  // The lock that `vacuum` takes.
  await vacuuming.query('begin; lock table log.events in share update exclusive mode');
  const texts = Array.from({ length: 8 }, (_, index) => `${index}`);
  await store.append([write('note-1', NO_STREAM, ...texts)], metadata);
  await vacuuming.query('rollback');
  vacuuming.release();
  await store.append([write('note-1', 7n, 'a')], metadata);
  await store.append([write('note-1', 8n, 'b', 'c', 'd')], metadata);
  expect(await store.head()).toBe(12n);
});

test('a log of the release before is kept, with commit times that never fall', async () => {
  const migration = (file: string) => readFile(new URL(`migrations/${file}`, import.meta.url), 'utf8');
  await pool.query('create schema log');
  for (const file of ['001-events.sql', '002-append-by-function.sql']) await pool.query(await migration(file));
  const before = `
    insert into log.events (position, stream, revision, id, type, version, data, metadata)
    select n, 'note-' || n % 2, (n - 1) / 2, gen_random_uuid(), 'Noted', 1,
      json_build_object('text', n::text, 'at', at), json_build_object('projectId', 'p' || n % 2, 'actor', '{"kind":"client","id":null}'::json)
    from unnest(array['2026-01-01T12:00:00.000Z', '2026-01-01T11:00:00.000Z', null, '2026-01-01T13:00:00.000Z'])
      with ordinality as t (at, n)`;
  await pool.query(`${before}; update log.head set position = 4`);
  const stored = 'select position, stream, revision, id, data::text, metadata::text from log.events order by position';
  const former = (await pool.query(stored)).rows;
  await pool.query(await migration('003-partitions.sql'));
  expect((await pool.query(stored)).rows).toEqual(former);
  const store = await openStore();
  await store.append([write('note-0', 1n, 'after')], metadata);
  await expect(store.append([write('note-1', 0n, 'late')], metadata)).rejects.toThrow(ConcurrencyError);
  const events = await store.readAll(0n, 10);
  expect(events.map(({ data }) => data.text)).toEqual(['1', '2', '3', '4', 'after']);
  expect(events.slice(0, 4).map(({ committedAt }) => committedAt)).toEqual([
    '2026-01-01T12:00:00.000Z',
    '2026-01-01T12:00:00.000Z',
    '2026-01-01T12:00:00.000Z',
    '2026-01-01T13:00:00.000Z',
  ]);
  const { rows } = await pool.query('select project_id from log.events order by position');
  expect(rows.map((row) => row.project_id)).toEqual(['p1', 'p0', 'p1', 'p0', 'p1']);
});

test('archived streams keep their events and their expected revisions', async () => {
  const store = await openSmallPartitions();
  await store.append([write('code-used', NO_STREAM, 'issued', 'used')], metadata);
  await store.append([write('note-1', NO_STREAM, 'a')], metadata);
  await store.append([write('code-young', NO_STREAM, 'issued')], metadata);
  await pool.query('select pg_sleep(0.002)');
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  await store.append([write('code-young', 0n, 'used')], metadata);
  const archive = async () =>
    (await pool.query('select log.archive_streams($1, 3) as more', [rows[0]?.now])).rows[0].more;
  expect([await archive(), await archive(), await archive()]).toEqual([true, true, false]);
  const heads = await pool.query('select stream from log.streams order by stream');
  expect(heads.rows.map(({ stream }) => stream)).toEqual(['code-young', 'note-1']);
  await expect(store.append([write('code-used', NO_STREAM, 'again')], metadata)).rejects.toThrow(ConcurrencyError);
  await expect(store.append([write('code-used', 0n, 'again')], metadata)).rejects.toThrow(ConcurrencyError);
  await store.append([write('code-used', 1n, 'attempted')], metadata);
  await store.append([write('code-new', NO_STREAM, 'issued')], metadata);
  expect((await store.readStream('code-used')).events.map(({ data }) => data.text)).toEqual([
    'issued',
    'used',
    'attempted',
  ]);
});

test('one of several processes begins a new epoch', async () => {
  await migrateEventLog(pool);
  const { rows } = await pool.query<{ epoch: string }>('select epoch from log.epochs');
  const begin = async () =>
    (await pool.query<{ current: string }>('select log.begin_epoch($1, 7) as current', [rows[0]?.epoch])).rows[0];
  const begun = await Promise.all([begin(), begin(), begin()]);
  expect(new Set(begun.map((row) => row?.current)).size).toBe(1);
  expect(begun[0]?.current).not.toBe(rows[0]?.epoch);
  const epochs = await pool.query('select after_position from log.epochs order by number');
  expect(epochs.rows.map(({ after_position }) => after_position)).toEqual(['0', '7']);
});
