import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { newEventId } from '@gatebook/runtime/ids';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import type { Operator } from '../cli/operator.ts';

/** Records a user of project `shop`, whose key no process of the test has cached. */
export async function recordUncachedUser(
  { accountPool: pool, listener, keys }: Pick<Operator, 'accountPool' | 'listener' | 'keys'>,
  userId: string,
): Promise<void> {
  const keyring = await createKeyring({ masterKey: keys.master, keyStore: createPostgresKeyStore(pool, listener) });
  const codec = createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  const store = await createPostgresEventStore({ pool, listener, codec });
  const record = createRecord(store, { ...testMetadata, projectId: 'shop' });
  await record(`user-${userId}`, {
    type: 'UserCreated',
    data: {
      ...{ userId, projectId: 'shop', displayName: 'Ann', profileImageUrl: null, isAnonymous: false, method: 'server' },
      ...{ clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null, at },
    },
  });
  await store.close();
  await keyring.close();
}
