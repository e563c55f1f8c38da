import { randomBytes } from 'node:crypto';
import { catalogue } from '@gatebook/domain/catalogue';
import type { DomainEvent, Metadata } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring, type Keyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { connect } from '@gatebook/eventlog/eventstoredb/connection';
import { type Simulator, startSimulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { createEventStoreDbStore } from '@gatebook/eventlog/eventstoredb/store';
import { createMemoryEventStore } from '@gatebook/eventlog/memory/store';
import { type EventStore, NO_STREAM } from '@gatebook/eventlog/port';
import { applyPrivileges, createRoles, type DatabaseRole, roleNames, urlsAs } from '@gatebook/runtime/database-roles';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import { createLogger, type Logger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { migrateActivity } from '../activity/activity.ts';
import { migratePeers } from '../peers/peers.ts';
import { readModelPrivileges } from '../privileges.ts';
import { mainGroup, metricsGroup, type ProjectionGroup } from '../projection-groups.ts';
import { migrateReadModels } from '../projection-versions.ts';
import { createReadDb, type ReadDb } from '../read-db.ts';
import { migrateIdempotencyRecords } from '../requests/idempotency-records.ts';
import { runProjector } from '../run-projector.ts';
import { createReadModels, type ReadModels } from '../wait.ts';

export const testMetadata: Metadata = {
  projectId: 'internal',
  actor: { kind: 'system', id: null },
  requestId: 'test',
  correlationId: 'test',
  causationId: null,
  at: fixedTime,
};

export type TestLog = {
  store: EventStore;
  keyring: Keyring;
  /** Where the log lies when not in memory. */
  simulator: Simulator | null;
  /** Appends to a stream, wherever it is. */
  record(stream: string, ...events: readonly DomainEvent[]): Promise<bigint>;
};

export type TestLogPlace = 'memory' | 'eventstoredb';

/** An empty log with keys of its own: in memory, or in the simulator for EventStoreDB. */
export async function createTestLog(place: TestLogPlace = 'memory'): Promise<TestLog & { close(): Promise<void> }> {
  const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
  const codec = createCodec({ catalogue, keyring, newEventId });
  const simulator = place === 'memory' ? null : await startSimulator();
  const distant = simulator && createEventStoreDbStore({ client: connect(simulator.url), codec });
  const store = distant ?? createMemoryEventStore(codec);
  return {
    store,
    keyring,
    simulator,
    close: async () => {
      await distant?.close();
      await simulator?.close();
    },
    record: createRecord(store),
  };
}

/** Appends to streams that nobody else appends to. */
export function createRecord(store: EventStore, metadata = testMetadata): TestLog['record'] {
  const revisions = new Map<string, bigint>();
  return async (stream, ...events) => {
    const expected = revisions.get(stream) ?? NO_STREAM;
    revisions.set(stream, expected + BigInt(events.length));
    const { position } = await store.append([{ stream, expected, events }], metadata);
    return position;
  };
}

export const silentLogger: Logger = createLogger({ level: 'silent' });

export type ReadSide = TestLog & {
  database: TestDatabase;
  listener: Listener;
  readModels: ReadModels;
  db: ReadDb;
  /** Connections that act as the product's do; those of `database` may do everything. */
  pools: Readonly<Record<DatabaseRole, Pool>>;
  close(): Promise<void>;
};

/** A log whose read models follow it in a database of their own. */
export async function startReadSide(
  sets: readonly ProjectionGroup[] = [mainGroup, metricsGroup],
  place: TestLogPlace = 'memory',
): Promise<ReadSide> {
  const [database, log] = await Promise.all([testDatabase(), createTestLog(place)]);
  const { pool, url } = database;
  await Promise.all([
    migrateReadModels(pool),
    migrateActivity(pool),
    migrateIdempotencyRecords(pool),
    migratePeers(pool),
  ]);
  const pools = await openRoles(database);
  const logger = silentLogger;
  const listener = createListener(url, { name: 'test-listener', logger });
  const stop = new AbortController();
  const projectors = sets.map((set) =>
    runProjector({ store: log.store, pool: pools.projector, set, logger }, stop.signal),
  );
  const readModels = await createReadModels({ pool: pools.api, listener, sets, logger });
  await readModels.ready();
  return {
    ...log,
    database,
    listener,
    readModels,
    db: createReadDb(pools.api, readModels),
    pools,
    close: async () => {
      stop.abort();
      await Promise.all(projectors);
      await readModels.close();
      await listener.close();
      await log.close();
      await Promise.all(Object.values(pools).map((each) => each.end()));
      await database.close();
    },
  };
}

async function openRoles({ pool, url }: TestDatabase): Promise<ReadSide['pools']> {
  const names = roleNames('gatebook');
  await createRoles(pool, names);
  await applyPrivileges(pool, names, readModelPrivileges);
  const urls = urlsAs(url, names);
  const open = (role: DatabaseRole) => createPool(urls[role], { max: 10, name: `test ${role}` });
  return { api: open('api'), projector: open('projector'), worker: open('worker') };
}
