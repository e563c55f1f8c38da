import { randomBytes } from 'node:crypto';
import { catalog } from '@gatebook/domain/catalog';
import { userDecider } from '@gatebook/domain/user/decide';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore, createMemoryLog } from '@gatebook/eventlog/memory/store';
import type { EventStore } from '@gatebook/eventlog/port';
import { createMemorySnapshotStore } from '@gatebook/eventlog/states/snapshots';
import { newEventId } from '@gatebook/runtime/ids';
import { describe, expect, test } from 'vitest';
import { execute, readState, transact } from './execute.ts';
import { streamOf } from './streams.ts';
import { testProject } from './testing/people.ts';
import { contextOf, createWorld, expectRejection } from './testing/world.ts';
import { createUser } from './user/create-user.ts';

const ctx = contextOf('shop');

/** A log in memory that several processes share. `decoded`: events that the process has decoded since the last call. */
function createSharedLog() {
  const [masterKey, keyStore, blobs] = [randomBytes(32), createMemoryKeyStore(), createMemoryBlobStore()];
  const [log, snapshots] = [createMemoryLog(), createMemorySnapshotStore()];

  async function openProcess() {
    const keyring = await createKeyring({ masterKey, keyStore });
    const codec = createCodec({ catalog, keyring, blobs, newEventId });
    const counts = { decoded: 0, lookups: 0 };
    const store = createMemoryEventStore(
      {
        ...codec,
        startFold: (known) => {
          const fold = codec.startFold(known);
          return {
            ...fold,
            decode: (records) => {
              counts.decoded += records.length;
              return fold.decode(records);
            },
          };
        },
      },
      log,
      { snapshots },
    );
    const counting: EventStore = {
      ...store,
      revisionsOf: (streams) => {
        counts.lookups += 1;
        return store.revisionsOf(streams);
      },
    };
    const { deps } = await createWorld({ store: counting, keyring });
    return { deps, counts, idle: store.idle };
  }
  return { openProcess };
}

async function withTwoProcesses() {
  const { openProcess } = createSharedLog();
  const [here, other] = [await openProcess(), await openProcess()];
  const { userId } = await createUser(here.deps, ctx, { project: testProject, displayName: 'Ann' });
  const stream = streamOf.user(userId);
  for (const { deps } of [here, other]) await readState(deps.store, userDecider, stream);
  const rename = ({ deps }: typeof here, displayName: string) =>
    execute(deps, ctx, userDecider, stream, { type: 'RenameUser', displayName, at: deps.now() });
  return { here, other, stream, userId, rename };
}

describe('a command on a remembered state', () => {
  test('reads nothing and looks nothing up', async () => {
    const { here, rename } = await withTwoProcesses();
    Object.assign(here.counts, { decoded: 0, lookups: 0 });
    for (const name of ['Bea', 'Cleo', 'Dora']) await rename(here, name);
    expect(here.counts).toEqual({ decoded: 0, lookups: 0 });
  });

  test('is decided again when another process has changed the stream', async () => {
    const { here, other, stream, rename } = await withTwoProcesses();
    await rename(other, 'Bea');
    const { position } = await rename(here, 'Cleo');
    expect(position).toBe(await here.deps.store.head());
    const { events } = await here.deps.store.readStream(stream);
    expect(events.map(({ data }) => data.displayName).slice(-2)).toEqual(['Bea', 'Cleo']);
  });

  test('is not a no-op for what the stream was before', async () => {
    const { here, other, stream } = await withTwoProcesses();
    const change = ({ deps }: typeof here, isEnabled: boolean) =>
      execute(deps, ctx, userDecider, stream, { type: 'ChangeOtpAuth', isEnabled, isMethodOn: true, at: deps.now() });
    expect((await change(here, false)).position).toBeNull();
    await change(other, true);
    expect((await change(here, false)).position).toBe(await here.deps.store.head());
  });

  test('is not rejected for what the stream was before', async () => {
    const { here, other, stream } = await withTwoProcesses();
    const run = ({ deps }: typeof here, command: Parameters<typeof userDecider.decide>[0]) =>
      execute(deps, ctx, userDecider, stream, command);
    const at = here.deps.now();
    const change = {
      type: 'UpdatePassword',
      oldPasswordMatches: true,
      passwordHash: 'y',
      keptSessionId: null,
      at,
    } as const;
    await expectRejection(run(here, change), 'USER_DOES_NOT_HAVE_PASSWORD');
    await run(other, { type: 'SetPassword', passwordHash: 'x', at });
    expect((await run(here, change)).position).toBe(await here.deps.store.head());
  });

  test('is not decided on what another stream was before, although it writes only its own', async () => {
    const { here, other, stream, rename } = await withTwoProcesses();
    const userId = here.deps.newId();
    const copyName = () =>
      transact(here.deps, ctx, async (work) => {
        const ann = await work.load(userDecider, stream);
        const name = ann.state.status === 'active' ? ann.state.displayName : null;
        const copy = work.create(userDecider, streamOf.user(userId));
        copy.decide({ type: 'ExpireReservation', kind: 'email', userId, at: here.deps.now() });
        return name;
      });
    await rename(other, 'Bea');
    expect((await copyName()).result).toBe('Bea');
    const [copied] = await here.deps.store.readBack(null, 1);
    expect(copied?.metadata.basis).toEqual({ [stream]: 1 });
  });

  test('is not decided on two states of a stream, although it writes after the newer one', async () => {
    const { here, stream, rename } = await withTwoProcesses();
    let isRenamed = false;
    const { result } = await transact(here.deps, ctx, async (work) => {
      const { state } = await work.load(userDecider, stream);
      const name = state.status === 'active' ? state.displayName : null;
      if (!isRenamed) await rename(here, 'Bea');
      isRenamed = true;
      const ann = await work.load(userDecider, stream);
      ann.decide({ type: 'RenameUser', displayName: `not ${name}`, at: here.deps.now() });
      return name;
    });
    expect(result).toBe('Bea');
  });

  test('reads only what is new after a conflict', async () => {
    const { here, other, rename } = await withTwoProcesses();
    await rename(other, 'Bea');
    here.counts.decoded = 0;
    await rename(here, 'Cleo');
    expect(here.counts.decoded).toBe(1);
  });
});

describe('a command on a long stream', () => {
  /** Events decoded by a rename in a new process, and by the next rename. */
  async function costOf(events: number) {
    const { openProcess } = createSharedLog();
    const writer = await openProcess();
    const { userId } = await createUser(writer.deps, ctx, { project: testProject, displayName: 'Ann' });
    const stream = streamOf.user(userId);
    for (let revision = 1; revision < events; revision += 1) {
      const command = { type: 'RenameUser', displayName: `Ann ${revision}`, at: writer.deps.now() } as const;
      await execute(writer.deps, ctx, userDecider, stream, command);
    }
    await writer.idle();
    const { deps, counts } = await openProcess();
    const rename = (displayName: string) =>
      execute(deps, ctx, userDecider, stream, { type: 'RenameUser', displayName, at: deps.now() });
    await rename('cold');
    const cold = counts.decoded;
    await rename('warm');
    return { cold, warm: counts.decoded - cold };
  }

  test('decodes in a new process what came after the snapshot, and then nothing', async () => {
    expect(await costOf(5)).toEqual({ cold: 5, warm: 0 });
    const long = await costOf(5_000);
    expect(long.warm).toBe(0);
    expect(long.cold).toBeLessThan(50);
  });
});
