import { randomBytes } from 'node:crypto';
import { createMasterKeys, type MasterKey, type MasterKeySource, masterKeyId, wrapperOf } from './master-key.ts';

/** Where the one installation key lies, wrapped. */
export type InstallationKeyStore = {
  load(): Promise<string | null>;
  /** Keeps the key unless there is one. @returns what stands there now */
  add(wrapped: string): Promise<string>;
  /** Replaces what stands there, if it is still `before`, and tells every process. @returns whether it did */
  replace(before: string, after: string): Promise<boolean>;
  /** Calls back after a change by any process, and when one may have been missed. @returns a function that ends the watch */
  onChanged(listener: () => void): Promise<() => Promise<void>>;
};

export type OpenedKeys = {
  master: MasterKey;
  /** 32 random bytes that stay the same for the life of the installation; only keys derived from them are used. */
  installationKey: Buffer;
  close(): Promise<void>;
};

/** A process that could not be told of a new master key wraps by it after this long. */
export const masterKeyCacheMs = 30_000;
const associated = 'installation key';

/**
 * Opens the installation key, made at the first start, and with it the master keys: the one that wraps the installation key wraps
 * every new key. So a new master key is in force for all processes at the moment at which the installation key is
 * wrapped by it, and not before, in whatever order they were restarted. @throws UnknownMasterKeyError
 */
export async function openKeys(source: MasterKeySource, store: InstallationKeyStore): Promise<OpenedKeys> {
  const [newest] = await source();
  if (!newest) throw new Error('there is no master key');
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

/** Puts the newest master key in force. @returns whether another one was in force. @throws UnknownMasterKeyError */
export async function useNewestMasterKey(source: MasterKeySource, store: InstallationKeyStore): Promise<boolean> {
  const [newest] = await source();
  const wrapped = await store.load();
  if (!newest || wrapped === null) throw new Error('there is no key to rotate');
  const id = masterKeyId(newest);
  if (wrapperOf(wrapped) === id) return false;
  const master = createMasterKeys(source, async () => id);
  const again = await master.wrap(await master.unwrap(wrapped, associated), associated);
  // Somebody else rotates at the same moment: look again.
  return (await store.replace(wrapped, again)) || useNewestMasterKey(source, store);
}
