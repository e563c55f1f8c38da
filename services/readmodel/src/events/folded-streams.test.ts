import { unknownSignIn } from '@gatebook/domain/user/events';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { expect, test } from 'vitest';
import { createGatebookLog } from '../testing/read-side.ts';
import { createFold, foldAll } from './folded-streams.ts';

const projectId = 'shop';
const userId = '00000000-0000-4000-8000-000000000001';
const stream = `user-${userId}`;
const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, ...metadata };
const created = { ...unknownSignIn, userId, projectId, displayName: 'Ann', ...person, at };

const createNames = () =>
  createFold<readonly unknown[]>([], (state, { data }) =>
    'displayName' in data ? [...state, data.displayName] : state,
  );

test('states are those of each position, and lose personal data with the deletion of the user', async () => {
  const { store } = await createGatebookLog('memory');
  const record = createRecord(store, { ...testMetadata, projectId });
  await record(stream, { type: 'UserCreated', data: created });
  await record(stream, { type: 'UserRenamed', data: { userId, displayName: 'Bea', at } });
  const { events } = await store.readStream(stream);
  const names = createNames();
  const [first = 0n, second = 0n] = events.map(({ position }) => position);
  const fold = () =>
    foldAll(
      store,
      names,
      [second, first, first - 1n].map((position) => ({ stream, position })),
    );
  expect(await fold()).toEqual([['Ann', 'Bea'], ['Ann'], []]);
  await record(stream, { type: 'UserDeleted', data: { userId, projectId, addressRefs: [], wasScheduled: false, at } });
  expect(await fold()).toEqual([[null, null], [null], []]);
});

test('many streams are read together, and long ones by pages', async () => {
  const { store } = await createGatebookLog('memory');
  const record = createRecord(store, { ...testMetadata, projectId });
  const lengths = [1, 2, 600, 250, 249, 3, 0, 501];
  for (const [nth, length] of lengths.entries()) {
    const names = Array.from({ length }, (_, n) => renamed(`${nth}.${n}`));
    if (length > 0) await record(`user-${nth}`, ...names);
  }
  const reads = { together: 0, single: 0 };
  const counted = {
    ...store,
    readEarlier: (...args: Parameters<typeof store.readEarlier>) => {
      reads.together += 1;
      return store.readEarlier(...args);
    },
    readStreamPages: (...args: Parameters<typeof store.readStreamPages>) => {
      reads.single += 1;
      return store.readStreamPages(...args);
    },
  };
  const head = await store.head();
  const wanted = lengths.map((_, nth) => ({ stream: `user-${nth}`, position: head }));
  const states = await foldAll(counted, createNames(), [null, ...wanted]);
  expect(states.map((state) => state?.length)).toEqual([undefined, ...lengths]);
  expect(states.map((state) => state?.at(-1))).toEqual([
    undefined,
    ...lengths.map((length, nth) => (length === 0 ? undefined : `${nth}.${length - 1}`)),
  ]);
  expect(reads).toEqual({ together: 3, single: 2 });
});

const renamed = (name: string) => ({ type: 'UserRenamed' as const, data: { userId, displayName: name, at } });

/** A user with many names. `state`: the names at a position, or at the head. `reads`: after which revision. */
async function createLongStream() {
  const log = await createGatebookLog('memory');
  const record = createRecord(log.store, { ...testMetadata, projectId });
  const rename = (...names: string[]) => record(stream, ...names.map(renamed));
  await record(stream, { type: 'UserCreated', data: created });
  await rename(...Array.from({ length: 150 }, (_, n) => `name ${n}`));
  const reads: (bigint | undefined)[] = [];
  const store: typeof log.store = {
    ...log.store,
    readStreamPages: (name, unneeded, after) => {
      reads.push(after);
      return log.store.readStreamPages(name, unneeded, after);
    },
  };
  const names = createNames();
  const stateAt = async (position?: bigint) => {
    const [state] = await foldAll(store, names, [{ stream, position: position ?? (await store.head()) }]);
    return state;
  };
  return { store, record, rename, reads, stateAt };
}

test('a long stream is read on from the last state, but whole for an earlier one', async () => {
  const { rename, reads, stateAt } = await createLongStream();
  expect(await stateAt()).toHaveLength(151);
  await rename('Bea');
  await rename('Cem');
  const later = await stateAt();
  expect(later).toHaveLength(153);
  expect(later?.slice(-2)).toEqual(['Bea', 'Cem']);
  expect(await stateAt()).toEqual(later);
  expect(reads).toEqual([undefined, 149n, 151n]);
  expect(await stateAt(2n)).toEqual(['Ann', 'name 0']);
  await rename('Dee');
  expect(await stateAt()).toEqual([...(later ?? []), 'Dee']);
  expect(reads.slice(3)).toEqual([undefined, 151n]);
});

test('a state that is remembered loses personal data with the deletion of the user', async () => {
  const { record, stateAt } = await createLongStream();
  await stateAt();
  await record(stream, { type: 'UserDeleted', data: { userId, projectId, addressRefs: [], wasScheduled: false, at } });
  expect(new Set(await stateAt())).toEqual(new Set([null]));
});

test('a state whose event the log has lost is not continued', async () => {
  const { store, rename, stateAt } = await createLongStream();
  await stateAt();
  const { readStreamPages } = store;
  let isLost = false;
  store.readStreamPages = async function* (name, unneeded, after) {
    for await (const page of readStreamPages(name, unneeded, after)) {
      yield page.map((event) => (isLost && after !== undefined ? { ...event, id: `other ${event.id}` } : event));
    }
  };
  await rename('Bea');
  isLost = true;
  expect(await stateAt()).toHaveLength(152);
});
