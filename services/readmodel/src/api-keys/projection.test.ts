import type { ApiKeyEvent } from '@gatebook/domain/api-key/events';
import { type UserEvent, unknownSignIn } from '@gatebook/domain/user/events';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { findApiKeyByHash, listApiKeys } from './queries.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const projectId = 'internal';
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const nothing = { profileImageUrl: null, clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const created = (userId: string): UserEvent => {
  const facts = { userId, projectId, displayName: null, isAnonymous: false, method: 'password' } as const;
  return { type: 'UserCreated', data: { ...unknownSignIn, ...nothing, ...facts, at } };
};
const keysOf = async (ownerId: string) =>
  (await listApiKeys(side.db, projectId, { ownerType: 'user', ownerId })).rows.map(({ id, description }) => [
    id,
    description,
  ]);

test.each(['at once', 'one by one'])('a moved key stays when its former owner is deleted, read %s', async (how) => {
  const base = how === 'at once' ? 0 : 10;
  const [keptId, duplicateId, keyId] = [idOf(base + 1), idOf(base + 2), idOf(base + 3)];
  const newKey: ApiKeyEvent = {
    type: 'ApiKeyCreated',
    data: {
      ...{ keyId, projectId, ownerType: 'user', ownerId: duplicateId, ownerRevision: 0, description: 'CI' },
      ...{ isPublic: false, hash: `hash ${keyId}`, lastFour: 'abcd', expiresAt: null, at },
    },
  };
  const moved: ApiKeyEvent = {
    type: 'ApiKeyMoved',
    data: { keyId, projectId, ownerId: keptId, ownerRevision: 1, description: 'CI', expiresAt: null, at },
  };
  const deleted: UserEvent = {
    type: 'UserDeleted',
    data: { userId: duplicateId, projectId, addressRefs: [], wasScheduled: false, mergedIntoId: keptId, at },
  };
  const record = async (stream: string, event: UserEvent | ApiKeyEvent) => {
    const position = await side.record(stream, event);
    if (how === 'one by one') await side.readModels.reached(position);
    return position;
  };
  await record(`user-${keptId}`, created(keptId));
  await record(`user-${duplicateId}`, created(duplicateId));
  await record(`apikey-${keyId}`, newKey);
  await record(`apikey-${keyId}`, moved);
  await side.readModels.reached(await record(`user-${duplicateId}`, deleted));
  expect(await keysOf(keptId)).toEqual([[keyId, 'CI']]);
  expect(await findApiKeyByHash(side.db, `hash ${keyId}`)).toMatchObject({ ownerId: keptId });
  const revoked: UserEvent = { type: 'UserApiKeysRevoked', data: { userId: keptId, at } };
  await side.readModels.reached(await record(`user-${keptId}`, revoked));
  expect(await findApiKeyByHash(side.db, `hash ${keyId}`)).toMatchObject({ revokedAt: null });
  const gone: UserEvent = { ...deleted, data: { ...deleted.data, userId: keptId } };
  await side.readModels.reached(await record(`user-${keptId}`, gone));
  expect(await keysOf(keptId)).toEqual([]);
});
