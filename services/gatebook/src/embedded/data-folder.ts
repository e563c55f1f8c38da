import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { KeyTexts } from '@gatebook/commands/project-key';
import type { Config } from '@gatebook/runtime/config';
import { projectKeyText } from '@gatebook/runtime/ids';

/** What a person has to mend before Gatebook can start; `message` is one sentence for them. */
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

/** The configured master key, else the one of the data folder, made at the first start. 32 bytes. */
export async function findMasterKey(folder: string, { masterKey }: Config['sealing']): Promise<Buffer> {
  if (masterKey) return masterKey;
  const key = Buffer.from(
    await keepSecret(join(folder, 'master-key'), () => randomBytes(32).toString('base64')),
    'base64',
  );
  if (key.length !== 32)
    throw new StartError(`The file ${join(folder, 'master-key')} does not hold 32 bytes in base64.`);
  return key;
}

/** The master key of a Gatebook that is there already; makes none. @throws StartError when there is none to be found */
export async function readMasterKey(folder: string, { masterKey }: Config['sealing']): Promise<Buffer> {
  const file = join(resolve(folder), 'master-key');
  const text = masterKey ? null : await readFile(file, 'utf8').catch(() => null);
  const key = masterKey ?? Buffer.from(text?.trim() ?? '', 'base64');
  if (key.length === 32) return key;
  throw new StartError(
    `There is no master key in ${file}: set GATEBOOK_MASTER_KEY, or GATEBOOK_DATA_DIR to its folder.`,
  );
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
  const handle = await open(file, 'w', 0o600);
  await handle.writeFile(`${secret}\n`);
  await handle.sync();
  await handle.close();
  await chmod(file, 0o600);
  return secret;
}
