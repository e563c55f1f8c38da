import { pause } from '@gatebook/runtime/pause';
import { type InstallationKeyStore, masterKeyCacheMs, useNewestMasterKey } from './installation-key.ts';
import { createMasterKeys, type MasterKeySource, masterKeyId } from './master-key.ts';

export type WrappedKey = { id: string; wrapped: string; associated: string };
/** A table of keys wrapped by a master key. */
export type WrappedKeys = {
  name: string;
  /** Keys that another master key wrapped, by ID after `after`. */
  listWrappedByOthers(masterKeyId: string, after: string, limit: number): Promise<readonly WrappedKey[]>;
  /** Replaces each that is still as it was read: one erased or replaced meanwhile stays as it is. */
  replaceWrapped(keys: readonly { id: string; before: string; after: string }[]): Promise<void>;
};

type Parts = {
  source: MasterKeySource;
  installation: InstallationKeyStore;
  tables: readonly WrappedKeys[];
  /** Gets how many keys of a table have been wrapped again so far. */
  onProgress?: (table: string, count: number) => void;
  /** How long a process may go on wrapping by the former key. */
  settleMs?: number;
};

const pageSize = 1_000;

/**
 * Puts the newest master key in force and wraps every stored key by it again, while everything runs. All processes must know both keys.
 * Stopped in the middle, it goes on where it was at the next call: what is done already names the new key.
 * @returns how many keys were wrapped again; 0 when there was nothing to do
 */
export async function rotateMasterKey({ source, installation, tables, onProgress, settleMs }: Parts): Promise<number> {
  const [newest, ...former] = await source();
  if (!newest) throw new Error('there is no master key');
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
  // Without a former key nobody can wrap by one.
  if (former.length === 0) return count;
  // Processes that were not told at once wrap some more by the former key.
  await pause(settleMs ?? masterKeyCacheMs + 1_000);
  for (let more = -1; more !== 0; count += more) more = await wrapAll();
  return count + (isSwitched ? 1 : 0);
}
