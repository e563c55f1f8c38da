import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyTable } from '@gatebook/readmodel/testing/every-table';
import { newId } from '@gatebook/runtime/ids';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareDatabase } from '../database/prepare.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';
import { createBackup } from './create-backup.ts';
import { finishRestore, restoreBackup } from './restore-backup.ts';
import { textSettings } from './rows.ts';

const userId = '00000000-0000-4000-8002-000000000001';
const endpointId = newId();
/** The last of the table, so that each page has another attempt beyond it. */
const deliveryId = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

let operator: TestOperator;
let folder: string;
beforeAll(async () => {
  operator = await openTestOperator();
  folder = await mkdtemp(join(tmpdir(), 'gatebook-webhooks-'));
  for (const { stream, events } of everyTable) await operator.record(stream, ...events);
});
afterAll(async () => {
  await operator.close();
  await rm(folder, { recursive: true });
});

const addDelivery = (position: bigint, id: string) =>
  operator.accountPool.query(
    `insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
       status, next_attempt_at, created_at) values ($1::uuid, 'internal', $2, $1::text, 'user.updated', 'a', $3, 0, 0, '',
       'pending', now(), now())`,
    [id, endpointId, position],
  );
const addAttempt = (id: string) =>
  operator.accountPool.query(
    `with counted as (update webhooks.deliveries set attempt_count = attempt_count + 1 where id = $1 returning *)
     insert into webhooks.attempts (delivery_id, number, project_id, endpoint_id, at, trigger, duration_ms)
     select id, attempt_count, project_id, endpoint_id, now(), 'scheduled', 5 from counted`,
    [id],
  );

/** What the worker does: an event, its message, and an attempt of each message, before the endpoint is moved. */
async function work(): Promise<void> {
  await operator.record(`user-${userId}`, { type: 'UserRenamed', data: { userId, displayName: 'Ann', at } });
  const [head, id] = [await operator.store.head(), newId()];
  await addDelivery(head, id);
  for (const one of [id, deliveryId]) await addAttempt(one);
  await operator.accountPool.query('update webhooks.endpoints set position = $1', [head]);
  await operator.accountPool.query(`update webhooks.replays set position = $1, end_position = $1`, [head]);
}

/** Lets the worker do something after each statement. */
function whileWorking(pool: Pool): Pool {
  let working = Promise.resolve();
  const query = async (...given: [string, unknown[]]) => {
    const answer = await pool.query(...given);
    working = working.then(work);
    await working;
    return answer;
  };
  return Object.assign(Object.create(pool), { query });
}

test('webhooks in a backup that was made while they are sent are those of its events, and continue after a restore', async () => {
  const first = await operator.store.head();
  await operator.accountPool.query(
    `insert into webhooks.endpoints (endpoint_id, project_id, position, index, nth, failing_since, warned_at)
     values ($1, 'internal', $2, 0, 0, now() - interval '4 days', now())`,
    [endpointId, first],
  );
  await operator.accountPool.query(
    `insert into webhooks.replays (id, project_id, endpoint_id, wanted, position, index, nth, end_position, end_index,
       end_nth, matched, created_at) values ($1, 'internal', $2, 'all', 0, 0, 0, 0, 0, 0, 1, now())`,
    [newId(), endpointId],
  );
  await addDelivery(first, deliveryId);
  const [masterKey, file] = [() => operator.masterKey(), join(folder, 'working.backup')];
  const pool = createPool(operator.database.url, { max: 2, name: 'gatebook backup', settings: textSettings });
  const output = createWriteStream(file);
  const parts = { pool: whileWorking(pool), masterKey, version: '1.0.0', hasLog: true };
  const { header } = await createBackup(parts, output, new AbortController().signal);
  await new Promise<void>((resolve) => output.end(resolve));
  await pool.end();

  const database = await testDatabase();
  await prepareDatabase(database.url);
  const restored = createPool(database.url, { max: 2, name: 'gatebook restore', settings: textSettings });
  try {
    const input = createReadStream(file);
    await restoreBackup({ pool: restored, masterKey, hasLog: true }, input, new AbortController().signal);
    await finishRestore(restored);
    const { rows } = await restored.query(
      `select (select max(position) from log.events)::text as head,
         (select count(*)::int from webhooks.deliveries) > 1 as "hasDeliveries",
         (select count(*)::int from webhooks.deliveries d where position > $1 or not exists
           (select from log.events e where e.position = d.position)) as "withoutEvent",
         (select count(*)::int from webhooks.endpoints where position > $1 or failing_since is not null
           or warned_at is not null) as "aheadOrFailing",
         (select count(*)::int from webhooks.replays where end_position > $1) as "replaysAhead",
         (select count(*)::int from webhooks.attempts a where not exists (select from webhooks.deliveries d
           where d.id = a.delivery_id and d.attempt_count >= a.number)) as uncounted,
         (select count(*)::int from webhooks.attempts) > 0 as "hasAttempts",
         (select count(*)::int from log.events e, webhooks.endpoints p where e.position > $2 and e.position <= p.position
           and not exists (select from webhooks.deliveries d where d.position = e.position)) as lost`,
      [header.head, first],
    );
    expect(rows).toEqual([
      {
        ...{ head: header.head, hasDeliveries: true, withoutEvent: 0, aheadOrFailing: 0, replaysAhead: 0 },
        ...{ uncounted: 0, hasAttempts: true, lost: 0 },
      },
    ]);
  } finally {
    await restored.end();
    await database.close();
  }
});
