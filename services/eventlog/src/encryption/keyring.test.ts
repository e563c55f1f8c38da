import { randomBytes } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { KeyStore } from './key-store.ts';
import { createKeyring } from './keyring.ts';
import { createMemoryKeyStore } from './memory-key-store.ts';

const masterKey = randomBytes(32);
afterEach(() => void vi.useRealTimers());

/** Creates a key store that records its look-ups and sends no notifications of erasures. */
function createWatchedStore(): { keyStore: KeyStore; lookUps: string[][]; gap: () => void } {
  const inner = createMemoryKeyStore();
  const lookUps: string[][] = [];
  const gaps: (() => void)[] = [];
  const keyStore: KeyStore = {
    ...inner,
    loadSubjects: async (ids) => {
      lookUps.push([...ids]);
      return inner.loadSubjects(ids);
    },
    onErased: async (_, onGap) => {
      gaps.push(onGap);
      return async () => undefined;
    },
  };
  return { keyStore, lookUps, gap: () => gaps.forEach((onGap) => void onGap()) };
}

test('the keys of a page are loaded with one look-up, and then come from the cache', async () => {
  const { keyStore, lookUps } = createWatchedStore();
  const subjects = Array.from({ length: 1_000 }, (_, index) => `user-${index}`);
  await (await createKeyring({ masterKey, keyStore })).keysFor(subjects);
  const keyring = await createKeyring({ masterKey, keyStore });
  await keyring.open([...subjects, ...subjects]);
  await keyring.open(subjects);
  expect(lookUps).toEqual([subjects]);
});

test('an erasure without a notification reaches the cache within a minute, or after a gap', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { keyStore, gap } = createWatchedStore();
  const [near, far] = [await createKeyring({ masterKey, keyStore }), await createKeyring({ masterKey, keyStore })];
  for (const [subject, passes] of [
    ['ann', () => vi.advanceTimersByTime(60_001)],
    ['bob', gap],
  ] as const) {
    await far.keysFor([subject]);
    await near.erase(subject);
    expect((await far.open([subject])).get(subject)).not.toBeNull();
    passes();
    expect((await far.open([subject])).get(subject)).toBeNull();
  }
});

test('only an erased subject counts as erased', async () => {
  const keyring = await createKeyring({ masterKey, keyStore: createMemoryKeyStore() });
  await keyring.keysFor(['ann', 'bob']);
  await keyring.erase('ann');
  expect(await Promise.all(['ann', 'bob', 'nobody'].map(keyring.isErased))).toEqual([true, false, false]);
});

test('a key that was loading while its subject was erased is not cached', async () => {
  const inner = createMemoryKeyStore();
  await (await createKeyring({ masterKey, keyStore: inner })).keysFor(['ann']);
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: KeyStore = {
    ...inner,
    loadSubjects: async (ids) => {
      const found = await inner.loadSubjects(ids);
      asked.resolve();
      await answered.promise;
      return found;
    },
  };
  const keyring = await createKeyring({ masterKey, keyStore: slow });
  const opening = keyring.open(['ann']);
  await asked.promise;
  await keyring.erase('ann');
  answered.resolve();
  await opening;
  expect((await keyring.open(['ann'])).get('ann')).toBeNull();
});
