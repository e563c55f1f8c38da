import { newId } from '@gatebook/runtime/ids';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hotSettings } from '../read-db.ts';
import { startReadSide } from '../testing/read-side.ts';
import { recordAttempts } from './attempts.ts';
import type { Ordering } from './deliveries.ts';
import { type DueRange, leaseDeliveries } from './lease-deliveries.ts';

let side: Awaited<ReturnType<typeof startReadSide>>;
let pool: Pool;
beforeAll(async () => {
  side = await startReadSide();
  pool = side.database.pool;
});
afterAll(() => side.close());

const orderings = ['subject', 'strict', 'none'] as const;
const start: DueRange = { from: null, subjects: [] };
const backlog = 50_000;

async function addEndpoint(): Promise<string> {
  const endpointId = newId();
  await pool.query(
    `insert into webhooks.endpoints (endpoint_id, project_id, position, index, nth) values ($1, 'p1', 1, 0, 0)`,
    [endpointId],
  );
  return endpointId;
}

/** An endpoint with many messages of one subject, and after them one of each of ten others. All are due. */
async function addBacklog(): Promise<string> {
  const endpointId = await addEndpoint();
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

const connect = () => createPool(side.database.url, { max: 1, name: 'counted', settings: hotSettings });

/** How many rows a statement reads on a connection. It is rolled back. */
async function countReads(own: Pool, run: (pool: Pool) => Promise<unknown>): Promise<number> {
  const read = async () => {
    const { rows } = await own.query<{ count: number }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as count
       from pg_stat_xact_user_tables where schemaname = 'webhooks'`,
    );
    return rows[0]?.count ?? 0;
  };
  try {
    await own.query('begin');
    // Those of earlier transactions are counted, too, until they are reported.
    const before = await read();
    await run(own);
    return (await read()) - before;
  } finally {
    await own.query('rollback');
  }
}

test('statements that were planned while there were no messages look up what they need', async () => {
  await pool.query('truncate webhooks.endpoints, webhooks.deliveries, webhooks.attempts');
  const [own, lease, count] = [connect(), newId(), 20];
  const leaseOf = (endpointId: string, ordering: Ordering) =>
    leaseDeliveries(own, { endpointId, ordering, perSecond: null }, start, { limit: count, lease, at: null });
  for (const ordering of orderings) await leaseOf(newId(), ordering);
  await recordAttempts(own, [], null);
  const endpointId = await addEndpoint();
  await pool.query(
    `insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
       status, next_attempt_at, created_at, finished_at)
     select gen_random_uuid(), 'p1', $1, 'evt_' || n, 'user.updated', 'user ' || n % 5000, n, 0, 0, '',
       case when n <= 5000 then 'delivered' else 'pending' end, case when n > 5000 then now() end, now(),
       case when n <= 5000 then now() end
     from generate_series(1, 10000) n`,
    [endpointId],
  );
  for (const ordering of orderings) {
    const reads = await countReads(own, () => leaseOf(endpointId, ordering));
    expect(reads, ordering).toBeGreaterThan(0);
    // It looks at 200 messages, and for each that it takes at the first of its subject.
    expect(reads, ordering).toBeLessThan(200 + 5 * count);
  }
  const { deliveries = [] } = (await leaseOf(endpointId, 'none')) ?? {};
  const attempts = deliveries.map(({ id: deliveryId }) => ({
    ...{ deliveryId, endpointId, lease, status: 'delivered' as const, step: 0, nextMs: null, statusCode: 200 },
    ...{ trigger: 'scheduled' as const, errorCode: null, durationMs: 1, response: null, subjects: [], pauseMs: 0 },
  }));
  expect(attempts).toHaveLength(count);
  expect(await countReads(own, () => recordAttempts(own, attempts, null))).toBeLessThan(3 * count);
  await own.end();
});

describe('a lease among a large backlog of one subject', () => {
  test('reads a bounded number of rows, with each ordering', async () => {
    const endpointId = await addBacklog();
    const own = connect();
    for (const ordering of orderings) {
      const of = { endpointId, ordering, perSecond: null };
      const reads = await countReads(own, () =>
        leaseDeliveries(own, of, { from: null, subjects: ['busy'] }, { limit: 5, lease: newId(), at: null }),
      );
      expect(reads, ordering).toBeGreaterThan(0);
      expect(reads, ordering).toBeLessThan(2_000);
    }
    await own.end();
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
  const endpointId = await addEndpoint();
  const insert = (position: number, secondsAgo: number) =>
    pool.query(
      `insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
         status, next_attempt_at, created_at)
       values (gen_random_uuid(), 'p1', $1, $2::text, 'user.updated', $2::text, $2::int, 0, 0, '', 'pending',
         now() - $3::int * interval '1 second', now())`,
      [endpointId, position, secondsAgo],
    );
  await insert(1, 0);
  const first = await lease(endpointId);
  expect(first).toMatchObject({ deliveries: [{ position: 1n }], isEnd: true });
  await insert(2, 1);
  expect(await lease(endpointId, { ...start, from: first?.next ?? null })).toMatchObject({
    deliveries: [{ position: 2n }],
  });
});
