import { randomBytes, randomUUID } from 'node:crypto';
import { type DomainEvent, defineEvents } from '@gatebook/domain/event';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type EventStore, NO_STREAM, type StateFold } from '../../port.ts';
import { metadata } from '../notes.ts';
import type { OpenedLog } from './opened-log.ts';

export const statesCatalog = defineEvents({
  Added: { version: 1, data: z.object({ number: z.int() }) },
  Named: {
    version: 1,
    data: z.object({ personId: z.uuid(), name: z.string().nullable(), picture: z.string().nullable() }),
    personal: { subject: 'personId', fields: ['name', 'picture'] },
    large: ['picture'],
  },
});

type State = { sum: number; name: string | null; picture: string | null; seen: ReadonlySet<string> };
type Fold = StateFold<State, DomainEvent> & { folded(): number };

/** `folded`: number of events since the last call. */
function createFold(stateVersion = 'v1'): Fold {
  let count = 0;
  return {
    initialState: { sum: 0, name: null, picture: null, seen: new Set() },
    evolve: (state, { type, data }) => {
      count += 1;
      const seen = new Set([...state.seen, type]);
      if (type === 'Added') return { ...state, seen, sum: state.sum + Number(data.number) };
      return { ...state, seen, name: data.name as string | null, picture: data.picture as string | null };
    },
    stateVersion,
    folded: () => {
      const before = count;
      count = 0;
      return before;
    },
  };
}

const added = (count: number): DomainEvent[] =>
  Array.from({ length: count }, () => ({ type: 'Added', data: { number: 1 } }));
const named = (personId: string, name: string, picture: string | null = null): DomainEvent => ({
  type: 'Named',
  data: { personId, name, picture },
});
const picture = () => randomBytes(5_000).toString('hex');

export function testRememberedStates(opened: OpenedLog): void {
  let fold: Fold;
  const stream = `sum-${randomUUID()}`;
  beforeEach(() => {
    fold = createFold();
  });

  const openOther = async () => (await opened.log.open(statesCatalog)).store;

  /** @returns the new revision */
  async function append(events: readonly DomainEvent[], to = opened.store): Promise<bigint> {
    const expected = (await to.revisionsOf([stream])).get(stream) ?? NO_STREAM;
    await to.append([{ stream, expected, events }], metadata);
    return expected + BigInt(events.length);
  }

  /** A stream of `first` and 449 more events, with a snapshot. */
  async function appendLong(first: DomainEvent = { type: 'Added', data: { number: 1 } }): Promise<void> {
    await append([first, ...added(249)]);
    await append(added(200));
    await opened.store.foldStream(stream, fold);
    await expect.poll(() => opened.log.snapshots.load(stream, 'v1')).toMatchObject({ revision: 449n });
    fold.folded();
  }

  test('a process folds each event once, its own and those of others', async () => {
    await append(added(5));
    expect(await opened.store.foldStream(stream, fold)).toMatchObject({
      state: { sum: 5 },
      revision: 4n,
      isConfirmed: true,
    });
    expect(await opened.store.foldStream(stream, fold)).toMatchObject({
      state: { sum: 5 },
      revision: 4n,
      isConfirmed: true,
    });
    expect(fold.folded()).toBe(5);
    await append(added(2));
    expect(fold.folded()).toBe(2);
    await append(added(3), await openOther());
    expect(await opened.store.foldStream(stream, fold)).toMatchObject({ state: { sum: 10 }, revision: 9n });
    expect(fold.folded()).toBe(3);
  });

  test('an optimistic fold may miss what another process appended, and says so', async () => {
    const other = await openOther();
    await append(added(1));
    const optimistic = () => opened.store.foldStream(stream, fold, { isOptimistic: true });
    expect(await optimistic()).toMatchObject({ revision: 0n, isConfirmed: true });
    await append(added(1), other);
    expect(await optimistic()).toMatchObject({ state: { sum: 1 }, revision: 0n, isConfirmed: false });
    expect(await opened.store.revisionsOf([stream, 'sum-none'])).toEqual(
      new Map([
        [stream, 1n],
        ['sum-none', NO_STREAM],
      ]),
    );
    const late = opened.store.append([{ stream, expected: 0n, events: added(1) }], metadata);
    await expect(late).rejects.toThrow('expected revision');
    expect(await optimistic()).toMatchObject({ state: { sum: 2 }, revision: 1n, isConfirmed: true });
    expect(await optimistic()).toMatchObject({ state: { sum: 2 }, revision: 1n, isConfirmed: false });
  });

  test('ignored events do not count, and the state is not remembered', async () => {
    await append(added(4));
    const isIgnored = (revision: bigint) => revision >= 2n;
    expect(await opened.store.foldStream(stream, fold, { isIgnored })).toMatchObject({
      state: { sum: 2 },
      revision: 3n,
    });
    expect(await opened.store.foldStream(stream, fold)).toMatchObject({ state: { sum: 4 }, revision: 3n });
  });

  test('nothing is remembered of a log that has lost events', async () => {
    await append(added(3));
    await opened.store.foldStream(stream, fold);
    opened.store.forget();
    fold.folded();
    await opened.store.foldStream(stream, fold, { isOptimistic: true });
    expect(fold.folded()).toBe(3);
  });

  test('states have the large values of all events, also of those that the process appended', async () => {
    const ann = randomUUID();
    const [first, second] = [picture(), picture()];
    await append([named(ann, 'Ann', first)]);
    for (const isOptimistic of [false, true])
      expect((await opened.store.foldStream(stream, fold, { isOptimistic })).state.picture).toBe(first);
    await append([named(ann, 'Ann', second)]);
    for (const isOptimistic of [true, true])
      expect((await opened.store.foldStream(stream, fold, { isOptimistic })).state.picture).toBe(second);
  });

  test('a state without large values is not copied, although the stream has some', async () => {
    const ann = randomUUID();
    await append([named(ann, 'Ann', picture()), named(ann, 'Ann')]);
    const first = await opened.store.foldStream(stream, fold);
    expect((await opened.store.foldStream(stream, fold, { isOptimistic: true })).state).toBe(first.state);
  });

  test('data of an erased subject leaves every process, and later data does not enter', async () => {
    const ann = randomUUID();
    await append([named(ann, 'Ann')]);
    const other = await openOther();
    const nameIn = async (from: EventStore) => (await from.foldStream(stream, fold, { isOptimistic: true })).state.name;
    expect([await nameIn(opened.store), await nameIn(other)]).toEqual(['Ann', 'Ann']);
    await opened.keyring.erase(ann);
    expect(await nameIn(opened.store)).toBeNull();
    await expect.poll(() => nameIn(other)).toBeNull();
    await append([named(ann, 'Ann again')]);
    expect(await nameIn(opened.store)).toBeNull();
  });

  test('a new process folds only what came after the snapshot of a long stream', async () => {
    await appendLong();
    const [other, expected] = [await openOther(), await opened.store.foldStream(stream, fold)];
    expect(await other.foldStream(stream, fold)).toEqual(expected);
    expect(fold.folded()).toBe(0);
    await append(added(2), other);
    fold.folded();
    expect(await (await openOther()).foldStream(stream, fold)).toMatchObject({ state: { sum: 452 }, revision: 451n });
    expect(fold.folded()).toBe(2);
  });

  test('a snapshot follows every 50 events, also for a process that only appends', async () => {
    await appendLong();
    await append(added(49));
    await append(added(1));
    await expect.poll(() => opened.log.snapshots.load(stream, 'v1')).toMatchObject({ revision: 499n });
  });

  test('a snapshot of other code is not read, and is replaced', async () => {
    await appendLong();
    const changed = createFold('v2');
    expect(await (await openOther()).foldStream(stream, changed)).toMatchObject({ state: { sum: 450 } });
    expect(changed.folded()).toBe(450);
    await expect.poll(() => opened.log.snapshots.load(stream, 'v2')).toMatchObject({ revision: 449n });
    expect(await opened.log.snapshots.load(stream, 'v1')).toBeNull();
  });

  test('a snapshot of an event that the log has lost is not read, and is replaced', async () => {
    await appendLong();
    const snapshot = await opened.log.snapshots.load(stream, 'v1');
    if (!snapshot) return expect.fail('there is no snapshot');
    for (const revision of [450n, 1_000n]) {
      await opened.log.snapshots.save({ ...snapshot, revision, eventId: randomUUID() });
      if (revision === 450n) await append(added(1));
      await (await openOther()).foldStream(stream, fold);
      expect(fold.folded()).toBeGreaterThanOrEqual(451);
      await expect.poll(() => opened.log.snapshots.load(stream, 'v1')).toMatchObject({ revision: 450n });
      await (await openOther()).foldStream(stream, fold);
      expect(fold.folded()).toBe(0);
    }
  });

  test('a snapshot is encrypted under the subject, with references to large values', async () => {
    const [ann, image] = [randomUUID(), picture()];
    await appendLong(named(ann, 'Ann Alder', image));
    const snapshot = await opened.log.snapshots.load(stream, 'v1');
    expect(snapshot).toMatchObject({ subjectId: ann });
    expect(snapshot?.content.toString('latin1')).not.toContain('Alder');
    expect(snapshot?.content.length).toBeLessThan(2_000);
    const { state } = await (await openOther()).foldStream(stream, fold);
    expect(state).toEqual({ sum: 449, name: 'Ann Alder', picture: image, seen: new Set(['Named', 'Added']) });
    expect(fold.folded()).toBe(0);
    await opened.keyring.erase(ann);
    const other = await openOther();
    expect((await other.foldStream(stream, fold)).state).toMatchObject({ name: null, picture: null });
    expect(fold.folded()).toBe(450);
  });

  test('a state with data of several subjects is remembered in memory only', async () => {
    const people = [randomUUID(), randomUUID()];
    await append([...people.map((id) => named(id, 'Ann')), ...added(300)]);
    await opened.store.foldStream(stream, fold);
    await append(added(1));
    await opened.store.foldStream(stream, fold, { isOptimistic: true });
    expect(fold.folded()).toBe(303);
    await opened.keyring.erase(people[0] ?? '');
    await opened.store.foldStream(stream, fold, { isOptimistic: true });
    expect(fold.folded()).toBe(303);
    expect(await opened.log.snapshots.load(stream, 'v1')).toBeNull();
  });
}
