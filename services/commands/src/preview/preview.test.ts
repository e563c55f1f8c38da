import { userDecider } from '@gatebook/domain/user/decide';
import { ConcurrencyError, type EventStore, NO_STREAM } from '@gatebook/eventlog/port';
import { describe, expect, test } from 'vitest';
import { execute, readState } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { testProject as project } from '../testing/people.ts';
import { contextOf, createWorld } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { updateUser } from '../user/update-user.ts';
import { expectBasis } from './expected-basis.ts';
import { createPreviewStore } from './preview-store.ts';
import type { ReadRevisions } from './read-revisions.ts';

const ctx = contextOf('shop');

async function withAnn() {
  const world = await createWorld();
  const { deps } = world;
  const { userId } = await createUser(deps, ctx, { project, displayName: 'Ann' });
  const preview = () =>
    createPreviewStore(deps.store, { newId: deps.newId, now: deps.now, isGenerated: () => false, known: new Map() });
  const rename = (displayName: string, store: EventStore = deps.store) =>
    updateUser({ ...deps, store }, ctx, { userId, project, displayName });
  return { ...world, userId, stream: streamOf.user(userId), preview, rename };
}

describe('a preview', () => {
  test('shows its own appends to later reads, and leaves the log as it is', async () => {
    const { deps, stream, preview, rename } = await withAnn();
    const head = await deps.store.head();
    const { store, result } = preview();
    await rename('Bob', store);
    const { state, revision } = await readState(store, userDecider, stream);
    expect(state).toMatchObject({ displayName: 'Bob' });
    await rename('Eve', store);
    const { events } = await store.readStream(stream);
    expect(events.map(({ type }) => type)).toEqual(['UserCreated', 'UserRenamed', 'UserRenamed']);
    expect(await store.revisionsOf([stream])).toEqual(new Map([[stream, revision + 1n]]));
    const pages = [];
    for await (const page of store.readStreamPages(stream)) pages.push(...page);
    expect(pages).toEqual(events);
    expect(result().writes.map(({ events: [event] }) => event?.data.displayName)).toEqual(['Bob', 'Eve']);
    expect(await deps.store.head()).toBe(head);
    expect((await deps.store.readStream(stream)).revision).toBe(0n);
  });

  test('stands on what it read before its first append', async () => {
    const { stream, preview, rename } = await withAnn();
    const { store, result } = preview();
    await rename('Bob', store);
    await store.readStream('team-other');
    expect([...result().basis]).toContainEqual([stream, 0n]);
    expect([...result().basis.keys()]).not.toContain('team-other');
  });

  test('conflicts with itself and with others, as an append would', async () => {
    const { stream, preview, rename } = await withAnn();
    const { store } = preview();
    const write = { stream, expected: NO_STREAM, events: [] };
    const metadata = { projectId: 'shop', actor: ctx.actor, requestId: 'r', correlationId: 'r', causationId: null };
    await expect(store.append([write], metadata)).rejects.toThrow(ConcurrencyError);
    await rename('Bob', store);
    await expect(store.append([{ ...write, expected: 0n }], metadata)).rejects.toThrow(ConcurrencyError);
  });
});

describe('an expected basis', () => {
  const rejected = new Error('outdated');
  const expecting = (log: EventStore, expected: ReadRevisions, known: ReadRevisions = new Map()) => {
    const streams: string[][] = [];
    const differing = (reads: ReadRevisions) => [...reads.keys()].filter((one) => expected.get(one) !== reads.get(one));
    const basis = expectBasis(log, {
      findChanged: (reads) => (differing(reads).length > 0 ? differing(reads) : null),
      rejectOutdated: (changed) => {
        streams.push([...changed]);
        throw rejected;
      },
      isGenerated: () => false,
      known,
    });
    return { ...basis, streams };
  };

  test('lets a write through that stands on it', async () => {
    const { deps, stream, rename } = await withAnn();
    const { store, check } = expecting(deps.store, new Map([[stream, 0n]]));
    await rename('Bob', store);
    expect(check()).toBeUndefined();
    expect((await deps.store.readStream(stream)).revision).toBe(1n);
  });

  test('rejects a write that stands on another', async () => {
    const { deps, stream, rename } = await withAnn();
    await rename('Eve');
    const { store, streams } = expecting(deps.store, new Map([[stream, 0n]]));
    await expect(rename('Bob', store)).rejects.toBe(rejected);
    expect(streams).toEqual([[stream]]);
    expect((await deps.store.readStream(stream)).revision).toBe(1n);
  });

  test('is checked in the append itself, also for streams that are only read', async () => {
    const { deps, stream } = await withAnn();
    const { userId: other } = await createUser(deps, ctx, { project, displayName: 'Other' });
    const read = streamOf.user(other);
    const interfering: EventStore = {
      ...deps.store,
      append: async (...call) => {
        await updateUser(deps, ctx, { userId: other, project, displayName: 'Changed' });
        return deps.store.append(...call);
      },
    };
    const { store, streams } = expecting(
      interfering,
      new Map([
        [stream, 0n],
        [read, 0n],
      ]),
    );
    await store.readStream(read);
    const command = { type: 'RenameUser', displayName: 'Bob', at: deps.now() } as const;
    await expect(execute({ ...deps, store }, ctx, userDecider, stream, command)).rejects.toBe(rejected);
    expect(streams).toEqual([[read]]);
    expect((await deps.store.readStream(stream)).revision).toBe(0n);
  });

  test('rejects a write that stands on an outdated revision from elsewhere, without deciding again', async () => {
    const { deps, stream, rename } = await withAnn();
    const { userId: other } = await createUser(deps, ctx, { project, displayName: 'Other' });
    const read = streamOf.user(other);
    await updateUser(deps, ctx, { userId: other, project, displayName: 'Changed' });
    const expected = new Map([
      [stream, 0n],
      [read, 1n],
    ]);
    const { store, streams } = expecting(deps.store, expected, new Map([[read, 0n]]));
    await expect(rename('Bob', store)).rejects.toBe(rejected);
    expect(streams).toEqual([[read]]);
  });

  test('is checked for a request that appends nothing', async () => {
    const { deps, stream, rename } = await withAnn();
    await rename('Eve');
    const { store, check } = expecting(deps.store, new Map([[stream, 0n]]));
    await store.readStream(stream);
    expect(check).toThrow(rejected);
  });
});
