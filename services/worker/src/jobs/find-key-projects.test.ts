import { deleteProject } from '@gatebook/commands/project/delete-project';
import { createProject } from '@gatebook/commands/project/project';
import { testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld, testMasterKey } from '@gatebook/commands/testing/world';
import { createUser } from '@gatebook/commands/user/create-user';
import { catalog } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore } from '@gatebook/eventlog/memory/store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, expect, test } from 'vitest';
import { createEraser } from '../reactors/erase-subjects.ts';
import { findKeyProjects } from './find-key-projects.ts';

const closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

const damaged = (event: Recorded): Recorded => {
  const unreadable = new Error('this event is damaged');
  return {
    ...event,
    unreadable,
    get data(): never {
      throw unreadable;
    },
  };
};

/** A log whose keys were added by a version that did not store their projects. */
async function startOldLog() {
  const database = await testDatabase();
  closes.push(() => database.close());
  const { pool, url } = database;
  await migrateEventLog(pool);
  const listener = createListener(url, { name: 'test', logger });
  closes.push(() => listener.close());
  const keyStore = createPostgresKeyStore(pool, listener);
  const keyring = await createKeyring({ masterKey: testMasterKey, keyStore });
  closes.push(() => keyring.close());
  const store = createMemoryEventStore(createCodec({ catalog, keyring, newEventId, blobs: createMemoryBlobStore() }));
  const world = await createWorld({ store, keyring });
  const nothing = async () => undefined;
  const eraser = createEraser({
    forgetWebhooks: async () => undefined,
    write: world.deps,
    activity: { forgetUser: nothing, forgetTeam: nothing, forgetProject: nothing },
    idempotencyRecords: { forget: nothing },
    codeKeys: { add: nothing },
  });
  const reads: bigint[] = [];
  const damagedStreams = new Set<string>();
  const counted = {
    ...store,
    readAll: async (...args: Parameters<typeof store.readAll>) => {
      reads.push(args[0]);
      return (await store.readAll(...args)).map((event) => (damagedStreams.has(event.stream) ? damaged(event) : event));
    },
  };
  return {
    ...world,
    pool,
    keyStore,
    reads,
    damagedStreams,
    find: () =>
      findKeyProjects({ write: { ...world.deps, store: counted }, pool, eraser }, new AbortController().signal),
    makeOld: () => pool.query('update keys.subjects set project_id = null'),
    addShop: async () => {
      const owner = { displayName: 'Shop', ownerUserId: world.deps.newId() };
      return contextOf((await createProject(world.deps, contextOf('internal'), owner)).projectId);
    },
    addUser: async (ctx: ReturnType<typeof contextOf>) =>
      (await createUser(world.deps, ctx, { project: testProject, displayName: 'Ann' })).userId,
  };
}

test('old keys get the project of the first event under them, and the log is read once', async () => {
  const { pool, keyStore, reads, find, makeOld, addShop, addUser, deps } = await startOldLog();
  const [shop, forum] = [await addShop(), await addShop()];
  const [ann, bob] = [await addUser(shop), await addUser(forum)];
  await makeOld();
  await keyStore.addSubjects(new Map([['without events', 'wrapped']]));
  await find();
  const projects = async (...ids: string[]) => {
    const found = await keyStore.loadSubjects(ids);
    return ids.map((id) => found.get(id)?.projectId);
  };
  expect(await projects(ann, bob, 'without events')).toEqual([shop.projectId, forum.projectId, null]);
  expect(reads).toEqual([0n]);

  await pool.query(`update keys.subjects set created_at = now() - interval '1 day'`);
  await find();
  expect(reads).toHaveLength(1);
  const head = await deps.store.head();
  const cem = await addUser(shop);
  await makeOld();
  await find();
  expect(reads).toEqual([0n, head]);
  expect(await projects(cem)).toEqual([shop.projectId]);
});

test('an event that cannot be read does not end the search for the keys of later events', async () => {
  const { keyStore, find, makeOld, addShop, addUser, damagedStreams } = await startOldLog();
  const shop = await addShop();
  const [ann, bob] = [await addUser(shop), await addUser(shop)];
  await makeOld();
  damagedStreams.add(`user-${ann}`);
  await find();
  expect((await keyStore.loadSubjects([bob])).get(bob)?.projectId).toBe(shop.projectId);
});

test('keys of a project that was deleted before are erased, and those of others stay', async () => {
  const { keyStore, find, makeOld, pool, addShop, addUser, deps } = await startOldLog();
  const [shop, forum] = [await addShop(), await addShop()];
  const [ann, bob] = [await addUser(shop), await addUser(forum)];
  // As before this version: the project is deleted in the log, and keys of its people are left.
  await deleteProject({ ...deps, eraseProject: async () => 0 }, shop);
  await makeOld();
  await find();
  const keys = await keyStore.loadSubjects([ann, bob]);
  expect([ann, bob].map((id) => keys.get(id)?.wrapped === null)).toEqual([true, false]);
  const left = await pool.query('select from keys.subjects where project_id = $1 and wrapped is not null', [
    shop.projectId,
  ]);
  expect(left.rowCount).toBe(0);
});
