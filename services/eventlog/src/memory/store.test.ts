import { randomBytes } from 'node:crypto';
import { newEventId } from '@gatebook/runtime/ids';
import { type Codec, createCodec } from '../codec.ts';
import { describeEventStore, type LogUnderTest } from '../conformance.ts';
import { createKeyring } from '../encryption/keyring.ts';
import { createMemoryKeyStore } from '../encryption/memory-key-store.ts';
import { createMemoryBlobStore } from '../large-values/blob-store.ts';
import { createMemorySnapshotStore } from '../states/snapshots.ts';
import { createMemoryEventStore, createMemoryLog } from './store.ts';

describeEventStore('memory', createTestLog, { leaves: 'nothing', positions: 'without gaps' });

async function createTestLog(): Promise<LogUnderTest> {
  const log = createMemoryLog();
  const keyStore = createMemoryKeyStore();
  const blobs = createMemoryBlobStore();
  const snapshots = createMemorySnapshotStore();
  const masterKey = randomBytes(32);
  let brokenStream: string | null = null;

  const breaking = (codec: Codec): Codec => ({
    ...codec,
    encode: async (writes, metadata) =>
      (await codec.encode(writes, metadata)).map((write) => ({
        ...write,
        get events() {
          if (write.stream === brokenStream) throw new Error('broken on purpose');
          return write.events;
        },
      })),
  });

  return {
    snapshots,
    open: async (catalog) => {
      const keyring = await createKeyring({ masterKey, keyStore });
      const codec = breaking(createCodec({ catalog, keyring, blobs, newEventId }));
      return { store: createMemoryEventStore(codec, log, { snapshots }), keyring };
    },
    listStored: async () =>
      log.records.map(({ revision, position, ...event }) => `${position} ${revision} ${JSON.stringify(event)}`),
    breakAt: async (stream) => {
      brokenStream = stream;
    },
    cutConnections: async () => undefined,
    close: async () => undefined,
  };
}
