import { randomBytes } from 'node:crypto';
import { createMasterKeys, type MasterKey, type MasterKeySource, masterKeyId, wrapperOf } from './master-key.ts';

/** Where the wrapped installation key is stored. */
export type InstallationKeyStore = {
  load(): Promise<string | null>;
  /** Stores the key unless there is one. @returns the stored key */
  add(wrapped: string): Promise<string>;
  /** Replaces the stored key if it is still `before`, and notifies every process. @returns whether it was replaced */
  replace(before: string, after: string): Promise<boolean>;
  /**
   * Calls back after a change by any process, and when a change may have been missed. @returns a function that stops
   * watching
   */
  onChanged(listener: () => void): Promise<() => Promise<void>>;
};

export type OpenedKeys = {
  master: MasterKey;
  /** 32 random bytes that stay the same for the life of the installation. Only keys derived from them are used. */
  installationKey: Buffer;
  close(): Promise<void>;
};

/** A process that missed the announcement of a new master key uses it after this long. */
export const masterKeyCacheMs = 30_000;
const associated = 'installation key';

/**
 * Opens the installation key, which the first start created, and with it the master keys: the one that wraps the
 * installation key wraps every new key. So a new master key is in force for all processes from the moment the
 * installation key is wrapped by it, in whatever order they were restarted. @throws UnknownMasterKeyError
 */
export async function openKeys(source: MasterKeySource, store: InstallationKeyStore): Promise<OpenedKeys> {
  const [newest] = await source();
  if (!newest) throw new Error('no master key was given');
  let wrapping = { id: masterKeyId(newest), freshUntil: Number.POSITIVE_INFINITY };
  const master = createMasterKeys(source, async () => {
    if (wrapping.freshUntil <= performance.now()) use(await wrappedKey());
    return wrapping.id;
  });

  async function wrappedKey(): Promise<string> {
    return (await store.load()) ?? store.add(await master.wrap(randomBytes(32), associated));
  }
  function use(wrapped: string): void {
    wrapping = { id: wrapperOf(wrapped), freshUntil: performance.now() + masterKeyCacheMs };
  }

  const wrapped = await wrappedKey();
  const installationKey = await master.unwrap(wrapped, associated);
  use(wrapped);
  const close = await store.onChanged(() => {
    wrapping.freshUntil = 0;
  });
  return { master, installationKey, close };
}

/** Puts the newest master key in force. @returns whether another one was in force @throws UnknownMasterKeyError */
export async function useNewestMasterKey(source: MasterKeySource, store: InstallationKeyStore): Promise<boolean> {
  const [newest] = await source();
  const wrapped = await store.load();
  if (!newest || wrapped === null) throw new Error('the installation key does not exist yet');
  const id = masterKeyId(newest);
  if (wrapperOf(wrapped) === id) return false;
  const master = createMasterKeys(source, async () => id);
  const again = await master.wrap(await master.unwrap(wrapped, associated), associated);
  // Another process is rotating at the same moment, so look again.
  return (await store.replace(wrapped, again)) || useNewestMasterKey(source, store);
}
