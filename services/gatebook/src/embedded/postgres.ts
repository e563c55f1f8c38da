import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, chmod, chown, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '@gatebook/runtime/free-port';
import pg from 'pg';
import { type Account, chooseAccount, findBinaries } from './binaries.ts';
import { findCluster, placeCluster } from './place.ts';

export type EmbeddedPostgres = {
  /** Connection string of `database`; the password in it is known to this data folder only. */
  url(database: string): string;
  /** Resolves when the server has ended, expected or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  /** Folder of this cluster; made when missing. */
  dataDir: string;
  /** false only where data may be lost: tests. */
  isDurable?: boolean;
  maxConnections?: number;
  onProgress?: (step: string) => void;
};

/** Stands in a data folder that initdb finished; without it the folder is half-made and made anew. */
const marker = 'gatebook-initialised';
const startAttempts = 40;
const startPauseMs = 250;

/** Starts the Postgres that comes with the installation, on loopback and a free port. @throws Error in plain words */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const account = await chooseAccount();
  const binaries = await findBinaries(account);
  const dataDir = await placeCluster(options.dataDir, account);
  const run = (program: string, args: readonly string[]) =>
    spawn(join(binaries, 'bin', program), args, {
      ...(account ? { uid: account.uid, gid: account.gid } : {}),
      cwd: dataDir,
      env: { PATH: process.env.PATH, TZ: 'UTC', LD_LIBRARY_PATH: join(binaries, 'lib') },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in a terminal reaches the whole group; Postgres is to stop after we have, not with us.
      detached: true,
    });
  const isInitialised = await access(join(dataDir, marker)).then(
    () => true,
    () => false,
  );
  if (!isInitialised) {
    options.onProgress?.('making the database');
    await initialise(run, dataDir, account);
  } else await stopOrphan(dataDir);
  const password = (await readFile(join(dataDir, 'password'), 'utf8')).trim();
  const { child, port } = await startServer(run, dataDir, options);
  const ended = once(child, 'exit').then(() => undefined);
  return {
    url: (database) => urlOf(password, port, database),
    ended,
    stop: async () => {
      if (child.exitCode === null) child.kill('SIGINT');
      await ended;
    },
  };
}

type Run = (program: string, args: readonly string[]) => ChildProcess;

async function initialise(run: Run, dataDir: string, account: Account): Promise<void> {
  const cluster = join(dataDir, 'cluster');
  const password = join(dataDir, 'password');
  await rm(cluster, { recursive: true, force: true });
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  await chmod(password, 0o600);
  if (account) await chown(password, account.uid, account.gid);
  const child = run('initdb', [
    ...['--pgdata', cluster, '--username', 'gatebook', '--pwfile', password, '--auth', 'scram-sha-256'],
    ...['--locale', 'C.UTF-8', '--encoding', 'UTF8', '--no-instructions', '--no-sync'],
  ]);
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) {
    const reason = output.join('').trim().split('\n').at(-1);
    throw new Error(`The database in ${dataDir} could not be made: ${reason}`);
  }
  await writeFile(join(dataDir, marker), '');
}

/** A Postgres whose parent was killed still holds the data folder: it is told to stop, and awaited. */
async function stopOrphan(dataDir: string): Promise<void> {
  const running = await runningServer(dataDir);
  if (!running) return;
  process.kill(running.pid, 'SIGINT');
  for (let attempt = 0; attempt < startAttempts && isAlive(running.pid); attempt += 1) await pause(startPauseMs / 5);
}

/** The server that `postmaster.pid` names, if it lives: its process, port and state are lines 1, 4 and 8 of that file. */
async function runningServer(dataDir: string): Promise<{ pid: number; port: number; isReady: boolean } | null> {
  const cluster = join(dataDir, 'cluster');
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, folder, port, state] = [Number(lines[0]), lines[1], Number(lines[3]), lines[7]];
  if (!pid || folder !== cluster || !(await isPostgresOf(pid, cluster))) return null;
  return { pid, port, isReady: state?.trim() === 'ready' };
}

/**
 * The Postgres that another process of ours runs on `dataDir`: connection strings by name of the database; null when none is ready.
 * Starts, stops and makes nothing. @throws Error when its password may not be read
 */
export async function findRunningPostgres(dataDir: string): Promise<Pick<EmbeddedPostgres, 'url'> | null> {
  const folder = await findCluster(dataDir);
  const running = await runningServer(folder);
  if (!running?.isReady) return null;
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
  return { url: (database) => urlOf(password, running.port, database) };
}

/** Whether a cluster has been made in `dataDir`. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return access(join(await findCluster(dataDir), marker)).then(
    () => true,
    () => false,
  );
}

const urlOf = (password: string, port: number, database: string) =>
  `postgres://gatebook:${password}@127.0.0.1:${port}/${database}`;

/** The number may belong to another program by now: it is ours when its command line names our folder. */
async function isPostgresOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(cluster);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function startServer(
  run: Run,
  dataDir: string,
  options: Options,
): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: options.maxConnections ?? 100,
      shared_buffers: '128MB',
      wal_level: 'minimal',
      max_wal_senders: 0,
      jit: 'off',
      ...(options.isDurable === false ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
    };
    const child = run('postgres', [
      ...['-D', join(dataDir, 'cluster')],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]);
    const fault = await readyOrFault(child);
    if (fault === null) return { child, port };
    // After a crash of both of us the old server's traces last up to a second; a free port may be taken by another.
    const isPassing = /lock file|shared memory|could not bind|Address already in use/i.test(fault);
    if (!isPassing || attempt === startAttempts) throw new Error(`The database in ${dataDir} does not start: ${fault}`);
    await pause(startPauseMs);
  }
}

/** @returns null when the server is ready, else its last words */
async function readyOrFault(child: ChildProcess): Promise<string | null> {
  if (!child.stderr) throw new Error('the database server has no standard error');
  child.stdout?.resume();
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('database system is ready to accept connections')) {
      child.stderr.resume();
      return null;
    }
    if (/FATAL|PANIC|ERROR|could not/i.test(line)) lines.push(line.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, ''));
  }
  return lines.join(' ') || 'the server ended without a word';
}

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

/** Makes `database` if it is not there yet. */
export async function ensureDatabase(server: EmbeddedPostgres, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
