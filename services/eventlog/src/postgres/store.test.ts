import { randomBytes } from 'node:crypto';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool } from '@gatebook/runtime/postgres';
import { type DatabaseTemplate, testDatabase } from '@gatebook/runtime/testing/database';
import { createCodec } from '../codec.ts';
import { describeEventStore, type LogUnderTest } from '../conformance.ts';
import { createKeyring } from '../encryption/keyring.ts';
import { createPostgresBlobStore } from './blob-store.ts';
import { createPostgresKeyStore } from './key-store.ts';
import { migrateEventLog } from './migrate.ts';
import { createPostgresSnapshotStore } from './snapshot-store.ts';
import { createPostgresEventStore } from './store.ts';

describeEventStore('postgres', createPostgresLog, { leaves: 'nothing', positions: 'without gaps' });

const logger = createLogger({ level: 'silent' });

/** An empty log with a table of streams whose appends fail. */
const breakableLog: DatabaseTemplate = {
  name: 'breakable_log',
  prepare: async ({ pool }) => {
    await migrateEventLog(pool);
    await pool.query(`
      create table broken (stream text);
      create function break_off() returns trigger language plpgsql as $$
      begin
        if exists (select from public.broken where stream = new.stream) then raise exception 'broken on purpose'; end if;
        return new;
      end $$;
      create trigger break_off before insert on log.events for each row execute function break_off();
    `);
  },
};

async function createPostgresLog(): Promise<LogUnderTest> {
  const database = await testDatabase(breakableLog);
  const masterKey = randomBytes(32);
  const closing: (() => Promise<void>)[] = [];

  const snapshots = createPostgresSnapshotStore(database.pool);
  return {
    snapshots,
    open: async (catalog) => {
      const pool = createPool(database.url, { max: 4, name: 'log' });
      const listener = createListener(database.url, { name: 'log', logger });
      const keyring = await createKeyring({ masterKey, keyStore: createPostgresKeyStore(pool, listener) });
      const codec = createCodec({ catalog, keyring, blobs: createPostgresBlobStore(pool), newEventId });
      const store = await createPostgresEventStore({ pool, listener, codec, states: { snapshots } });
      closing.push(async () => {
        await store.close();
        await keyring.close();
        await listener.close();
        await pool.end();
      });
      return { store, keyring };
    },
    listStored: async () => {
      const { rows } = await database.pool.query('select e::text as row from log.events e order by position');
      return rows.map(({ row }) => row);
    },
    breakAt: async (stream) => {
      await database.pool.query('delete from broken');
      if (stream !== null) await database.pool.query('insert into broken values ($1)', [stream]);
    },
    cutConnections: async () => {
      await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'log'`,
      );
    },
    close: async () => {
      for (const close of closing) await close();
      await database.close();
    },
  };
}
