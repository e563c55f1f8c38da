import type { Recorded } from '@gatebook/domain/event';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { expect, test } from 'vitest';
import { createGatebookLog } from '../testing/read-side.ts';
import { foldAll } from './folded-streams.ts';

const projectId = 'shop';
const userId = '00000000-0000-4000-8000-000000000001';
const stream = `user-${userId}`;
const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, ...metadata };
const created = { ...unknownSignIn, userId, projectId, displayName: 'Ann', ...person, at };

const names = {
  initialState: [] as readonly unknown[],
  evolve: (state: readonly unknown[], { data }: Recorded) =>
    'displayName' in data ? [...state, data.displayName] : state,
};

test('states are those of each position, and lose personal data with the deletion of the user', async () => {
  const { store } = await createGatebookLog('memory');
  const record = createRecord(store, { ...testMetadata, projectId });
  await record(stream, { type: 'UserCreated', data: created });
  await record(stream, { type: 'UserRenamed', data: { userId, displayName: 'Bea', at } });
  const { events } = await store.readStream(stream);
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
  const renamed = (name: string) => ({ type: 'UserRenamed' as const, data: { userId, displayName: name, at } });
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
  const states = await foldAll(counted, names, [null, ...wanted]);
  expect(states.map((state) => state?.length)).toEqual([undefined, ...lengths]);
  expect(states.map((state) => state?.at(-1))).toEqual([
    undefined,
    ...lengths.map((length, nth) => (length === 0 ? undefined : `${nth}.${length - 1}`)),
  ]);
  expect(reads).toEqual({ together: 3, single: 2 });
});
