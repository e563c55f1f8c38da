import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

export type { Pool, PoolClient } from 'pg';

type PoolOptions = {
  max?: number;
  /** Shows up as application_name. */
  name: string;
  /** Server settings of each connection, like `plan_cache_mode`. */
  settings?: Readonly<Record<string, string>>;
};

/** `url` is a Postgres connection string. Connections are made when first needed. */
export function createPool(url: string, { max = 10, name, settings = {} }: PoolOptions): pg.Pool {
  const options = Object.entries(settings).map(([setting, value]) => `-c ${setting}=${value}`);
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: name,
    keepAlive: true,
    // Statements that a client is given at once are sent at once; who awaits each notices nothing.
    pipeline: true,
    ...(options.length > 0 ? { options: options.join(' ') } : {}),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  // The same for one that breaks in use: its query rejects, and that is where it is handled.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
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

/** Files of `folder` that have not run yet, by name; runs none. */
export async function pendingMigrations(pool: pg.Pool, folder: URL, schema: string): Promise<string[]> {
  const files = (await migrationsIn(folder)).map(({ file }) => file);
  const { rows: tables } = await pool.query('select from pg_tables where schemaname = $1 and tablename = $2', [
    schema,
    'migrations',
  ]);
  if (tables.length === 0) return files;
  const { rows } = await pool.query<{ file: string }>(`select file from ${pg.escapeIdentifier(schema)}.migrations`);
  const ran = new Set(rows.map(({ file }) => file));
  return files.filter((file) => !ran.has(file));
}

/**
 * Runs the numbered `.sql` files of `folder` that `schema`.migrations does not list yet, each in a transaction of its own,
 * one process at a time. @throws Error when a file that already ran has been edited
 */
export async function migrate(pool: pg.Pool, folder: URL, schema: string): Promise<void> {
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
      if (rows[0]?.checksum === checksum) return;
      if (rows[0]) throw new Error(`migration ${schema}/${file} was edited after it ran`);
      await client.query(sql);
      await client.query(`insert into ${schema}.migrations (file, checksum) values ($1, $2)`, [file, checksum]);
    });
  }
}
