import type { ConsumerStore } from './consumer-store.ts';

/** What is needed of a client of `pg`. */
export type PostgresClient = {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
  release(error?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
};
/** What is needed of a pool of `pg`. */
export type PostgresPool<Client extends PostgresClient> = { connect(): Promise<Client> };

/**
 * Stores cursors in a table of the app: `create table gatebook_consumers (consumer text primary key, cursor text)`.
 * Effects get a client of the pool, in a transaction at READ COMMITTED. `table` is inserted into SQL as it is.
 */
export function postgresStore<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  { table = 'gatebook_consumers' }: { table?: string } = {},
): ConsumerStore<Client> {
  return {
    load: (name) =>
      withClient(pool, async (client) => {
        await client.query(`insert into ${table} (consumer) values ($1) on conflict do nothing`, [name]);
        const { rows } = await client.query(`select cursor from ${table} where consumer = $1`, [name]);
        return (rows[0] as { cursor: string | null } | undefined)?.cursor ?? null;
      }),
    advance: (name, from, to, effect) =>
      withClient(pool, async (client) => {
        // A stricter level would reject the update that has waited for another worker, not find no row.
        await client.query('begin isolation level read committed');
        // First, so that a second worker waits here until the effect of the first one is committed.
        const { rowCount } = await client.query(
          `update ${table} set cursor = $3 where consumer = $1 and cursor is not distinct from $2`,
          [name, from, to],
        );
        if (rowCount !== 1) {
          await client.query('rollback');
          return false;
        }
        await effect(client);
        await client.query('commit');
        return true;
      }),
  };
}

/** A client that has failed is closed, which rolls its transaction back. */
async function withClient<Client extends PostgresClient, Result>(
  pool: PostgresPool<Client>,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  // A connection that breaks while the client is out of the pool would end the process. The next query fails too.
  client.on('error', ignore);
  let isHealthy = false;
  try {
    const result = await work(client);
    isHealthy = true;
    return result;
  } finally {
    client.off('error', ignore);
    client.release(!isHealthy);
  }
}

const ignore = (): void => undefined;
