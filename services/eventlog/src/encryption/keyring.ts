import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyStore } from './key-store.ts';
import { createMasterKey, type MasterKey } from './master-key.ts';
import { createRecent } from './recent.ts';

const maxCachedKeys = 50_000;
const maxRememberedErasures = 10_000;
/** An erasure that another process missed reaches it after this long. */
const cacheMs = 60_000;

export type SubjectKeys = ReadonlyMap<string, KeyObject | null>;

export type Keyring = {
  /**
   * Keys for encryption, created for subjects that have none; null for an erased subject, whose personal data cannot be
   * stored. `addressRefs`: by subject, the keyed hash of the address with which a new key is to be erased.
   */
  keysFor(subjectIds: readonly string[], addressRefs?: ReadonlyMap<string, string>): Promise<SubjectKeys>;
  /**
   * Keys for decryption; null for an erased subject. @throws Error for a subject that never had a key, which means that
   * keys were lost
   */
  open(subjectIds: readonly string[]): Promise<SubjectKeys>;
  /** Keys of the IDs that are subjects; null for an erased subject, absent for an ID that never had a key. */
  find(ids: readonly string[]): Promise<SubjectKeys>;
  /** Destroys the subject's key. Everything encrypted under it reads as null from now on. */
  erase(subjectId: string): Promise<void>;
  /** Destroys the keys created with this address; with `madeBefore` (ISO time), only older keys. */
  eraseAddress(addressRef: string, madeBefore?: string): Promise<void>;
  close(): Promise<void>;
};

/** `masterKey`: 32 bytes of a permanent key, or master keys that can be rotated. */
type Parts = { masterKey: Buffer | MasterKey; keyStore: KeyStore };

/** Wrapping binds a key to its subject, so that wrapped keys cannot be swapped in the store. */
export const subjectKeyAssociation = (subjectId: string) => `subject key of ${subjectId}`;

/** Subject keys, wrapped by the master key and cached unwrapped in memory for a short time. */
export async function createKeyring({ masterKey, keyStore }: Parts): Promise<Keyring> {
  const master = Buffer.isBuffer(masterKey) ? createMasterKey(masterKey) : masterKey;
  const cache = createRecent<{ key: KeyObject; freshUntil: number }>(maxCachedKeys);
  // A key that was being loaded while its subject was erased must not enter the cache.
  const erased = createRecent<true>(maxRememberedErasures);
  const stopWatching = await keyStore.onErased(forget, cache.clear);

  function forget(subjectId: string): void {
    cache.delete(subjectId);
    erased.set(subjectId, true);
  }

  async function unwrap(subjectId: string, wrapped: string | null): Promise<KeyObject | null> {
    if (wrapped === null) return null;
    const key = createSecretKey(await master.unwrap(wrapped, subjectKeyAssociation(subjectId)));
    if (!erased.get(subjectId)) cache.set(subjectId, { key, freshUntil: performance.now() + cacheMs });
    return key;
  }

  /** @returns the IDs that are not in the cache */
  function fromCache(subjectIds: readonly string[], keys: Map<string, KeyObject | null>): string[] {
    const now = performance.now();
    const missing: string[] = [];
    for (const id of new Set(subjectIds)) {
      const cached = cache.get(id);
      if (cached && cached.freshUntil > now) keys.set(id, cached.key);
      else if (erased.get(id)) keys.set(id, null);
      else missing.push(id);
    }
    return missing;
  }

  return {
    keysFor: async (subjectIds, addressRefs) => {
      const keys = new Map<string, KeyObject | null>();
      const missing = fromCache(subjectIds, keys);
      if (missing.length === 0) return keys;
      // Recently read subjects are in the cache, so these are usually new: offer keys without asking first.
      const offered = new Map<string, string>();
      for (const id of missing) offered.set(id, await master.wrap(randomBytes(32), subjectKeyAssociation(id)));
      for (const [id, wrapped] of await keyStore.addSubjects(offered, addressRefs))
        keys.set(id, await unwrap(id, wrapped));
      return keys;
    },
    open: async (subjectIds) => {
      const keys = new Map<string, KeyObject | null>();
      const missing = fromCache(subjectIds, keys);
      if (missing.length === 0) return keys;
      const stored = await keyStore.loadSubjects(missing);
      for (const id of missing) {
        const wrapped = stored.get(id);
        if (wrapped === undefined) throw new Error(`the key of subject ${id} is missing, and it was not erased`);
        keys.set(id, await unwrap(id, wrapped));
      }
      return keys;
    },
    find: async (ids) => {
      const keys = new Map<string, KeyObject | null>();
      const missing = fromCache(ids, keys);
      if (missing.length === 0) return keys;
      for (const [id, wrapped] of await keyStore.loadSubjects(missing)) keys.set(id, await unwrap(id, wrapped));
      return keys;
    },
    erase: async (subjectId) => {
      await keyStore.eraseSubject(subjectId);
      forget(subjectId);
    },
    // The key store notifies every process, including this one, of the erased subjects.
    eraseAddress: (addressRef, madeBefore) => keyStore.eraseAddress(addressRef, madeBefore),
    close: stopWatching,
  };
}
