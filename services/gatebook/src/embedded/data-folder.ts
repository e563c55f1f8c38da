import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { KeyTexts } from '@gatebook/commands/project-key/project-key';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { Config } from '@gatebook/runtime/config';
import { projectKeyText } from '@gatebook/runtime/ids';

/** What a person has to repair before Gatebook can start; `message` is one sentence for them. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** @throws StartError when the folder can't be made or written to */
export async function openDataFolder(folder: string): Promise<string> {
  const path = resolve(folder);
  try {
    // Passable, so that the account that runs Postgres for root can reach its own folder; what lies in it is closed.
    await mkdir(path, { recursive: true, mode: 0o711 });
    await access(path, constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartError(
      `The data folder ${path} can't be written to (${reason}): set GATEBOOK_DATA_DIR to one that can.`,
    );
  }
}

/**
 * Makes this process the only one that uses the folder. A process that was killed leaves its mark behind; it counts only as long
 * as that very process runs. @returns a function that gives the folder back @throws StartError
 */
export async function claimDataFolder(folder: string): Promise<() => Promise<void>> {
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

/** Tells processes with the same number apart; null when there is none. Elsewhere than on Linux a number has to do. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return isAlive(pid) ? 'running' : null;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // Field 22, counted from the end of the command's name, which may hold spaces (proc(5)).
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The configured master keys, else those of the data folder, of which the first is made at the first start. @throws StartError */
export async function findMasterKeys(folder: string, encryption: Config['encryption']): Promise<MasterKeySource> {
  if (!encryption.masterKey) await keepSecret(join(folder, 'master-key'), newMasterKey);
  return readMasterKeys(folder, encryption);
}

/** The master keys of a Gatebook that is there already; makes none. @throws StartError when there is none to be found */
export async function readMasterKeys(folder: string, encryption: Config['encryption']): Promise<MasterKeySource> {
  const { masterKey, formerMasterKeys } = encryption;
  if (masterKey) return async () => [masterKey, ...formerMasterKeys];
  const file = join(resolve(folder), 'master-key');
  // Read each time: `gatebook keys rotate master` puts a new one in front while servers run.
  const source = async () => [...(await masterKeysIn(file)), ...formerMasterKeys];
  await source();
  return source;
}

/** One in base64 on each line, the newest first. @throws StartError */
async function masterKeysIn(file: string): Promise<readonly Buffer[]> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    throw new StartError(
      `There is no master key in ${file}: set GATEBOOK_MASTER_KEY, or GATEBOOK_DATA_DIR to its folder.`,
    );
  }
  const keys = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => Buffer.from(line.trim(), 'base64'));
  if (keys.length > 0 && keys.every((key) => key.length === 32)) return keys;
  throw new StartError(`The file ${file} does not hold 32 bytes in base64 on each line.`);
}

const newMasterKey = () => randomBytes(32).toString('base64');

/** Puts a new master key in front of the one in the data folder, unless a rotation that was begun has done so. */
export async function addMasterKey(folder: string): Promise<void> {
  const file = join(resolve(folder), 'master-key');
  const [current, ...former] = await masterKeysIn(file);
  if (current && former.length === 0) await replaceSecret(file, `${newMasterKey()}\n${current.toString('base64')}\n`);
}

/** Leaves the newest master key alone in the data folder. */
export async function dropFormerMasterKeys(folder: string): Promise<void> {
  const file = join(resolve(folder), 'master-key');
  const [newest, ...former] = await masterKeysIn(file);
  if (newest && former.length > 0) await replaceSecret(file, `${newest.toString('base64')}\n`);
}

/** In one step: readers see the old text or the new one, and so does a start after a crash. */
async function replaceSecret(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  await rm(next, { force: true });
  await writeSecret(next, text);
  await rename(next, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync();
  await folder.close();
}

/** Keys of `internal`: each from the configuration, else from the data folder, made at the first start. */
export async function findInternalKeys(
  folder: string,
  configured: Config['internal'],
): Promise<KeyTexts & { publishableClientKey: string }> {
  const file = join(folder, 'internal-keys.json');
  const made = JSON.parse(
    await keepSecret(file, () =>
      JSON.stringify({
        publishableClientKey: projectKeyText('pck'),
        secretServerKey: projectKeyText('ssk'),
        superSecretAdminKey: projectKeyText('sak'),
      }),
    ),
  ) as Record<keyof KeyTexts, string>;
  return {
    publishableClientKey: configured.publishableClientKey ?? made.publishableClientKey,
    secretServerKey: configured.secretServerKey ?? made.secretServerKey,
    superSecretAdminKey: configured.superSecretAdminKey ?? made.superSecretAdminKey,
  };
}

/** Reads a secret file, or makes it: for the owner's eyes only, and on disk before anything depends on it. */
async function keepSecret(file: string, make: () => string): Promise<string> {
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
