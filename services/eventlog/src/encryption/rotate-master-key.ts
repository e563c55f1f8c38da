import { pause } from '@gatebook/runtime/pause';
import { type InstallationKeyStore, masterKeyCacheMs, useNewestMasterKey } from './installation-key.ts';
import { createMasterKeys, type MasterKeySource, masterKeyId } from './master-key.ts';

export type WrappedKey = { id: string; wrapped: string; associated: string };
/** A table of keys wrapped by a master key. */
export type WrappedKeys = {
  name: string;
  /** Keys wrapped by another master key, by ID after `after`. */
  listWrappedByOthers(masterKeyId: string, after: string, limit: number): Promise<readonly WrappedKey[]>;
  /**
   * Replaces each key that is unchanged since it was read. Keys that were erased or replaced meanwhile stay as they
   * are.
   */
  replaceWrapped(keys: readonly { id: string; before: string; after: string }[]): Promise<void>;
};

type Parts = {
  source: MasterKeySource;
  installation: InstallationKeyStore;
  tables: readonly WrappedKeys[];
  /** Receives the number of keys of a table that have been wrapped again so far. */
  onProgress?: (table: string, count: number) => void;
  /** How long a process can keep wrapping with the former key. */
  settleMs?: number;
};

const pageSize = 1_000;

/**
 * Puts the newest master key in force and wraps every stored key with it, while everything keeps running. All processes
 * must know both keys. A call after an interruption continues where it stopped, because finished keys already name the
 * new key. @returns the number of keys wrapped again; 0 if there was nothing to do
 */
export async function rotateMasterKey({ source, installation, tables, onProgress, settleMs }: Parts): Promise<number> {
  const [newest, ...former] = await source();
  if (!newest) throw new Error('no master key was given');
  const id = masterKeyId(newest);
  const isSwitched = await useNewestMasterKey(source, installation);
  const master = createMasterKeys(source, async () => id);

  async function wrapAgain(table: WrappedKeys): Promise<number> {
    let [count, after] = [0, ''];
    for (;;) {
      const page = await table.listWrappedByOthers(id, after, pageSize);
      const last = page.at(-1);
      if (!last) return count;
      const replaced = await Promise.all(
        page.map(async ({ id: keyId, wrapped, associated }) => {
          const key = await master.unwrap(wrapped, associated);
          return { id: keyId, before: wrapped, after: await master.wrap(key, associated) };
        }),
      );
      await table.replaceWrapped(replaced);
      count += page.length;
      after = last.id;
      onProgress?.(table.name, count);
    }
  }
  async function wrapAll(): Promise<number> {
    let count = 0;
    for (const table of tables) count += await wrapAgain(table);
    return count;
  }

  let count = await wrapAll();
  // Without a former key, no process can wrap with one.
  if (former.length === 0) return count;
  // Processes that missed the announcement wrap some more keys with the former key.
  await pause(settleMs ?? masterKeyCacheMs + 1_000);
  for (let more = -1; more !== 0; count += more) more = await wrapAll();
  return count + (isSwitched ? 1 : 0);
}
