import { randomBytes, randomUUID } from 'node:crypto';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { newEventId } from '@gatebook/runtime/ids';
import { createFaultyLink } from '@gatebook/runtime/testing/faulty-link';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import { afterAll, describe, test } from 'vitest';
import { createCodec } from '../codec.ts';
import { describeEventStore, type LogUnderTest } from '../conformance.ts';
import { createKeyring } from '../encryption/keyring.ts';
import { createMemoryKeyStore } from '../encryption/memory-key-store.ts';
import { createMemoryBlobStore } from '../large-values/blob-store.ts';
import { createMemorySnapshotStore } from '../states/snapshots.ts';
import { connect } from './connection.ts';
import { collect } from './reading.ts';
import { startSimulator } from './simulator.ts';
import { createEventStoreDbStore } from './store.ts';

const guarantees = { leaves: 'the writes before', positions: 'rising' } as const;

// Client and server share a process here, so a race takes ten times as long as with other logs.
describeEventStore('eventstoredb (simulator)', createSimulatorLog, { ...guarantees, seeds: [1] });

const serverUrl = process.env.TEST_EVENTSTORE_URL;
describe.skipIf(!serverUrl)(`a real server${serverUrl ? '' : ' (TEST_EVENTSTORE_URL is not set)'}`, () => {
  describeEventStore('eventstoredb', () => createServerLog(new URL(serverUrl ?? '')), guarantees);
});

const image = 'eventstore/eventstore:24.10';
const httpPort = 2113;
const missingRuntime = await findMissingRuntime();
describe.skipIf(missingRuntime !== null)(
  `a real server in a container${missingRuntime ? ` (${missingRuntime})` : ''}`,
  () => {
    let container: StartedTestContainer | undefined;
    afterAll(() => container?.stop());

    async function createContainerLog(): Promise<LogUnderTest> {
      container ??= await new GenericContainer(image)
        .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_MEM_DB: 'true' })
        .withExposedPorts(httpPort)
        .withWaitStrategy(Wait.forHttp('/health/live', httpPort).forStatusCodeMatching((code) => code < 300))
        .withStartupTimeout(120_000)
        .start();
      const port = container.getMappedPort(httpPort);
      return createServerLog(new URL(`esdb://${container.getHost()}:${port}?tls=false`));
    }

    test('the container starts', async () => {
      await (await createContainerLog()).close();
    });
    describeEventStore('eventstoredb', createContainerLog, guarantees);
  },
);

/**
 * The reason why containers cannot run here, or null if they can. With `REQUIRE_CONTAINERS`, the tests fail instead of
 * being skipped.
 */
async function findMissingRuntime(): Promise<string | null> {
  if (process.env.REQUIRE_CONTAINERS) return null;
  try {
    await getContainerRuntimeClient();
    return null;
  } catch {
    return 'no container runtime responds';
  }
}

/** Opens stores on one log, each with a separate client, like separate processes. */
function createOpener(connectClient: () => EventStoreDBClient, streamPrefix = '') {
  const masterKey = randomBytes(32);
  const keyStore = createMemoryKeyStore();
  const blobs = createMemoryBlobStore();
  const snapshots = createMemorySnapshotStore();
  const closing: (() => Promise<void>)[] = [];
  return {
    snapshots,
    open: async (catalog: Parameters<LogUnderTest['open']>[0]) => {
      const keyring = await createKeyring({ masterKey, keyStore });
      const codec = createCodec({ catalog, keyring, blobs, newEventId });
      const store = createEventStoreDbStore({ client: connectClient(), codec, streamPrefix, states: { snapshots } });
      closing.push(store.close);
      return { store, keyring };
    },
    closeAll: () => Promise.all(closing.map((close) => close())),
  };
}

async function createSimulatorLog(): Promise<LogUnderTest> {
  const simulator = await startSimulator();
  const { open, snapshots, closeAll } = createOpener(() => connect(simulator.url));
  return {
    open,
    snapshots,
    listStored: async () =>
      simulator
        .events()
        .filter(({ type }) => !type.startsWith('$'))
        .map(({ position, stream, data, metadata }) => `${position} ${stream} ${data} ${metadata}`),
    breakAt: async (stream) => simulator.rejectAppendsTo(stream),
    cutConnections: async () => simulator.dropConnections(),
    close: async () => {
      await closeAll();
      await simulator.close();
    },
  };
}

/** Opens a log on a real server: a stream prefix separates it, and a faulty link can break its connections. */
async function createServerLog(url: URL): Promise<LogUnderTest> {
  url.port ||= String(httpPort);
  const link = await createFaultyLink(url.href);
  const streamPrefix = `conformance_${randomUUID()}_`;
  let brokenStream: string | null = null;
  const direct = connect(url.href);

  function connectBreakable(): EventStoreDBClient {
    const client = connect(link.url);
    const append = client.appendToStream.bind(client);
    Object.defineProperty(client, 'appendToStream', {
      value: async (stream: string, ...rest: [never, never]) => {
        if (stream === `${streamPrefix}${brokenStream}`) throw new Error('broken on purpose');
        return append(stream, ...rest);
      },
    });
    return client;
  }

  const { open, snapshots, closeAll } = createOpener(connectBreakable, streamPrefix);
  return {
    open,
    snapshots,
    listStored: async () => {
      const all = await collect(direct.readAll());
      const own = all.flatMap(({ event }) => (event?.streamId.startsWith(streamPrefix) ? [event] : []));
      return own.map(({ streamId, id, revision, data, metadata }) =>
        JSON.stringify([streamId, id, String(revision), data, metadata]),
      );
    },
    breakAt: async (stream) => {
      brokenStream = stream;
    },
    cutConnections: async () => link.cut(),
    close: async () => {
      await closeAll();
      await direct.dispose();
      await link.close();
    },
  };
}
