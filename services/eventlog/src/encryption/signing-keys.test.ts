import { createPublicKey, randomBytes, randomUUID, sign, verify } from 'node:crypto';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { createFixedClock } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresSigningKeyStore } from '../postgres/key-store.ts';
import { migrateEventLog } from '../postgres/migrate.ts';
import { createMemorySigningKeyStore } from './memory-signing-key-store.ts';
import { createSigningKeys, randomKid, type SigningKeyStore } from './signing-keys.ts';

let database: TestDatabase;
let listener: Listener;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEventLog(database.pool);
  listener = createListener(database.url, { name: 'keys', logger: createLogger({ level: 'silent' }) });
});
afterAll(async () => {
  await listener.close();
  await database.close();
});

const stores: Record<string, () => SigningKeyStore> = {
  memory: createMemorySigningKeyStore,
  postgres: () => createPostgresSigningKeyStore(database.pool, listener),
};

const masterKey = randomBytes(32);
const minute = 60_000;

describe.each(Object.keys(stores))('signing keys in %s', (name) => {
  function open(store = (stores[name] ?? createMemorySigningKeyStore)()) {
    const now = createFixedClock();
    return { store, now, keys: createSigningKeys({ masterKey, store, now }) };
  }

  test('the first use creates an ES256 key and publishes it with its kid', async () => {
    const { keys } = open();
    const projectId = randomUUID();
    const { kid, privateKey } = await keys.current(projectId);
    expect(kid).toMatch(/^[\w-]{12}$/);
    const [published, ...others] = await keys.publicKeys(projectId);
    expect(others).toEqual([]);
    expect(published).toEqual({
      kid,
      jwk: { kty: 'EC', crv: 'P-256', alg: 'ES256', kid, x: expect.any(String), y: expect.any(String) },
    });
    const signature = sign('sha256', Buffer.from('token'), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const key = createPublicKey({ key: published?.jwk ?? {}, format: 'jwk' });
    expect(verify('sha256', Buffer.from('token'), { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    expect((await keys.current(randomUUID())).kid).not.toBe(kid);
  });

  test('processes that create the first key concurrently agree on one key', async () => {
    const { store } = open();
    const projectId = randomUUID();
    const processes = Array.from({ length: 8 }, () => open(store).keys);
    const kids = await Promise.all(processes.map(async (keys) => (await keys.current(projectId)).kid));
    expect(new Set(kids).size).toBe(1);
    expect(await store.load(projectId)).toHaveLength(1);
  });

  test('a new key is published immediately and signs a minute later; the old key stays published for a day', async () => {
    const { keys, now } = open();
    const projectId = randomUUID();
    const old = (await keys.current(projectId)).kid;
    await keys.rotate(projectId);
    const published = async () => (await keys.publicKeys(projectId)).map(({ kid }) => kid);
    const [fresh] = await published();
    expect(await published()).toEqual([fresh, old]);
    expect(fresh).not.toBe(old);
    now.advance(minute - 1);
    expect((await keys.current(projectId)).kid).toBe(old);
    now.advance(1);
    expect((await keys.current(projectId)).kid).toBe(fresh);
    now.advance(24 * 60 * minute - 1);
    expect(await published()).toEqual([fresh, old]);
    now.advance(1);
    expect(await published()).toEqual([fresh]);
  });

  test('a withdrawn key is no longer published by any process, and a new key signs immediately', async () => {
    const { keys, store } = open();
    const other = open(store).keys;
    await Promise.all([keys.watch(), other.watch()]);
    const projectId = randomUUID();
    const leaked = (await keys.current(projectId)).kid;
    expect((await other.current(projectId)).kid).toBe(leaked);
    const withdrawal = await keys.withdraw(leaked);
    expect(withdrawal).toEqual({ projectId, replacedBy: expect.stringMatching(/^[\w-]{12}$/) });
    for (const each of [keys, other]) {
      await expect
        .poll(async () => (await each.publicKeys(projectId)).map(({ kid }) => kid))
        .toEqual([withdrawal?.replacedBy]);
      expect((await each.current(projectId)).kid).toBe(withdrawal?.replacedBy);
    }
    const stored = await store.load(projectId);
    expect(stored.find(({ kid }) => kid === leaked)?.wrapped).toBeNull();
    expect(await keys.withdraw(leaked)).toEqual({ projectId, replacedBy: null });
    expect(await keys.withdraw('nobody-knows')).toBeNull();
  });

  test('withdrawing a replaced key, or one that does not sign yet, creates no new key', async () => {
    const { keys, now } = open();
    const projectId = randomUUID();
    const first = (await keys.current(projectId)).kid;
    const { kid: second } = await keys.rotate(projectId);
    expect(await keys.withdraw(second)).toEqual({ projectId, replacedBy: null });
    expect((await keys.current(projectId)).kid).toBe(first);
    const { kid: third } = await keys.rotate(projectId);
    now.advance(minute);
    expect((await keys.current(projectId)).kid).toBe(third);
    expect(await keys.withdraw(first)).toEqual({ projectId, replacedBy: null });
    expect((await keys.publicKeys(projectId)).map(({ kid }) => kid)).toEqual([third]);
  });

  test('a withdrawal does not publish expired keys again', async () => {
    const { keys, now } = open();
    const projectId = randomUUID();
    await keys.current(projectId);
    const { kid: second } = await keys.rotate(projectId);
    now.advance(3 * 24 * 60 * minute);
    const withdrawal = await keys.withdraw(second);
    expect((await keys.publicKeys(projectId)).map(({ kid }) => kid)).toEqual([withdrawal?.replacedBy]);
  });

  test('private keys are stored wrapped, bound to their project', async () => {
    const { store, keys } = open();
    const [mine, yours] = [randomUUID(), randomUUID()];
    const { privateKey } = await keys.current(mine);
    const [stored] = await store.load(mine);
    if (!stored) throw new Error('the key is missing');
    const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
    expect(Buffer.from(stored.wrapped?.split('.').at(-1) ?? '', 'base64url').includes(secret)).toBe(false);
    expect(JSON.stringify(stored.publicJwk)).not.toContain('"d"');
    await store.add({ ...stored, kid: 'stolen-stolen', projectId: yours }, { onlyAsFirst: true });
    await expect(keys.current(yours)).rejects.toThrow();
    const stranger = createSigningKeys({ masterKey: randomBytes(32), store, now: createFixedClock() });
    await expect(stranger.current(mine)).rejects.toThrow('another master key');
  });

  test('a failed look-up is not cached', async () => {
    const { store, now } = open();
    const projectId = randomUUID();
    let failures = 1;
    const failing: SigningKeyStore = {
      ...store,
      load: async (id) => {
        failures -= 1;
        if (failures >= 0) throw new Error('unavailable');
        return store.load(id);
      },
    };
    const keys = createSigningKeys({ masterKey, store: failing, now });
    await expect(keys.current(projectId)).rejects.toThrow('unavailable');
    expect((await keys.current(projectId)).kid).toHaveLength(12);
  });
});

test('a key ID never begins with a dash', () => {
  const kids = Array.from({ length: 2_000 }, randomKid);
  expect(kids.filter((kid) => !/^[\w][\w-]{11}$/.test(kid))).toEqual([]);
});
