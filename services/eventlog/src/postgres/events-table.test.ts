import { newEventId } from '@gatebook/runtime/ids';
import type { Listener } from '@gatebook/runtime/listener';
import { pause } from '@gatebook/runtime/pause';
import { createPool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_STREAM } from '../port.ts';
import { createNotesCodec, metadata, write } from '../testing/notes.ts';
import { follow } from '../testing/races.ts';
import { migrateEventLog } from './migrate.ts';
import { createPostgresEventStore } from './store.ts';

/** A listener whose notifications are all lost, so subscriptions must poll. */
const deafListener: Listener = { listen: async () => async () => undefined, close: async () => undefined };

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEventLog(database.pool);
});
afterAll(() => database.close());

async function openStore(pool = database.pool) {
  const codec = await createNotesCodec();
  return createPostgresEventStore({ pool, listener: deafListener, codec });
}

test.each(['update log.events set data = \'{"text":"other"}\'', 'delete from log.events', 'truncate log.events'])(
  'the database rejects a change of the log: %s',
  async (change) => {
    const store = await openStore();
    const stream = `note-${newEventId()}`;
    await store.append([write(stream, NO_STREAM, 'a')], metadata);
    await expect(database.pool.query(change)).rejects.toThrow('append-only');
    expect((await store.readStream(stream)).events.map(({ data }) => data)).toEqual([{ text: 'a' }]);
  },
);

test('a subscription finds new events without a notification', async () => {
  const [reader, writer] = [await openStore(), await openStore()];
  const following = follow(reader, await reader.head(), 1);
  await reader.readAll(0n, 1);
  await writer.append([write('note-quiet', NO_STREAM, 'a')], metadata);
  expect((await following).map(({ stream }) => stream)).toEqual(['note-quiet']);
});

test('a check of appends waits for those that have the lock', async () => {
  const store = await openStore();
  const appending = await database.pool.connect();
  await appending.query('begin');
  await appending.query("select pg_advisory_xact_lock('log.events'::regclass::int, 0)");
  expect(await store.checkAppends(50)).toBe('blocked');
  const checking = store.checkAppends(10_000);
  expect(await Promise.race([checking, pause(50).then(() => 'waits')])).toBe('waits');
  await appending.query('commit');
  appending.release();
  expect(await checking).toBe('ok');
});

test('appends are durable on a connection with synchronous_commit off', async () => {
  await database.pool.query(`
    create table commits (setting text);
    create function note_setting() returns trigger language plpgsql as $$
    begin
      insert into public.commits values (current_setting('synchronous_commit'));
      return null;
    end $$;
    create constraint trigger note_setting after insert on log.events deferrable initially deferred
      for each row execute function note_setting();
  `);
  const url = new URL(database.url);
  url.searchParams.set('options', '-c synchronous_commit=off');
  const careless = createPool(url.href, { max: 1, name: 'careless' });
  const { rows } = await careless.query('show synchronous_commit');
  expect(rows).toEqual([{ synchronous_commit: 'off' }]);
  await (await openStore(careless)).append([write('note-durable', NO_STREAM, 'a')], metadata);
  await careless.end();
  expect((await database.pool.query('select setting from commits')).rows).toEqual([{ setting: 'on' }]);
});
