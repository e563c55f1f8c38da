import { randomBytes } from 'node:crypto';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { createFixedClock } from '@gatebook/runtime/testing/fixed';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createPostgresInstallationKeyStore,
  createPostgresKeyStore,
  createPostgresSigningKeyStore,
  postgresWrappedKeys,
} from '../postgres/key-store.ts';
import { logTemplate } from '../testing/log-template.ts';
import { openKeys } from './installation-key.ts';
import { createKeyring } from './keyring.ts';
import { createLookupHash } from './lookup-hash.ts';
import { masterKeyId } from './master-key.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { createSigningKeys } from './signing-keys.ts';

let database: TestDatabase;
let listener: Listener;
beforeEach(async () => {
  database = await testDatabase(logTemplate);
  listener = createListener(database.url, { name: 'keys', logger: createLogger({ level: 'silent' }) });
});
afterEach(async () => {
  await listener.close();
  await database.close();
});

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const sourceOf =
  (...keys: Buffer[]) =>
  async () =>
    keys;
const subjects = (count: number) => Array.from({ length: count }, (_, n) => `subject-${n}`);
const installation = () => createPostgresInstallationKeyStore(database.pool, listener);

/** Opens the keys that a Gatebook process opens at its start. */
async function openProcess(...known: Buffer[]) {
  const keys = await openKeys(sourceOf(...known), installation());
  const keyring = await createKeyring({
    masterKey: keys.master,
    keyStore: createPostgresKeyStore(database.pool, listener),
  });
  const store = createPostgresSigningKeyStore(database.pool, listener);
  const signingKeys = createSigningKeys({ masterKey: keys.master, store, now: createFixedClock() });
  return { ...keys, keyring, signingKeys };
}
const rotate = (change: Partial<Parameters<typeof rotateMasterKey>[0]> = {}) =>
  rotateMasterKey({
    source: sourceOf(newKey, oldKey),
    installation: installation(),
    tables: postgresWrappedKeys(database.pool),
    settleMs: 0,
    ...change,
  });
async function listMasterKeyIds(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select distinct split_part(wrapped, '.', 1) as id from (
       select wrapped from keys.subjects union all select wrapped from keys.signing
       union all select wrapped from keys.installation) k where wrapped is not null`,
  );
  return rows.map(({ id }) => id);
}
const bytesOf = (keys: ReadonlyMap<string, { export(): unknown } | null>) =>
  [...keys].map(([id, key]) => [id, (key?.export() as Buffer | undefined)?.toString('hex') ?? null]);

describe('rotating the master key', () => {
  test('wraps every key again, keeps lookup hashes, and makes the former key useless', async () => {
    const before = await openProcess(oldKey);
    const ids = subjects(2_500);
    const known = await before.keyring.keysFor(ids);
    await before.keyring.erase('subject-7');
    const { kid } = await before.signingKeys.current('shop');
    const hash = createLookupHash(before.installationKey)('email', 'shop', 'ann@example.com');

    expect(await rotate()).toBe(2_501);
    expect(await listMasterKeyIds()).toEqual([masterKeyId(newKey)]);
    const after = await openProcess(newKey);
    expect(createLookupHash(after.installationKey)('email', 'shop', 'ann@example.com')).toBe(hash);
    const expected = bytesOf(known).map(([id, bytes]) => [id, id === 'subject-7' ? null : bytes]);
    expect(bytesOf(await after.keyring.open(ids))).toEqual(expected);
    expect((await after.signingKeys.current('shop')).kid).toBe(kid);
    await expect(openProcess(oldKey)).rejects.toThrow('another master key');
    expect(await rotate()).toBe(0);
  });

  test('resumes after an interruption', async () => {
    const before = await openProcess(oldKey);
    await before.keyring.keysFor(subjects(2_500));
    const [subjectKeys, ...others] = postgresWrappedKeys(database.pool);
    if (!subjectKeys) throw new Error('there is no table of subject keys');
    let pages = 0;
    const failing = {
      ...subjectKeys,
      replaceWrapped: async (keys: Parameters<typeof subjectKeys.replaceWrapped>[0]) => {
        pages += 1;
        if (pages > 1) throw new Error('killed');
        await subjectKeys.replaceWrapped(keys);
      },
    };
    await expect(rotate({ tables: [failing, ...others] })).rejects.toThrow('killed');
    expect((await listMasterKeyIds()).sort()).toEqual([masterKeyId(oldKey), masterKeyId(newKey)].sort());
    // In between, a process that knows both keys reads everything.
    const both = await openProcess(newKey, oldKey);
    expect((await both.keyring.open(subjects(2_500))).size).toBe(2_500);
    expect(await rotate()).toBe(1_500);
    expect(await listMasterKeyIds()).toEqual([masterKeyId(newKey)]);
  });

  test('uses a newly configured key only after the rotation, so processes can restart in any order', async () => {
    const first = await openProcess(oldKey);
    const restarted = await openProcess(newKey, oldKey);
    await restarted.keyring.keysFor(['ann']);
    expect((await first.keyring.open(['ann'])).get('ann')).not.toBeNull();
    let attempts = 0;
    await expect
      .poll(async () => {
        // The process learns of the rotation by a notification; until then it wraps with the former key.
        await rotate();
        attempts += 1;
        await restarted.keyring.keysFor([`bob-${attempts}`]);
        return listMasterKeyIds();
      })
      .toEqual([masterKeyId(newKey)]);
  });

  test('makes a process that meets an unknown master key read its master keys again', async () => {
    const known = [oldKey];
    const keys = await openKeys(async () => known, installation());
    const keyring = await createKeyring({
      masterKey: keys.master,
      keyStore: createPostgresKeyStore(database.pool, listener),
    });
    await keyring.keysFor(['ann']);
    known.unshift(newKey);
    await rotate();
    const fresh = await createKeyring({
      masterKey: keys.master,
      keyStore: createPostgresKeyStore(database.pool, listener),
    });
    expect((await fresh.open(['ann'])).get('ann')).not.toBeNull();
  });

  test('finds keys that a process wraps with the former key meanwhile', async () => {
    await openProcess(oldKey);
    const late = await createKeyring({
      masterKey: oldKey,
      keyStore: createPostgresKeyStore(database.pool, listener),
    });
    const tables = postgresWrappedKeys(database.pool);
    let isLate = true;
    const watched = tables.map((table) => ({
      ...table,
      listWrappedByOthers: async (...args: Parameters<typeof table.listWrappedByOthers>) => {
        const page = await table.listWrappedByOthers(...args);
        if (isLate) {
          isLate = false;
          await late.keysFor(['a subject before all others']);
        }
        return page;
      },
    }));
    expect(await rotate({ tables: watched })).toBe(2);
    expect(await listMasterKeyIds()).toEqual([masterKeyId(newKey)]);
  });
});
