import type { Recorded } from '@gatebook/domain/event';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { expect, test } from 'vitest';
import { createGatebookLog } from '../testing/read-side.ts';
import { foldUpTo } from './folded-streams.ts';

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
  const fold = () => foldUpTo(store, stream, names, [second, first, first - 1n]);
  expect(await fold()).toEqual([['Ann', 'Bea'], ['Ann'], []]);
  await record(stream, { type: 'UserDeleted', data: { userId, projectId, addressRefs: [], wasScheduled: false, at } });
  expect(await fold()).toEqual([[null, null], [null], []]);
});
