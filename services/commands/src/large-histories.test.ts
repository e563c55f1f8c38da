import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore } from '@gatebook/eventlog/memory/store';
import { newEventId } from '@gatebook/runtime/ids';
import { expect, test } from 'vitest';
import { testProject as project } from './testing/people.ts';
import { contextOf, createWorld, testMasterKey } from './testing/world.ts';
import { undoAction } from './undo/undo-action.ts';
import { createUser } from './user/create-user.ts';
import { mergeUsers } from './user/merge-users.ts';
import { updateUser } from './user/update-user.ts';

const request = (requestId: string) => ({ ...contextOf('shop'), requestId });
const largeValue = (text: string) => ({ text: text.repeat(10_000) });

/** A user whose metadata was replaced by large values again and again. `loaded`: how many of them were read. */
async function withLargeHistory() {
  const keyring = await createKeyring({ masterKey: testMasterKey, keyStore: createMemoryKeyStore() });
  const memory = createMemoryBlobStore();
  const counts = { loaded: 0 };
  const blobs: typeof memory = {
    ...memory,
    load: (ids) => {
      counts.loaded += ids.length;
      return memory.load(ids);
    },
  };
  const store = createMemoryEventStore(createCodec({ catalog, keyring, blobs, newEventId }));
  const world = await createWorld({ store, keyring });
  const { userId } = await createUser(world.deps, request('create'), { project, displayName: 'Ann' });
  for (const text of ['a', 'b', 'c', 'd', 'e']) {
    const serverMetadata = largeValue(text);
    await updateUser(world.deps, request(`write ${text}`), { userId, project, serverMetadata });
  }
  counts.loaded = 0;
  return { ...world, userId, counts };
}

test('merging users loads only the large values that they still have', async () => {
  const { deps, userId, counts, eventsOf } = await withLargeHistory();
  const { userId: keptId } = await createUser(deps, request('other'), { project, displayName: 'Bea' });
  const input = { userId: keptId, duplicateId: userId, teamIds: [], apiKeyIds: [], projectIds: [] };
  await mergeUsers(deps, request('merge'), input);
  expect(counts.loaded).toBe(1);
  const changed = (await eventsOf('UserMetadataChanged')).filter(({ data }) => data.userId === keptId);
  expect(changed.map(({ data }) => data.value)).toEqual([largeValue('e')]);
});

test('an undo loads only the large values around the action and after it', async () => {
  const { deps, userId, counts, eventsOf } = await withLargeHistory();
  const undo = async (id: string) => {
    const events = (await deps.store.readAll(0n, 1_000)).filter(({ metadata }) => metadata.requestId === id);
    counts.loaded = 0;
    await undoAction(deps, request('undo'), { action: { id, events, hasMoreEvents: false }, project });
  };
  await updateUser(deps, request('rename'), { userId, project, displayName: 'Bea' });
  await undo('rename');
  expect(counts.loaded).toBe(1);
  await undo('write e');
  expect(counts.loaded).toBe(2);
  expect((await eventsOf('UserMetadataChanged')).at(-1)?.data.value).toEqual(largeValue('d'));
  await updateUser(deps, request('write f'), { userId, project, serverMetadata: largeValue('f') });
  const [last] = (await eventsOf('UserMetadataChanged')).slice(-1);
  const conflicts = [{ restored: largeValue('c').text, current: largeValue('f').text, changedByEventId: last?.id }];
  await expect(undo('write d')).rejects.toMatchObject({ code: 'UNDO_CONFLICT', details: { conflicts } });
  expect(counts.loaded).toBe(6);
});
