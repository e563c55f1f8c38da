import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { KeyTexts } from '@gatebook/commands/project-key/project-key';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { Config } from '@gatebook/runtime/config';
import { projectKeyText } from '@gatebook/runtime/ids';

/** A problem that the operator must fix before Gatebook can start. `message` is one sentence. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** Creates the folder if it is missing. @throws StartError when it can't be created or written to */
export async function openDataFolder(folder: string): Promise<string> {
  const path = resolve(folder);
  try {
    // The account that runs Postgres for root needs to traverse the folder. The files in it have stricter modes.
    await mkdir(path, { recursive: true, mode: 0o711 });
    await access(path, constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartError(
      `The data folder ${path} can't be written to (${reason}): set GATEBOOK_DATA_DIR to a writable folder.`,
    );
  }
}

/**
 * Locks the folder for this process. The lock file of a killed process is ignored. @returns a function that unlocks the
 * folder
 * @throws StartError when a running process has the lock
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'gatebook.pid');
  const [pid = '', startedAt = ''] = (await readFile(file, 'utf8').catch(() => '')).trim().split(' ');
  if (pid && Number(pid) !== process.pid && startedAt && (await startOf(Number(pid))) === startedAt) {
    throw new StartError(
      `Another Gatebook (process ${pid}) uses the data folder ${folder}: stop it or set GATEBOOK_DATA_DIR.`,
    );
  }
  await writeFile(file, `${process.pid} ${await startOf(process.pid)}\n`);
  return () => rm(file, { force: true });
}

/**
 * The start time of a process, because process IDs are reused; null if it does not run, or has ended and its parent has
 * not noticed yet. Only known on Linux.
 */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return isAlive(pid) ? 'running' : null;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // Fields 3 (state) and 22 (start time) of proc(5), found after the command's name, which can contain spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The configured master keys, or those in the data folder. Creates one at the first start. @throws StartError */
export async function findMasterKeys(folder: string, encryption: Config['encryption']): Promise<MasterKeySource> {
  if (!encryption.masterKey) await readOrCreateSecret(join(folder, 'master-key'), newMasterKey);
  return readMasterKeys(folder, encryption);
}

/** The master keys of an existing installation. @throws StartError when there is none */
export async function readMasterKeys(folder: string, encryption: Config['encryption']): Promise<MasterKeySource> {
  const { masterKey, formerMasterKeys } = encryption;
  if (masterKey) return async () => [masterKey, ...formerMasterKeys];
  const file = join(resolve(folder), 'master-key');
  // Read on each call, because `gatebook keys rotate master` adds a new key while servers run.
  const source = async () => [...(await masterKeysIn(file)), ...formerMasterKeys];
  await source();
  return source;
}

/** One key in base64 per line, the newest first. @throws StartError */
async function masterKeysIn(file: string): Promise<readonly Buffer[]> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    throw new StartError(
      `There is no master key in ${file}: set GATEBOOK_MASTER_KEY, or set GATEBOOK_DATA_DIR to the folder with the key.`,
    );
  }
  const keys = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => Buffer.from(line.trim(), 'base64'));
  if (keys.length > 0 && keys.every((key) => key.length === 32)) return keys;
  throw new StartError(`Each line of ${file} must contain 32 bytes in base64.`);
}

const newMasterKey = () => randomBytes(32).toString('base64');

/** Adds a new master key before the one in the data folder, unless an interrupted rotation has added one. */
export async function addMasterKey(folder: string): Promise<void> {
  const file = join(resolve(folder), 'master-key');
  const [current, ...former] = await masterKeysIn(file);
  if (current && former.length === 0) await replaceSecret(file, `${newMasterKey()}\n${current.toString('base64')}\n`);
}

/** Removes all but the newest master key from the data folder. */
export async function dropFormerMasterKeys(folder: string): Promise<void> {
  const file = join(resolve(folder), 'master-key');
  const [newest, ...former] = await masterKeysIn(file);
  if (newest && former.length > 0) await replaceSecret(file, `${newest.toString('base64')}\n`);
}

/** Replaces the file atomically, also across a crash. */
async function replaceSecret(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  await rm(next, { force: true });
  await writeSecret(next, text);
  await rename(next, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync();
  await folder.close();
}

/** Keys of project `internal`, from the configuration or the data folder. Created at the first start. */
export async function findInternalKeys(
  folder: string,
  configured: Config['internal'],
): Promise<KeyTexts & { publishableClientKey: string }> {
  const file = join(folder, 'internal-keys.json');
  const stored = JSON.parse(
    await readOrCreateSecret(file, () =>
      JSON.stringify({
        publishableClientKey: projectKeyText('pck'),
        secretServerKey: projectKeyText('ssk'),
        superSecretAdminKey: projectKeyText('sak'),
      }),
    ),
  ) as Record<keyof KeyTexts, string>;
  return {
    publishableClientKey: configured.publishableClientKey ?? stored.publishableClientKey,
    secretServerKey: configured.secretServerKey ?? stored.secretServerKey,
    superSecretAdminKey: configured.superSecretAdminKey ?? stored.superSecretAdminKey,
  };
}

/** Reads or creates a secret file. It is readable by its owner only and flushed to disk before use. */
async function readOrCreateSecret(file: string, make: () => string): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => null);
  if (known?.trim()) return known.trim();
  const secret = make();
  await writeSecret(file, `${secret}\n`);
  return secret;
}

async function writeSecret(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  await handle.writeFile(text);
  await handle.sync();
  await handle.close();
  await chmod(file, 0o600);
}
