import { randomBytes } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { KeyStore } from './key-store.ts';
import { createKeyring } from './keyring.ts';
import { createMemoryKeyStore } from './memory-key-store.ts';

const masterKey = randomBytes(32);
afterEach(() => void vi.useRealTimers());

/** A key store that counts its look-ups, and whose news of erasures can be withheld. */
function watchedStore(): { keyStore: KeyStore; lookUps: string[][]; gap: () => void } {
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

test('the keys of a whole page take one look-up, and then none', async () => {
  const { keyStore, lookUps } = watchedStore();
  const subjects = Array.from({ length: 1_000 }, (_, index) => `user-${index}`);
  await (await createKeyring({ masterKey, keyStore })).keysFor(subjects);
  const keyring = await createKeyring({ masterKey, keyStore });
  await keyring.open([...subjects, ...subjects]);
  await keyring.open(subjects);
  expect(lookUps).toEqual([subjects]);
});

test('an erasure that could not be told reaches the cache within a minute, or after a gap', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { keyStore, gap } = watchedStore();
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

test('a key that was being loaded while its subject was erased does not stay', async () => {
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
