import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring, type Keyring } from '@gatebook/eventlog/encryption/keyring';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testProject as project } from '../testing/people.ts';
import { contextOf, createWorld, testMasterKey } from '../testing/world.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { updateUser } from './update-user.ts';

const ctx = contextOf('shop');
let database: TestDatabase;
let listener: Listener;
let keyring: Keyring;
let store: Awaited<ReturnType<typeof createPostgresEventStore>>;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEventLog(database.pool);
  listener = createListener(database.url, { name: 'deletion', logger: createLogger({ level: 'silent' }) });
  keyring = await createKeyring({
    masterKey: testMasterKey,
    keyStore: createPostgresKeyStore(database.pool, listener),
  });
  const codec = createCodec({ catalog, keyring, blobs: createPostgresBlobStore(database.pool), newEventId });
  store = await createPostgresEventStore({ pool: database.pool, listener, codec });
});
afterAll(async () => {
  await store.close();
  await keyring.close();
  await listener.close();
  await database.close();
});

/** The rows of the log until a position, as text. */
async function readRows(until: bigint): Promise<string[]> {
  const columns = `position, stream, revision, id, type, version, data, encrypted, metadata, committed_at, project_id`;
  const { rows } = await database.pool.query<{ row: string }>(
    `select row(${columns})::text as row from log.events where position <= $1 order by position`,
    [String(until)],
  );
  return rows.map(({ row }) => row);
}

test('check 11: a deletion leaves every earlier row of the log as it was, and only the key is gone', async () => {
  const { deps } = await createWorld({ store, keyring });
  const { userId } = await createUser(deps, ctx, { project, displayName: 'Ann', primaryEmail: 'ann@example.com' });
  const { userId: other } = await createUser(deps, ctx, { project, displayName: 'Bob' });
  await updateUser(deps, ctx, { userId, project, displayName: 'Anna' });
  const head = await store.head();
  const [rows, eventsBefore] = [await readRows(head), await store.readAll(0n, 1_000)];
  expect(rows).toHaveLength(Number(head));
  expect(JSON.stringify(eventsBefore.map(({ data }) => data))).toContain('Anna');

  await deleteUser(deps, ctx, { userId });
  expect(await store.head()).toBeGreaterThan(head);
  expect(await readRows(head)).toEqual(rows);
  // The same rows are read without the values that the key made readable, and all else is read as before.
  const events = (await store.readAll(0n, 1_000)).filter(({ position }) => position <= head);
  const named = (all: typeof eventsBefore) => all.map(({ type, stream, position }) => ({ type, stream, position }));
  expect(named(events)).toEqual(named(eventsBefore));
  expect(JSON.stringify(events.map(({ data }) => data))).not.toMatch(/Ann|ann@example/);
  const ofOther = (all: typeof eventsBefore) => all.filter(({ stream }) => stream === `user-${other}`);
  expect(ofOther(events)).toEqual(ofOther(eventsBefore));
});
