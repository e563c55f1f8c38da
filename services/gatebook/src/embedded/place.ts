import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Account } from './binaries.ts';

/** Parent of clusters whose data folder is not accessible for the account that runs Postgres. */
const systemFolder = '/var/lib/gatebook';

/**
 * The folder for the cluster of `dataDir`: that folder itself, created if missing. If we are root and `account` can't
 * access it (often below root's home), a folder below /var/lib/gatebook, whose path is stored in `dataDir`/moved-to.
 */
export async function placeCluster(dataDir: string, account: Account): Promise<string> {
  const wanted = resolve(dataDir);
  // The account needs to traverse the folders above the cluster. The files in them have stricter modes.
  await mkdir(wanted, { recursive: true, mode: account ? 0o711 : 0o700 });
  await chmod(wanted, 0o700);
  if (!account) return wanted;
  await chown(wanted, account.uid, account.gid);
  if (canWrite(wanted, account)) return wanted;
  const pointer = join(wanted, 'moved-to');
  const known = await readFile(pointer, 'utf8').catch(() => '');
  const folder = known.trim() || join(systemFolder, randomBytes(8).toString('hex'));
  await mkdir(folder, { recursive: true, mode: 0o711 });
  await chmod(folder, 0o700);
  await chown(folder, account.uid, account.gid);
  if (!canWrite(folder, account)) {
    throw new Error(
      `The account "${account.name}", which runs the database, can't write to ${wanted} nor to ${folder}.`,
    );
  }
  await writeFile(pointer, `${folder}\n`);
  return folder;
}

/** The folder of the cluster of `dataDir`, whether it exists or not. */
export async function findCluster(dataDir: string): Promise<string> {
  const known = await readFile(join(resolve(dataDir), 'moved-to'), 'utf8').catch(() => '');
  return known.trim() || resolve(dataDir);
}

function canWrite(folder: string, { uid, gid }: NonNullable<Account>): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'test -w "$0" && test -x "$0"', folder], { uid, gid, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
