import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { forgetOldDeliveries, migrateWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import { newId } from '@gatebook/runtime/ids';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEventLog(database.pool);
  await migrateWebhooks(database.pool);
});
afterAll(() => database.close());

const [old, recent] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
const before = '2026-01-15T00:00:00.000Z';

async function addEndpoint(name: string, deletedAt: string | null = null): Promise<string> {
  const id = newId();
  await database.pool.query(
    `insert into webhooks.endpoints (endpoint_id, project_id, position, index, nth, deleted_at) values ($1, $2, 0, 0, 0, $3)`,
    [id, name, deletedAt],
  );
  return id;
}

type Row = { status: string; at: string; attemptAt?: string };

/** A delivery with an attempt. `at`: when it was finished. */
async function addDelivery(name: string, endpointId: string, { status, at, attemptAt = at }: Row): Promise<void> {
  await database.pool.query(
    `with added as (
       insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
         status, created_at, finished_at)
       values (gen_random_uuid(), $1, $2, gen_random_uuid(), 'user.created', 'a', 1, 0, 0, '', $3, $4, $4) returning id)
     insert into webhooks.attempts (delivery_id, number, project_id, endpoint_id, at, trigger, duration_ms)
     select id, 1, $1, $2, $5, 'scheduled', 5 from added`,
    [name, endpointId, status, at, attemptAt],
  );
}

async function addReplay(name: string, endpointId: string, finishedAt: string | null): Promise<void> {
  await database.pool.query(
    `insert into webhooks.replays (id, project_id, endpoint_id, wanted, position, index, nth, end_position, end_index,
       end_nth, matched, created_at, finished_at)
     values (gen_random_uuid(), $1, $2, 'all', 0, 0, 0, 1, 0, 0, 1, $3, $4)`,
    [name, endpointId, old, finishedAt],
  );
}

/** How many endpoints, deliveries, attempts and replays a project has. */
async function countRows(name: string): Promise<number[]> {
  const counts = ['endpoints', 'deliveries', 'attempts', 'replays'].map(
    (table) => `(select count(*)::int from webhooks.${table} where project_id = $1)`,
  );
  const { rows } = await database.pool.query<{ counts: number[] }>(`select array[${counts}] as counts`, [name]);
  return rows[0]?.counts ?? [];
}

test('after 30 days, delivered messages, attempts and ended replays are deleted; what failed or waits stays', async () => {
  const endpointId = await addEndpoint('old');
  await addDelivery('old', endpointId, { status: 'delivered', at: old });
  await addDelivery('old', endpointId, { status: 'failed', at: old });
  await addDelivery('old', endpointId, { status: 'pending', at: old, attemptAt: recent });
  await addDelivery('old', endpointId, { status: 'delivered', at: recent });
  for (const finishedAt of [old, recent, null]) await addReplay('old', endpointId, finishedAt);
  expect(await countRows('old')).toEqual([1, 4, 4, 3]);
  await forgetOldDeliveries(database.pool, before);
  expect(await countRows('old')).toEqual([1, 3, 2, 2]);
});

test('more rows than a statement deletes are deleted', async () => {
  const endpointId = await addEndpoint('large');
  await database.pool.query(
    `insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
       status, created_at, finished_at)
     select gen_random_uuid(), 'large', $1, n, 'user.created', 'a', n, 0, 0, '', 'delivered', $2, $2
     from generate_series(1, 4001) n`,
    [endpointId, old],
  );
  await forgetOldDeliveries(database.pool, before);
  expect(await countRows('large')).toEqual([1, 0, 0, 0]);
});

test('the mark of a deleted endpoint is kept for 30 days, and what was added meanwhile is not', async () => {
  const [forgotten, marked] = [await addEndpoint('deleted', old), await addEndpoint('marked', recent)];
  for (const [name, endpointId] of [['deleted', forgotten] as const, ['marked', marked] as const]) {
    await addDelivery(name, endpointId, { status: 'pending', at: recent });
    await addReplay(name, endpointId, null);
  }
  await forgetOldDeliveries(database.pool, before);
  expect([await countRows('deleted'), await countRows('marked')]).toEqual([
    [0, 0, 0, 0],
    [1, 0, 0, 0],
  ]);
});

test('what was added of a project while it was erased is deleted', async () => {
  const endpointId = await addEndpoint('erased');
  await addDelivery('erased', endpointId, { status: 'pending', at: recent });
  await addReplay('erased', endpointId, null);
  await database.pool.query(`insert into keys.erased_projects (project_id) values ('erased')`);
  await forgetOldDeliveries(database.pool, before);
  expect(await countRows('erased')).toEqual([0, 0, 0, 0]);
});
