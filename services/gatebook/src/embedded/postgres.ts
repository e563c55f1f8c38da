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
  /** Connection string of `database`. Its password is stored only in this data folder. */
  url(database: string): string;
  /** Resolves when the server has stopped for any reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  /** Folder of this cluster; created if missing. */
  dataDir: string;
  /** false only in tests, where losing data is acceptable. */
  isDurable?: boolean;
  maxConnections?: number;
  /** Additional settings of the server, such as `shared_preload_libraries`. */
  settings?: Readonly<Record<string, string>>;
  onProgress?: (step: string) => void;
  /** Called when the server has been started, long before it is ready. */
  onSpawn?: () => void;
};

/** This file exists in a data folder if initdb has finished; otherwise the cluster is created again. */
const marker = 'gatebook-initialized';
const startAttempts = 40;
const startPauseMs = 250;

/** Starts the embedded Postgres on loopback and a free port. @throws Error with a message for operators */
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
      // Ctrl-C in a terminal signals the whole process group. Postgres must stop after this process.
      detached: true,
    });
  const isInitialized = await access(join(dataDir, marker)).then(
    () => true,
    () => false,
  );
  if (!isInitialized) {
    options.onProgress?.('creating the database');
    await initialize(run, dataDir, account);
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

async function initialize(run: Run, dataDir: string, account: Account): Promise<void> {
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
    throw new Error(`The database in ${dataDir} could not be created: ${reason}`);
  }
  await writeFile(join(dataDir, marker), '');
}

/** Stops a Postgres whose parent was killed, because it still uses the data folder. */
async function stopOrphan(dataDir: string): Promise<void> {
  const running = await runningServer(dataDir);
  if (!running) return;
  process.kill(running.pid, 'SIGINT');
  for (let attempt = 0; attempt < startAttempts && isAlive(running.pid); attempt += 1) await pause(startPauseMs / 5);
}

/** The running server of `postmaster.pid`: lines 1, 4 and 8 of that file are its process ID, port and state. */
async function runningServer(dataDir: string): Promise<{ pid: number; port: number; isReady: boolean } | null> {
  const cluster = join(dataDir, 'cluster');
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, folder, port, state] = [Number(lines[0]), lines[1], Number(lines[3]), lines[7]];
  if (!pid || folder !== cluster || !(await isPostgresOf(pid, cluster))) return null;
  return { pid, port, isReady: state?.trim() === 'ready' };
}

/**
 * The Postgres that another process runs on `dataDir`; null if none is ready. @throws Error when there is no permission
 * to read its password
 */
export async function findRunningPostgres(dataDir: string): Promise<Pick<EmbeddedPostgres, 'url'> | null> {
  const folder = await findCluster(dataDir);
  const running = await runningServer(folder);
  if (!running?.isReady) return null;
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
  return { url: (database) => urlOf(password, running.port, database) };
}

/** Whether `dataDir` has a cluster. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return access(join(await findCluster(dataDir), marker)).then(
    () => true,
    () => false,
  );
}

const urlOf = (password: string, port: number, database: string) =>
  `postgres://gatebook:${password}@127.0.0.1:${port}/${database}`;

/** Process IDs are reused, so check that the command line contains the folder of the cluster. */
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
      ...options.settings,
    };
    const child = run('postgres', [
      ...['-D', join(dataDir, 'cluster')],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]);
    const ready = waitUntilReady(child);
    options.onSpawn?.();
    const fault = await ready;
    if (fault === null) return { child, port };
    // After a crash, lock file and shared memory of the old server exist for up to a second. The port can be taken
    // meanwhile.
    const isTransient = /lock file|shared memory|could not bind|Address already in use/i.test(fault);
    if (!isTransient || attempt === startAttempts)
      throw new Error(`The database in ${dataDir} does not start: ${fault}`);
    await pause(startPauseMs);
  }
}

/** @returns null when the server is ready, else its error messages */
async function waitUntilReady(child: ChildProcess): Promise<string | null> {
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
  return lines.join(' ') || 'the server stopped without a message';
}

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

/** Creates `database` if it does not exist. */
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
