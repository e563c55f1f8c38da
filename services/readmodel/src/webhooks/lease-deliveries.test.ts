import { newId } from '@gatebook/runtime/ids';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReadSide } from '../testing/read-side.ts';
import type { Ordering } from './deliveries.ts';
import { type DueRange, leaseDeliveries } from './lease-deliveries.ts';

let side: Awaited<ReturnType<typeof startReadSide>>;
let pool: Pool;
beforeAll(async () => {
  side = await startReadSide();
  pool = side.database.pool;
});
afterAll(() => side.close());

const start: DueRange = { from: null, subjects: [] };
const backlog = 50_000;

/** An endpoint with many messages of one subject, and after them one of each of ten others. All are due. */
async function addBacklog(): Promise<string> {
  const endpointId = newId();
  await pool.query(
    `insert into webhooks.endpoints (endpoint_id, project_id, position, index, nth) values ($1, 'p1', 1, 0, 0)`,
    [endpointId],
  );
  await pool.query(
    `insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
       status, next_attempt_at, created_at)
     select gen_random_uuid(), 'p1', $1, 'evt_' || n, 'user.updated', case when n <= ${backlog} then 'busy' else 'user ' || n end,
       n, 0, 0, '', 'pending', now() - interval '1 hour' + n * interval '1 ms', now()
     from generate_series(1, ${backlog} + 10) n`,
    [endpointId],
  );
  await pool.query('analyze webhooks.deliveries');
  return endpointId;
}
const lease = (endpointId: string, range: DueRange = start, ordering: Ordering = 'subject') =>
  leaseDeliveries(pool, { endpointId, ordering, perSecond: null }, range, { limit: 5, lease: newId(), at: null });

/** How many rows a statement reads. It is rolled back. */
async function countReads(run: (pool: Pool) => Promise<unknown>): Promise<number> {
  const own = createPool(side.database.url, { max: 1, name: 'counted' });
  const read = async () => {
    const { rows } = await own.query<{ count: number }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as count
       from pg_stat_xact_user_tables where schemaname = 'webhooks'`,
    );
    return rows[0]?.count ?? 0;
  };
  try {
    await own.query('begin');
    await run(own);
    return await read();
  } finally {
    await own.query('rollback');
    await own.end();
  }
}

describe('a lease among a large backlog of one subject', () => {
  test('reads a bounded number of rows, with each ordering', async () => {
    const endpointId = await addBacklog();
    for (const ordering of ['subject', 'strict', 'none'] as const) {
      const of = { endpointId, ordering, perSecond: null };
      const reads = await countReads((own) =>
        leaseDeliveries(own, of, { from: null, subjects: ['busy'] }, { limit: 5, lease: newId(), at: null }),
      );
      expect(reads, ordering).toBeGreaterThan(0);
      expect(reads, ordering).toBeLessThan(2_000);
    }
  });

  test('finds the first message, those after the backlog, and the next one of a finished subject', async () => {
    const endpointId = await addBacklog();
    const first = await lease(endpointId);
    expect(first).toMatchObject({ deliveries: [{ position: 1n }], isEnd: false, hasBlocked: true });
    let range = { ...start, from: first?.next ?? null };
    const positions: bigint[] = [];
    for (let statements = 0; positions.length < 10; statements += 1) {
      expect(statements).toBeLessThanOrEqual(backlog / 200 + 3);
      const found = await lease(endpointId, range);
      positions.push(...(found?.deliveries ?? []).map(({ position }) => position));
      range = { ...range, from: found?.next ?? null };
    }
    expect(positions).toEqual(Array.from({ length: 10 }, (_, nth) => BigInt(backlog + nth + 1)));
    const by = { ...range, subjects: ['busy'] };
    expect((await lease(endpointId, by))?.deliveries).toEqual([]);
    await pool.query(`update webhooks.deliveries set status = 'delivered' where endpoint_id = $1 and position = 1`, [
      endpointId,
    ]);
    expect((await lease(endpointId, by))?.deliveries).toMatchObject([{ position: 2n, subject: 'busy' }]);
  });
});

test('messages that become visible late are found, although later ones were looked at', async () => {
  const endpointId = newId();
  const insert = (position: number, secondsAgo: number) =>
    pool.query(
      `insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
         status, next_attempt_at, created_at)
       values (gen_random_uuid(), 'p1', $1, $2::text, 'user.updated', $2::text, $2::int, 0, 0, '', 'pending',
         now() - $3::int * interval '1 second', now())`,
      [endpointId, position, secondsAgo],
    );
  await pool.query(
    `insert into webhooks.endpoints (endpoint_id, project_id, position, index, nth) values ($1, 'p1', 1, 0, 0)`,
    [endpointId],
  );
  await insert(1, 0);
  const first = await lease(endpointId);
  expect(first).toMatchObject({ deliveries: [{ position: 1n }], isEnd: true });
  await insert(2, 1);
  expect(await lease(endpointId, { ...start, from: first?.next ?? null })).toMatchObject({
    deliveries: [{ position: 2n }],
  });
});
