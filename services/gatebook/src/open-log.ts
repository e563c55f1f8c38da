import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { openKeys } from '@gatebook/eventlog/encryption/installation-key';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import { createLogWatch } from '@gatebook/eventlog/log-watch';
import type { EventStore } from '@gatebook/eventlog/port';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresEpochs, epochChannel } from '@gatebook/eventlog/postgres/epochs';
import { createPostgresInstallationKeyStore, createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createPostgresSnapshotStore } from '@gatebook/eventlog/postgres/snapshot-store';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { newEventId } from '@gatebook/runtime/ids';
import { type Instruments, noInstruments } from '@gatebook/runtime/instruments';
import { createListener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import type { Shutdown } from '@gatebook/runtime/shutdown';
import { StartError } from './embedded/data-folder.ts';
import { measureAppends } from './observability/measure-appends.ts';

export type LogSettings = {
  databaseUrl: string;
  /** `url`: connection string of EventStoreDB; null if the log is in the database. */
  eventStore?: { url: string | null; streamPrefix: string };
  /** A source of master keys, or one fixed key. */
  masterKey: Buffer | MasterKeySource;
  logger: Logger;
  /** Gets a step for everything that is opened. */
  shutdown: Shutdown;
  /** Whether the process answers requests. Then timeouts of the database limit its queries. */
  isForRequests?: boolean;
  /** Whether an operator opens it, who can rebuild read models that are ahead of the log. */
  isForOperator?: boolean;
  instruments?: Pick<Instruments, 'appended' | 'batchCommitted' | 'trace'>;
};

const connections = 20;
/** Separate connections for the log, so that an append never waits for queries. */
const logConnections = 6;

/**
 * Opens the log and its keys on a prepared database (`prepareDatabase`), without subscriptions. Keys, read models and
 * queues are in the database; so is the log, unless EventStoreDB has it. @throws StartError when the database belongs
 * to another log
 */
export async function openLog(settings: LogSettings) {
  const {
    databaseUrl,
    eventStore,
    masterKey,
    logger,
    shutdown,
    isForRequests = false,
    isForOperator = false,
  } = settings;
  const { url: eventStoreUrl, streamPrefix } = eventStore ?? { url: null, streamPrefix: '' };
  const { instruments = noInstruments } = settings;
  const pool = createPool(databaseUrl, { max: connections, name: 'gatebook', isForLongWork: !isForRequests });
  shutdown.add('pool', () => pool.end());

  const listener = createListener(databaseUrl, { name: 'gatebook listener', logger });
  shutdown.add('listener', () => listener.close());
  const source = Buffer.isBuffer(masterKey) ? async () => [masterKey] : masterKey;
  const keys = await openKeys(source, createPostgresInstallationKeyStore(pool, listener));
  shutdown.add('master keys', () => keys.close());
  const keyring = await createKeyring({ masterKey: keys.master, keyStore: createPostgresKeyStore(pool, listener) });
  shutdown.add('keyring', () => keyring.close());
  const codec = createCodec({ catalog, keyring, blobs: createPostgresBlobStore(pool), newEventId });

  const states = {
    snapshots: createPostgresSnapshotStore(pool),
    onSnapshotError: (err: unknown) => logger.warn({ err }, 'could not save a snapshot'),
  };

  async function openStore(): Promise<EventStore> {
    if (eventStoreUrl !== null) {
      // Imported here because it loads gRPC, which a log in Postgres does not need.
      const [{ connect, describeMisconfiguration }, { createEventStoreDbStore }] = await Promise.all([
        import('@gatebook/eventlog/eventstoredb/connection'),
        import('@gatebook/eventlog/eventstoredb/store'),
      ]);
      try {
        const onForeignEvent = (event: object) =>
          logger.warn(event, 'skipped events of another program in EventStoreDB');
        const client = connect(eventStoreUrl);
        const store = createEventStoreDbStore({ client, codec, streamPrefix, onForeignEvent, states });
        shutdown.add('log', () => store.close());
        await store.head();
        return store;
      } catch (error) {
        const sentence = describeMisconfiguration(error);
        throw sentence === null ? error : new StartError(sentence, { cause: error });
      }
    }
    const logPool = createPool(databaseUrl, { max: logConnections, name: 'gatebook log', isForLongWork: true });
    shutdown.add('log pool', () => logPool.end());
    const store = await createPostgresEventStore({
      pool: logPool,
      listener,
      codec,
      onBatch: instruments.batchCommitted,
      states,
    });
    shutdown.add('log', () => store.close());
    return store;
  }

  const watch = createLogWatch({
    store: measureAppends(await openStore(), instruments),
    epochs: createPostgresEpochs(pool),
    logger,
  });
  const { store } = watch;
  await rejectOtherLog(pool, store, { eventStoreUrl, isForOperator });
  const logAdapter = eventStoreUrl === null ? 'postgres' : 'eventstoredb';
  return { pool, listener, keys, keyring, store, watch, logAdapter };
}

/** Looks for lost events of the log until shutdown, and at once when another process has found some. */
export async function startWatch(
  { watch, listener }: Pick<Log, 'watch' | 'listener'>,
  { shutdown }: Pick<LogSettings, 'shutdown'>,
): Promise<void> {
  const look = () => void watch.look().catch(() => undefined);
  const stopListening = await listener.listen(epochChannel, look, look);
  await watch.look();
  const stopping = new AbortController();
  const ended = watch.follow(stopping.signal);
  shutdown.add('log watch', async () => {
    stopping.abort();
    await Promise.all([ended, stopListening()]);
  });
}

export type Log = Awaited<ReturnType<typeof openLog>>;

/** Rejects a log that does not belong to the read models and keys of this database. */
async function rejectOtherLog(
  pool: Pool,
  store: EventStore,
  { eventStoreUrl, isForOperator }: { eventStoreUrl: string | null; isForOperator: boolean },
): Promise<void> {
  const { rows } = await pool.query<{ in_database: string; projected: string }>(
    `select (select coalesce(max(position), 0) from log.events) as in_database,
      coalesce((select max(s.position) from readmodel.projection_shards s
         join readmodel.projection_versions v on v.id = s.version_id where v.status <> 'previous'), 0) as projected`,
  );
  const [inDatabase, projected] = [BigInt(rows[0]?.in_database ?? 0), BigInt(rows[0]?.projected ?? 0)];
  if (eventStoreUrl !== null && inDatabase > 0n) {
    throw new StartError(
      'The log of this Gatebook is in its database: unset GATEBOOK_EVENTSTORE_URL or use another database.',
    );
  }
  if (projected === 0n) return;
  const head = await store.head();
  if (eventStoreUrl === null && head === 0n) {
    throw new StartError(
      'The log of this Gatebook is in EventStoreDB: set GATEBOOK_EVENTSTORE_URL or use another database.',
    );
  }
  if (eventStoreUrl !== null && projected > head && !isForOperator) {
    throw new StartError(
      'The read models are ahead of the log at GATEBOOK_EVENTSTORE_URL: it is another log, or it was restored from a backup. ' +
        'If it is the right log, run "gatebook projections rebuild main --promote", and the same for metrics.',
    );
  }
}
