import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

export type { Pool, PoolClient } from 'pg';
export const { escapeIdentifier, escapeLiteral } = pg;

type PoolOptions = {
  max?: number;
  /** Shows up as application_name. */
  name: string;
  /** Server settings of each connection, like `plan_cache_mode`. */
  settings?: Readonly<Record<string, string>>;
};

/** `url` is a Postgres connection string. Connections are made when first needed. */
export function createPool(url: string, { max = 10, name, settings = {} }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSettings(url, settings),
    max,
    application_name: name,
    keepAlive: true,
    // Statements that a client is given at once are sent at once; who awaits each notices nothing.
    pipeline: true,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  // The same for one that breaks in use: its query rejects, and that is where it is handled.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * A connection string whose connections have these server settings from their start. They are added to those that simulator it: pg
 * takes the string's options in place of any that are given beside it.
 */
export function withSettings(url: string, settings: Readonly<Record<string, string>>): string {
  const added = Object.entries(settings).map(([setting, value]) => `-c ${setting}=${value}`);
  if (added.length === 0) return url;
  const whole = new URL(url);
  const given = whole.searchParams.get('options');
  whole.searchParams.set('options', [...(given ? [given] : []), ...added].join(' '));
  return whole.href;
}

/** A connection string without its server settings, and these: for libraries that add settings of their own. */
export function splitSettings(url: string): { url: string; options: string | undefined } {
  const whole = new URL(url);
  const options = whole.searchParams.get('options') ?? undefined;
  whole.searchParams.delete('options');
  return { url: whole.href, options };
}

/** Commits what `work` did, or rolls all of it back and throws what it threw. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
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

/** Files of `folder` that have not run yet, by name; runs none. @throws Error when a file that already ran has been edited */
export async function pendingMigrations(pool: pg.Pool, folder: URL, schema: string): Promise<string[]> {
  const [migrations, ran] = await Promise.all([migrationsIn(folder), migrationsRun(pool, schema)]);
  for (const { file, checksum } of migrations) rejectEdited(schema, file, checksum, ran.get(file));
  return migrations.map(({ file }) => file).filter((file) => !ran.has(file));
}

/** Checksums of what has run, by name. */
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
 * Runs the numbered `.sql` files of `folder` that `schema`.migrations does not list yet, each in a transaction of its own,
 * one process at a time. @throws Error when a file that already ran has been edited
 */
export async function migrate(pool: pg.Pool, folder: URL, schema: string): Promise<void> {
  // Accounts that may not run any can see that there are none to run.
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
