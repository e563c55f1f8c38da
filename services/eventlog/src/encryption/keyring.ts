import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Erased, KeyStore, StoredKey, SubjectOrigin } from './key-store.ts';
import { createMasterKey, type MasterKey, UnknownMasterKeyError } from './master-key.ts';
import { createRecent } from './recent.ts';

const keyBytes = 32;
/** Node takes 1.1 KB for each. */
const maxCachedKeys = 10_000;
const maxRememberedErasures = 10_000;
/** An erasure that another process missed reaches it after this long. */
const cacheMs = 60_000;

export type SubjectKeys = ReadonlyMap<string, KeyObject | null>;

export type Keyring = {
  /**
   * Keys for encryption, created for subjects that have none; null for an erased subject, whose personal data cannot be
   * stored.
   */
  keysFor(subjectIds: readonly string[], origin?: SubjectOrigin): Promise<SubjectKeys>;
  /** Keys for decryption; null for an erased subject, absent for an ID without a key (no subject, or a lost key). */
  open(ids: readonly string[]): Promise<SubjectKeys>;
  /** Whether the subject's key is in memory, which it is not once this process knows of its erasure. */
  hasKey(subjectId: string): boolean;
  /** Asks the key store, not the cache. */
  isErased(subjectId: string): Promise<boolean>;
  /** Destroys the subject's key. Everything encrypted under it reads as null from now on. */
  erase(subjectId: string): Promise<void>;
  /** Destroys the keys created with this address; with `madeBefore` (ISO time), only older keys. */
  eraseAddress(addressRef: string, madeBefore?: string): Promise<void>;
  /** Makes all keys of the project unreadable and destroys at most `limit` of them. @returns how many */
  eraseProject(projectId: string, limit: number): Promise<number>;
  /** Calls back with what any process erased; with null if something may have been missed. */
  onErased(listener: (erased: Erased | null) => void): void;
  close(): Promise<void>;
};

/** `masterKey`: 32 bytes of a permanent key, or master keys that can be rotated. */
type Parts = { masterKey: Buffer | MasterKey; keyStore: KeyStore };

/** Wrapping binds a key to its subject, so that wrapped keys cannot be swapped in the store. */
export const subjectKeyAssociation = (subjectId: string) => `subject key of ${subjectId}`;

/** Subject keys, wrapped by the master key and cached unwrapped in memory for a short time. */
export async function createKeyring({ masterKey, keyStore }: Parts): Promise<Keyring> {
  const master = Buffer.isBuffer(masterKey) ? createMasterKey(masterKey) : masterKey;
  const cache = createRecent<{ key: KeyObject; projectId: string | null; freshUntil: number }>(maxCachedKeys);
  // A key that was being loaded while it was erased must not enter the cache.
  const erased = createRecent<true>(maxRememberedErasures);
  const erasedProjects = createRecent<true>(maxRememberedErasures);
  const listeners: ((erased: Erased | null) => void)[] = [];
  const stopWatching = await keyStore.onErased(forget, () => {
    // The database may have lost keys and erasures.
    cache.clear();
    erased.clear();
    erasedProjects.clear();
    for (const listener of listeners) listener(null);
  });

  function forget(what: Erased): void {
    if ('subjectId' in what) {
      cache.delete(what.subjectId);
      erased.set(what.subjectId, true);
    } else {
      erasedProjects.set(what.projectId, true);
      // A key without a project may be of this one.
      cache.deleteWhere(({ projectId }) => projectId === what.projectId || projectId === null);
    }
    for (const listener of listeners) listener(what);
  }

  async function unwrap(subjectId: string, { wrapped, projectId }: StoredKey): Promise<KeyObject | null> {
    if (wrapped === null) return null;
    return remember(subjectId, await master.unwrap(wrapped, subjectKeyAssociation(subjectId)), projectId);
  }

  function remember(subjectId: string, bytes: Buffer, projectId: string | null): KeyObject {
    const key = createSecretKey(bytes);
    const isErased = erased.get(subjectId) || (projectId !== null && erasedProjects.get(projectId));
    if (!isErased) cache.set(subjectId, { key, projectId, freshUntil: performance.now() + cacheMs });
    return key;
  }

  /** A damaged key is lost. A missing master key makes all keys unreadable, which is a fault of the configuration. */
  function lostUnlessMasterKeyMissing(error: unknown): undefined {
    if (error instanceof UnknownMasterKeyError) throw error;
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
    keysFor: async (subjectIds, origin) => {
      const keys = new Map<string, KeyObject | null>();
      const missing = fromCache(subjectIds, keys);
      if (missing.length === 0) return keys;
      // Recently read subjects are in the cache, so these are usually new: offer keys without asking first.
      const offered = new Map<string, string>();
      const own = new Map<string, Buffer>();
      const random = randomBytes(keyBytes * missing.length);
      for (const [index, id] of missing.entries()) {
        const bytes = random.subarray(index * keyBytes, (index + 1) * keyBytes);
        own.set(id, bytes);
        offered.set(id, await master.wrap(bytes, subjectKeyAssociation(id)));
      }
      for (const [id, stored] of await keyStore.addSubjects(offered, origin)) {
        const bytes = stored.wrapped === offered.get(id) ? own.get(id) : undefined;
        keys.set(id, bytes ? remember(id, bytes, stored.projectId) : await unwrap(id, stored));
      }
      return keys;
    },
    open: async (ids) => {
      const keys = new Map<string, KeyObject | null>();
      const missing = fromCache(ids, keys);
      if (missing.length === 0) return keys;
      const found = await keyStore.loadSubjects(missing);
      for (const id of missing) {
        const stored = found.get(id);
        const key = stored && (await unwrap(id, stored).catch(lostUnlessMasterKeyMissing));
        if (key !== undefined) keys.set(id, key);
      }
      return keys;
    },
    hasKey: (subjectId) => cache.get(subjectId) !== undefined,
    isErased: async (subjectId) => (await keyStore.loadSubjects([subjectId])).get(subjectId)?.wrapped === null,
    erase: async (subjectId) => {
      await keyStore.eraseSubject(subjectId);
      forget({ subjectId });
    },
    // The key store notifies every process, including this one, of the erased subjects.
    eraseAddress: (addressRef, madeBefore) => keyStore.eraseAddress(addressRef, madeBefore),
    eraseProject: async (projectId, limit) => {
      const destroyed = await keyStore.eraseProject(projectId, limit);
      forget({ projectId });
      return destroyed;
    },
    onErased: (listener) => {
      listeners.push(listener);
    },
    close: stopWatching,
  };
}
