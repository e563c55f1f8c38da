import { catalogue } from '@gatebook/domain/catalogue';
import { createCodec } from '@gatebook/eventlog/codec';
import { openKeys } from '@gatebook/eventlog/encryption/installation-key';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { EventStore } from '@gatebook/eventlog/port';
import { createPostgresInstallationKeyStore, createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import type { Shutdown } from '@gatebook/runtime/shutdown';
import { StartError } from './embedded/data-folder.ts';

export type LogSettings = {
  databaseUrl: string;
  /** Where the log lies when not in the database: a connection string of EventStoreDB. */
  eventStoreUrl?: string | null;
  /** Where the master keys are read from, or one that stays the same. */
  masterKey: Buffer | MasterKeySource;
  logger: Logger;
  /** Gets a step for each thing that is started. */
  shutdown: Shutdown;
};

const connections = 20;
/** The log's own, so that an append never waits behind queries. */
const logConnections = 6;

/**
 * The log with its keys, on a database that has been prepared (`prepareDatabase`); nothing follows it yet. Keys, read models and queues lie in the database, the log
 * too unless EventStoreDB has it. @throws StartError when the database belongs to another log
 */
export async function openLog({ databaseUrl, eventStoreUrl = null, masterKey, logger, shutdown }: LogSettings) {
  const pool = createPool(databaseUrl, { max: connections, name: 'gatebook' });
  shutdown.add('pool', () => pool.end());

  const listener = createListener(databaseUrl, { name: 'gatebook listener', logger });
  shutdown.add('listener', () => listener.close());
  const source = Buffer.isBuffer(masterKey) ? async () => [masterKey] : masterKey;
  const keys = await openKeys(source, createPostgresInstallationKeyStore(pool, listener));
  shutdown.add('master keys', () => keys.close());
  const keyring = await createKeyring({ masterKey: keys.master, keyStore: createPostgresKeyStore(pool, listener) });
  shutdown.add('keyring', () => keyring.close());
  const codec = createCodec({ catalogue, keyring, newEventId });

  async function openStore(): Promise<EventStore> {
    if (eventStoreUrl !== null) {
      // Loaded late: it brings gRPC along, which a log in Postgres does without.
      const [{ connect }, { createEventStoreDbStore }] = await Promise.all([
        import('@gatebook/eventlog/eventstoredb/connection'),
        import('@gatebook/eventlog/eventstoredb/store'),
      ]);
      const store = createEventStoreDbStore({ client: connect(eventStoreUrl), codec });
      shutdown.add('log', () => store.close());
      return store;
    }
    const logPool = createPool(databaseUrl, { max: logConnections, name: 'gatebook log' });
    shutdown.add('log pool', () => logPool.end());
    const store = await createPostgresEventStore({ pool: logPool, listener, codec });
    shutdown.add('log', () => store.close());
    return store;
  }

  const store = await openStore();
  await rejectOtherLog(pool, store, eventStoreUrl);
  const logAdapter = eventStoreUrl === null ? 'postgres' : 'eventstoredb';
  return { pool, listener, keys, keyring, store, logAdapter };
}

export type Log = Awaited<ReturnType<typeof openLog>>;

/** Read models and keys of one log beside another would be wrong without a word. */
async function rejectOtherLog(pool: Pool, store: EventStore, eventStoreUrl: string | null): Promise<void> {
  const { rows } = await pool.query<{ in_database: string; projected: string }>(
    `select (select position from log.head) as in_database,
      coalesce((select max(position) from readmodel.projection_versions), 0) as projected`,
  );
  const [inDatabase, projected] = [BigInt(rows[0]?.in_database ?? 0), BigInt(rows[0]?.projected ?? 0)];
  if (eventStoreUrl !== null && inDatabase > 0n) {
    throw new StartError(
      'The log of this Gatebook lies in its database: take GATEBOOK_EVENTSTORE_URL away, or use another database.',
    );
  }
  if (projected === 0n) return;
  const head = await store.head();
  if (eventStoreUrl === null && head === 0n) {
    throw new StartError(
      'The log of this Gatebook lies in EventStoreDB: set GATEBOOK_EVENTSTORE_URL, or use another database.',
    );
  }
  if (eventStoreUrl !== null && projected > head) {
    throw new StartError(
      'The log at GATEBOOK_EVENTSTORE_URL ends before what the read models have of it: it is another one, or was restored from a ' +
        'backup. If it is right, drop the schema readmodel of the database, so that they are built anew.',
    );
  }
}
