import { randomBytes } from 'node:crypto';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { inTransaction } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresKeyStore } from '../postgres/key-store.ts';
import { migrateEventLog } from '../postgres/migrate.ts';
import { encrypt, open } from './cipher.ts';
import type { KeyStore } from './key-store.ts';
import { createKeyring } from './keyring.ts';
import { createMasterKey } from './master-key.ts';
import { createMemoryKeyStore } from './memory-key-store.ts';

const listeners: { close(): Promise<void> }[] = [];
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEventLog(database.pool);
});
afterAll(async () => {
  for (const listener of listeners) await listener.close();
  await database.close();
});

const stores: Record<string, () => KeyStore> = {
  memory: createMemoryKeyStore,
  postgres: () => {
    const listener = createListener(database.url, { name: 'keys', logger: createLogger({ level: 'silent' }) });
    listeners.push(listener);
    return createPostgresKeyStore(database.pool, listener);
  },
};

describe.each(Object.keys(stores))('subject keys in %s', (name) => {
  const masterKey = randomBytes(32);
  let count = 0;
  const newSubject = () => {
    count += 1;
    return `${name}-${count}`;
  };
  const createStore = () => (stores[name] ?? createMemoryKeyStore)();

  /** Opens two keyrings on the same keys, like two processes. */
  async function openTwice(): Promise<
    readonly [Awaited<ReturnType<typeof createKeyring>>, typeof keyStore, typeof other]
  > {
    const keyStore = createStore();
    const other = await createKeyring({ masterKey, keyStore: name === 'memory' ? keyStore : createStore() });
    return [await createKeyring({ masterKey, keyStore }), keyStore, other];
  }
  const bytesOf = (key: { export(): Buffer } | null | undefined) => key?.export().toString('hex');

  test('one process can decrypt what another encrypted', async () => {
    const [one, , other] = await openTwice();
    const subject = newSubject();
    const encryptionKey = (await one.keysFor([subject])).get(subject);
    const openingKey = (await other.open([subject])).get(subject);
    if (!encryptionKey || !openingKey) throw new Error('the key is missing');
    expect(open(openingKey, encrypt(encryptionKey, Buffer.from('ann'), ''), '').toString()).toBe('ann');
  });

  test('processes that request the key of a new subject concurrently get the same key', async () => {
    const [one, , other] = await openTwice();
    const subject = newSubject();
    const rings = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other));
    const keys = await Promise.all(rings.map(async (ring) => bytesOf((await ring.keysFor([subject])).get(subject))));
    expect(keys[0]).toHaveLength(64);
    expect(new Set(keys).size).toBe(1);
  });

  test('each subject has a different key', async () => {
    const [one] = await openTwice();
    const subjects = Array.from({ length: 50 }, newSubject);
    const keys = await one.keysFor([...subjects, ...subjects]);
    expect(new Set(subjects.map((subject) => bytesOf(keys.get(subject)))).size).toBe(50);
  });

  test('an erased subject never gets a new key in any process', async () => {
    const [one, keyStore, other] = await openTwice();
    const [subject, neverSeen] = [newSubject(), newSubject()];
    await one.keysFor([subject]);
    await other.open([subject]);
    await one.erase(subject);
    await one.erase(subject);
    await one.erase(neverSeen);
    const gone = { wrapped: null, projectId: null };
    expect(await keyStore.loadSubjects([subject, neverSeen])).toEqual(
      new Map([
        [subject, gone],
        [neverSeen, gone],
      ]),
    );
    for (const ring of [one, other, await createKeyring({ masterKey, keyStore })]) {
      const erased = async () => [...(await ring.open([subject, neverSeen])).values()];
      await expect.poll(erased).toEqual([null, null]);
      expect([...(await ring.keysFor([subject, neverSeen])).values()]).toEqual([null, null]);
    }
  });

  test('erasing an address erases the subjects that contain it, and no others, in every process', async () => {
    const [one, keyStore, other] = await openTwice();
    const [email, invitation, stranger] = [newSubject(), newSubject(), newSubject()];
    const [user, later] = [newSubject(), newSubject()];
    const [ann, bob] = [`${email} ann`, `${email} bob`];
    const addressRefs = new Map([
      [email, ann],
      [invitation, ann],
      [stranger, bob],
    ]);
    const all = [email, invitation, stranger, user];
    await one.keysFor(all, { addressRefs });
    await other.open(all);
    await one.eraseAddress(ann);
    for (const ring of [one, other, await createKeyring({ masterKey, keyStore })]) {
      const erased = async () => [...(await ring.open(all)).values()].map((key) => key === null);
      await expect.poll(erased).toEqual([true, true, false, false]);
    }
    // A subject created for the address afterwards gets a new key, which a repetition of the erasure must not destroy.
    const keyOfLater = async () => (await one.keysFor([later], { addressRefs: new Map([[later, ann]]) })).get(later);
    expect(await keyOfLater()).not.toBeNull();
    await one.eraseAddress(ann, '2026-01-15T12:00:00.000Z');
    expect(await keyOfLater()).not.toBeNull();
    await one.eraseAddress(ann, '2099-01-15T12:00:00.000Z');
    await expect.poll(keyOfLater).toBeNull();
  });

  test('erasing a project erases its subjects, and no others, in every process and before all keys are destroyed', async () => {
    const [one, keyStore, other] = await openTwice();
    const [shop, forum] = [`${newSubject()} shop`, `${newSubject()} forum`];
    const ofShop = Array.from({ length: 5 }, newSubject);
    const [ofForum, ofNone, later] = [newSubject(), newSubject(), newSubject()];
    const all = [...ofShop, ofForum, ofNone];
    await one.keysFor(ofShop, { projectId: shop });
    await one.keysFor([ofForum], { projectId: forum });
    await one.keysFor([ofNone]);
    await other.open(all);
    expect(await one.eraseProject(shop, 2)).toBe(2);
    for (const ring of [one, other, await createKeyring({ masterKey, keyStore })]) {
      const readable = async () => {
        const keys = await ring.open(all);
        return all.filter((subject) => keys.get(subject) !== null);
      };
      await expect.poll(readable).toEqual([ofForum, ofNone]);
      expect((await ring.keysFor([later], { projectId: shop })).get(later)).toBeNull();
      // A person of another project who acts in the erased one keeps their key.
      expect((await ring.keysFor([ofForum], { projectId: shop })).get(ofForum)).not.toBeNull();
    }
    expect(await one.eraseProject(shop, 2)).toBe(2);
    expect(await one.eraseProject(shop, 2)).toBe(1);
    expect(await one.eraseProject(shop, 2)).toBe(0);
  });

  test('a project that is erased while its keys are added has no key afterwards', async () => {
    const [one, keyStore, other] = await openTwice();
    const projectId = `${newSubject()} project`;
    const subjects = Array.from({ length: 60 }, newSubject);
    const adding = subjects.map((subject, index) => (index % 2 ? one : other).keysFor([subject], { projectId }));
    while ((await other.eraseProject(projectId, 10)) === 10);
    await Promise.all(adding);
    expect(await one.eraseProject(projectId, 10)).toBe(0);
    const left = await (await createKeyring({ masterKey, keyStore })).open(subjects);
    expect([...left.values()].filter((key) => key !== null)).toEqual([]);
  });

  test('`open` returns only the IDs that have or had a key', async () => {
    const [one] = await openTwice();
    const [known, erased] = [newSubject(), newSubject()];
    await one.keysFor([known, erased]);
    await one.erase(erased);
    const found = await one.open([known, erased, 'no subject']);
    expect([...found.keys()].sort()).toEqual([known, erased].sort());
    expect(found.get(erased)).toBeNull();
    expect(bytesOf(found.get(known))).toHaveLength(64);
  });

  test('keys are stored wrapped, bound to subject and master key', async () => {
    const [one, keyStore] = await openTwice();
    const [ann, bob, thief] = [newSubject(), newSubject(), newSubject()];
    const keys = await one.keysFor([ann, bob]);
    const wrapped = (await keyStore.loadSubjects([ann])).get(ann)?.wrapped ?? '';
    const raw = keys.get(ann)?.export();
    if (!raw) throw new Error('the key is missing');
    expect(Buffer.from(wrapped.split('.').at(-1) ?? '', 'base64url').includes(raw)).toBe(false);
    await keyStore.addSubjects(new Map([[thief, wrapped]]));
    expect((await one.open([thief])).size).toBe(0);
    const stranger = await createKeyring({ masterKey: randomBytes(32), keyStore });
    await expect(stranger.open([ann])).rejects.toThrow('another master key');
  });

  test('keys wrapped by a former master key can be read, and new keys are wrapped by the current one', async () => {
    const [one, keyStore] = await openTwice();
    const [before, after] = [newSubject(), newSubject()];
    const key = bytesOf((await one.keysFor([before])).get(before));
    const newMasterKey = randomBytes(32);
    const rotated = await createKeyring({ masterKey: createMasterKey(newMasterKey, [masterKey]), keyStore });
    expect(bytesOf((await rotated.open([before])).get(before))).toBe(key);
    await rotated.keysFor([after]);
    const onlyNew = await createKeyring({ masterKey: newMasterKey, keyStore });
    expect(bytesOf((await onlyNew.open([after])).get(after))).toHaveLength(64);
    await expect(onlyNew.open([before])).rejects.toThrow('another master key');
  });
});

test('a master key that does not have 32 bytes is rejected', async () => {
  const keyStore = createMemoryKeyStore();
  await expect(createKeyring({ masterKey: randomBytes(16), keyStore })).rejects.toThrow('16 bytes');
});

test('the erasure of a project waits for keys that are being added in Postgres', async () => {
  const keyStore = stores.postgres?.() ?? createMemoryKeyStore();
  const waiting = `select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
  const erasing = await inTransaction(database.pool, async (client) => {
    await client.query(`select keys.add_subjects('{late}', '{key}', '{null}', 'late project')`);
    const destroyed = keyStore.eraseProject('late project', 10);
    await expect.poll(async () => (await database.pool.query(waiting)).rowCount, { timeout: 5_000 }).toBe(1);
    return { destroyed };
  });
  expect(await erasing.destroyed).toBe(1);
});

test('of keys without a project, those found in the log get theirs, and those of an erased project are unreadable', async () => {
  const keyStore = stores.postgres?.() ?? createMemoryKeyStore();
  await keyStore.addSubjects(
    new Map([
      ['old-a', 'a'],
      ['old-b', 'b'],
      ['old-c', 'c'],
    ]),
  );
  await keyStore.addSubjects(new Map([['new-d', 'd']]), { projectId: 'their own' });
  expect(await keyStore.eraseProject('old shop', 10)).toBe(0);
  const { rows } = await database.pool.query(
    `select keys.assign_projects('{old-a,old-b,new-d}', '{old shop,old forum,old shop}')`,
  );
  expect(rows).toEqual([{ assign_projects: 'old shop' }]);
  expect(await keyStore.loadSubjects(['old-a', 'old-b', 'old-c', 'new-d'])).toEqual(
    new Map([
      ['old-a', { wrapped: null, projectId: 'old shop' }],
      ['old-b', { wrapped: 'b', projectId: 'old forum' }],
      ['old-c', { wrapped: 'c', projectId: null }],
      ['new-d', { wrapped: 'd', projectId: 'their own' }],
    ]),
  );
  expect(await keyStore.eraseProject('old shop', 10)).toBe(1);
});
