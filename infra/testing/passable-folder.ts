import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const gibibyte = 2 ** 30;

/** A temporary folder that the account that runs Postgres for root can traverse. */
export async function makePassableFolder(prefix: string, parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o711);
  return folder;
}

/** The same for databases: in memory if there is plenty of it, because copying them takes a third of the time there. */
export async function makeDataFolder(prefix: string): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return makePassableFolder(prefix, bavail * bsize > 4 * gibibyte && freemem() > 8 * gibibyte ? memory : tmpdir());
}
