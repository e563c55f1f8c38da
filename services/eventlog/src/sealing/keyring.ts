import { randomBytes } from 'node:crypto';
import type { KeyStore } from './key-store.ts';
import { open, seal } from './seal.ts';

const maxCachedKeys = 50_000;

export type Keyring = {
  /** Keys for sealing, made where a subject has none; null for an erased subject, whose facts can't be kept any more. */
  keysFor(subjectIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>>;
  /** Keys for opening; null where there is none (any more). */
  open(subjectIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>>;
  /** Destroys the subject's key: everything sealed under it reads as null from now on. */
  erase(subjectId: string): Promise<void>;
  close(): Promise<void>;
};

/** Wrapping binds a key to its subject, so that wrapped keys can't be swapped in the store. */
const associatedWith = (subjectId: string) => `subject key of ${subjectId}`;

/** Subject keys, wrapped by the master key (32 bytes), cached open in memory. */
export async function createKeyring({
  masterKey,
  keyStore,
}: {
  masterKey: Buffer;
  keyStore: KeyStore;
}): Promise<Keyring> {
  const cache = new Map<string, Buffer>();
  const erased = new Set<string>();
  const stopWatching = await keyStore.onErased(forget, () => cache.clear());

  function forget(subjectId: string): void {
    cache.delete(subjectId);
    erased.add(subjectId);
  }

  function remember(subjectId: string, key: Buffer): void {
    if (erased.has(subjectId)) return;
    const oldest = cache.size >= maxCachedKeys ? cache.keys().next() : undefined;
    if (oldest && !oldest.done) cache.delete(oldest.value);
    cache.set(subjectId, key);
  }

  function unwrap(subjectId: string, wrapped: string | null): Buffer | null {
    if (wrapped === null) return null;
    const key = open(masterKey, wrapped, associatedWith(subjectId));
    remember(subjectId, key);
    return key;
  }

  async function openKeys(subjectIds: readonly string[]): Promise<Map<string, Buffer | null>> {
    const keys = new Map<string, Buffer | null>();
    const missing: string[] = [];
    for (const id of new Set(subjectIds)) {
      const key = erased.has(id) ? null : cache.get(id);
      if (key === undefined) missing.push(id);
      else keys.set(id, key);
    }
    if (missing.length === 0) return keys;
    const stored = await keyStore.loadSubjects(missing);
    for (const [id, wrapped] of stored) keys.set(id, unwrap(id, wrapped));
    return keys;
  }

  return {
    keysFor: async (subjectIds) => {
      const keys = await openKeys(subjectIds);
      const fresh = new Map<string, string>();
      for (const id of subjectIds) {
        if (!keys.has(id)) fresh.set(id, seal(masterKey, randomBytes(32), associatedWith(id)));
      }
      if (fresh.size === 0) return keys;
      const stored = await keyStore.addSubjects(fresh);
      for (const [id, wrapped] of stored) keys.set(id, unwrap(id, wrapped));
      return keys;
    },
    open: async (subjectIds) => {
      const keys = await openKeys(subjectIds);
      for (const id of subjectIds) if (!keys.has(id)) keys.set(id, null);
      return keys;
    },
    erase: async (subjectId) => {
      await keyStore.eraseSubject(subjectId);
      forget(subjectId);
    },
    close: stopWatching,
  };
}
