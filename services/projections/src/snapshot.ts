import type { Pool, PoolClient } from '@gatebook/runtime/postgres';

/** From here on, the client sees the database as it is now. */
export async function openSnapshot(
  client: PoolClient,
  access: 'read only' | 'read write' = 'read only',
): Promise<void> {
  await client.query(`begin isolation level repeatable read ${access}`);
  // The first query takes the snapshot.
  await client.query('select 1');
}

/** Runs `work` on a snapshot of the database, without blocking anyone. */
export const inSnapshot = <T>(pool: Pool, work: (snapshot: PoolClient) => Promise<T>): Promise<T> =>
  inSnapshotTaken(pool, openSnapshot, work);

/** Runs `work` on the snapshot that `take` opens, with the result of `take`. */
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
