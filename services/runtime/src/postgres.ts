import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { BoundedClient, socketOf } from './postgres-client.ts';
import { rememberPid, watchStatements } from './statement-watch.ts';

export type { Pool, PoolClient } from 'pg';
export const { escapeIdentifier, escapeLiteral } = pg;

type PoolOptions = {
  max?: number;
  /** The application_name of the connections. */
  name: string;
  /** Server settings of each connection, such as `plan_cache_mode`. */
  settings?: Readonly<Record<string, string>>;
  /**
   * No timeout of the database, the role or the connection string ends its statements, unless `settings` has it.
   * Otherwise `statementMs` limits them too.
   */
  isForLongWork?: boolean;
  /** The longest time for which a statement can run, unless the pool is for long work. */
  statementMs?: number;
  /** How often statements of long work are looked at. */
  lookEveryMs?: number;
};

/** Limits that administrators set for requests. Some exist only in newer versions of Postgres. */
const timeouts = ['statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout'];

/**
 * Longer than the pauses between the regular looks of an idle process: opening a connection costs as much CPU as about
 * fifty of them.
 */
export const idleConnectionMs = 90_000;

/** No query of a request takes nearly as long, except while the database is overloaded. */
const defaultStatementMs = 60_000;

/** The server ends the transactions, and so the locks, of a process that vanished without a word within 20 seconds. */
export const keepAliveSettings = { tcp_keepalives_idle: '10', tcp_keepalives_interval: '2', tcp_keepalives_count: '5' };

/** `url` is a Postgres connection string. Connections are opened when first needed. */
export function createPool(
  url: string,
  { max = 10, name, settings = {}, isForLongWork = false, statementMs = defaultStatementMs, lookEveryMs }: PoolOptions,
): pg.Pool {
  const config = { connectionString: withSettings(url, { ...keepAliveSettings, ...settings }), application_name: name };
  const pool = new pg.Pool({
    ...config,
    max,
    Client: BoundedClient as unknown as new () => BoundedClient,
    idleTimeoutMillis: idleConnectionMs,
    // Sends queued statements of a client without waiting for the previous result.
    pipeline: true,
    ...(isForLongWork
      ? { onConnect: (client: pg.ClientBase) => liftTimeouts(client, settings) }
      : {
          // Later than the server, which says what it ended.
          query_timeout: statementMs * 1.1,
          onConnect: (client: pg.ClientBase) => limitStatements(client, statementMs),
        }),
  });
  if (isForLongWork) watchStatements(pool, config, lookEveryMs);
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', () => undefined);
  // The query of a connection that breaks in use rejects, so the error is handled there.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

async function liftTimeouts(client: pg.ClientBase, kept: Readonly<Record<string, string>>): Promise<void> {
  const lifted = timeouts.filter((name) => !(name in kept)).map(pg.escapeLiteral);
  const results: unknown = await client.query(
    `set statement_timeout = 0; select set_config(name, '0', false) from pg_settings where name in (${lifted});
     select pg_backend_pid() as pid`,
  );
  const pid = (results as pg.QueryResult<{ pid: number }>[]).at(-1)?.rows[0]?.pid;
  if (pid !== undefined) rememberPid(client, pid);
}

/** Keeps a limit that an administrator has set. */
async function limitStatements(client: pg.ClientBase, statementMs: number): Promise<void> {
  await client.query(
    `select set_config('statement_timeout', $1, false) where current_setting('statement_timeout') = '0'`,
    [String(statementMs)],
  );
}

/**
 * Adds server settings to a connection string, to be set when a connection opens. Keeps those in the string: `pg` would
 * replace them by options that are passed separately.
 */
export function withSettings(url: string, settings: Readonly<Record<string, string>>): string {
  const added = Object.entries(settings).map(([setting, value]) => `-c ${setting}=${value}`);
  if (added.length === 0) return url;
  const whole = new URL(url);
  const given = whole.searchParams.get('options');
  whole.searchParams.set('options', [...(given ? [given] : []), ...added].join(' '));
  return whole.href;
}

/**
 * Splits a connection string into the string without server settings and these settings, for libraries that add their
 * own.
 */
export function splitSettings(url: string): { url: string; options: string | undefined } {
  const whole = new URL(url);
  const options = whole.searchParams.get('options') ?? undefined;
  whole.searchParams.delete('options');
  return { url: whole.href, options };
}

type TransactionOptions<T> = {
  /** `set local` statements, which are sent together with the beginning. */
  settings?: string;
  /** The last statements. The commit is sent directly after them, and becomes a rollback if one of them fails. */
  finish?: (client: pg.PoolClient, result: T) => Promise<unknown>;
};

/** Commits if `work` and `finish` resolve; otherwise rolls back and rethrows. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { settings, finish }: TransactionOptions<T> = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(settings ? `begin; ${settings}` : 'begin');
    const result = await work(client);
    await sendTogether(client, () => Promise.all([finish?.(client, result), client.query('commit')]));
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Sends the statements that `send` issues at once in one packet. None of them may depend on another's result. */
export function sendTogether<T>(client: pg.PoolClient, send: () => T): T {
  const stream = socketOf(client);
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

type Migration = { file: string; sql: string; checksum: string };

async function migrationsIn(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, folder), 'utf8');
      return { file, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Lists the files of `folder` that have not run yet. @throws Error when a file was edited after it ran */
export async function pendingMigrations(pool: pg.Pool, folder: URL, schema: string): Promise<string[]> {
  const [migrations, ran] = await Promise.all([migrationsIn(folder), migrationsRun(pool, schema)]);
  for (const { file, checksum } of migrations) rejectEdited(schema, file, checksum, ran.get(file));
  return migrations.map(({ file }) => file).filter((file) => !ran.has(file));
}

/** Checksums of the files that have run, by name. */
async function migrationsRun(pool: pg.Pool, schema: string): Promise<Map<string, string>> {
  try {
    const { rows } = await pool.query<{ file: string; checksum: string }>(
      `select file, checksum from ${pg.escapeIdentifier(schema)}.migrations`,
    );
    return new Map(rows.map(({ file, checksum }) => [file, checksum]));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && ['42P01', '3F000'].includes(String(error.code));
    if (isMissing) return new Map();
    throw error;
  }
}

function rejectEdited(schema: string, file: string, checksum: string, ran: string | undefined): void {
  if (ran !== undefined && ran !== checksum) throw new Error(`migration ${schema}/${file} was edited after it ran`);
}

/**
 * Runs the numbered `.sql` files of `folder` that `schema`.migrations does not list yet, each in a separate
 * transaction, in one process at a time. @throws Error when a file was edited after it ran
 */
export async function migrate(pool: pg.Pool, folder: URL, schema: string): Promise<void> {
  // An account without the privileges to migrate succeeds if nothing is pending.
  const pending = await pendingMigrations(pool, folder, schema);
  if (pending.length === 0) return;
  const migrations = await migrationsIn(folder);
  for (const { file, sql, checksum } of migrations) {
    await inTransaction(pool, async (client) => {
      await client.query('select pg_advisory_xact_lock(hashtext($1))', [`migrate ${schema}`]);
      await client.query(`create schema if not exists ${schema}`);
      await client.query(
        `create table if not exists ${schema}.migrations (file text primary key, checksum text not null, ran_at timestamptz not null default now())`,
      );
      const { rows } = await client.query<{ checksum: string }>(
        `select checksum from ${schema}.migrations where file = $1`,
        [file],
      );
      rejectEdited(schema, file, checksum, rows[0]?.checksum);
      if (rows[0]) return;
      await client.query(sql);
      await client.query(`insert into ${schema}.migrations (file, checksum) values ($1, $2)`, [file, checksum]);
    });
  }
}
