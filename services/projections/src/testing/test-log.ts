import { randomBytes } from 'node:crypto';
import type { DomainEvent, EventDefinitions, Metadata, NewMetadata, Recorded } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring, type Keyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { connect } from '@gatebook/eventlog/eventstoredb/connection';
import { type Simulator, startSimulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { createEventStoreDbStore } from '@gatebook/eventlog/eventstoredb/store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore, createMemoryLog, type MemoryLog } from '@gatebook/eventlog/memory/store';
import { type EventStore, NO_STREAM } from '@gatebook/eventlog/port';
import { newEventId } from '@gatebook/runtime/ids';
import { createLogger, type Logger } from '@gatebook/runtime/logger';

export const testMetadata: Metadata = {
  projectId: 'internal',
  actor: { kind: 'system', id: null },
  requestId: 'test',
  correlationId: 'test',
  causationId: null,
  sessionId: null,
  basis: {},
  origin: null,
};

/** Any event, for code that only looks at parts of it. */
export const testEvent: Recorded = {
  type: 'X',
  data: {},
  id: 'e',
  stream: 'user-1',
  revision: 0n,
  position: 1n,
  committedAt: '2026-01-01T00:00:00.000Z',
  metadata: testMetadata,
};

export type TestLog = {
  store: EventStore;
  keyring: Keyring;
  /** The server of the log; null when the log is in memory. */
  simulator: Simulator | null;
  /** The stored events; null when the log is in the simulator. */
  memory: MemoryLog | null;
  /** Appends to the end of a stream. */
  record(stream: string, ...events: readonly DomainEvent[]): Promise<bigint>;
  close(): Promise<void>;
};

export type TestLogPlace = 'memory' | 'eventstoredb';

/** An empty log with its own keys: in memory, or in the EventStoreDB simulator. */
export async function createTestLog(
  catalog: EventDefinitions,
  place: TestLogPlace = 'memory',
  metadataOf?: (stream: string) => NewMetadata,
): Promise<TestLog> {
  const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
  const codec = createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  const simulator = place === 'memory' ? null : await startSimulator();
  const distant = simulator && createEventStoreDbStore({ client: connect(simulator.url), codec });
  const memory = distant === null ? createMemoryLog() : null;
  const store = distant ?? createMemoryEventStore(codec, memory ?? undefined);
  return {
    store,
    keyring,
    simulator,
    memory,
    record: createRecord(store, metadataOf),
    close: async () => {
      await distant?.close();
      await simulator?.close();
    },
  };
}

/** Appends to streams that have no other writer. */
export function createRecord(
  store: EventStore,
  metadata: NewMetadata | ((stream: string) => NewMetadata) = testMetadata,
): TestLog['record'] {
  const revisions = new Map<string, bigint>();
  return async (stream, ...events) => {
    const expected = revisions.get(stream) ?? NO_STREAM;
    revisions.set(stream, expected + BigInt(events.length));
    const { position } = await store.append(
      [{ stream, expected, events }],
      typeof metadata === 'function' ? metadata(stream) : metadata,
    );
    return position;
  };
}

export const silentLogger: Logger = createLogger({ level: 'silent' });
