import type { Pool, PoolClient } from '@gatebook/runtime/postgres';

/** What is read in it from here on is as it is now. */
export async function openSnapshot(client: PoolClient): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
  // The snapshot is taken by the first query.
  await client.query('select 1');
}

/** Runs `work` with a view of the database as it is now; nobody waits for it. */
export const inSnapshot = <T>(pool: Pool, work: (snapshot: PoolClient) => Promise<T>): Promise<T> =>
  inSnapshotTaken(pool, openSnapshot, work);

/** Runs `work` with a view of the database as it is at the moment that `take` chooses to open it, and with what `take` returns. */
export async function inSnapshotTaken<M, T>(
  pool: Pool,
  take: (client: PoolClient) => Promise<M>,
  work: (snapshot: PoolClient, moment: M) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isOver = false;
  try {
    const moment = await take(client);
    const result = await work(client, moment);
    await client.query('commit');
    isOver = true;
    return result;
  } finally {
    client.release(!isOver);
  }
}
