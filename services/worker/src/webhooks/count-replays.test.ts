import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { createWebhookDeliveries, type NewReplay } from '@gatebook/readmodel/webhooks/webhook-deliveries';
import type { Pool } from '@gatebook/runtime/postgres';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runReplays } from './run-replays.ts';
import { pausesMs } from './schedule.ts';
import { answered, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks();
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

const everything: NewReplay = { wanted: 'all', types: null, since: null, until: null, from: null };

function replay({ projectId, ...endpoint }: WebhookEndpoint, given: Partial<NewReplay>, isDryRun = false) {
  return hooks.deliveries.replay(projectId, endpoint, { ...everything, ...given }, { isDryRun });
}

/** An endpoint that has accepted the events of a user. */
async function startAccepted(projectId: string, given: Partial<WebhookEndpoint> = {}, renames = 2) {
  let status = 200;
  const endpoint = hooks.addEndpoint(projectId, given, () => answered(status));
  await hooks.addUser(projectId, { renames });
  hooks.lead();
  await hooks.send();
  return {
    endpoint,
    answerWith: (next: number) => {
      status = next;
    },
  };
}
/** Waits until the endpoint has this many messages with this status, and no others. */
async function expectAll({ id }: WebhookEndpoint, status: string, count: number): Promise<void> {
  const sql = 'select status, count(*)::int as count from webhooks.deliveries where endpoint_id = $1 group by 1';
  const read = async () => (await hooks.database.pool.query<{ status: string; count: number }>(sql, [id])).rows;
  await expect.poll(read, { timeout: pollDeadlineMs, interval: 50 }).toEqual([{ status, count }]);
}

/** Failed messages at the places 1, 2, …; every 5,000th is of another type than the others. */
async function insertFailed({ projectId, id }: WebhookEndpoint, count: number): Promise<void> {
  await hooks.database.pool.query(
    `insert into webhooks.endpoints (endpoint_id, project_id, position, index, nth) values ($1, $2, 1000000, 0, 0)`,
    [id, projectId],
  );
  await hooks.database.pool.query(
    `insert into webhooks.deliveries (id, project_id, endpoint_id, event_id, type, subject, position, index, nth, cursor,
       status, attempt_count, event_at, created_at, finished_at)
     select gen_random_uuid(), $2, $1, 'evt_' || n, case n % 5000 when 0 then 'team.created' else 'user.created' end, 'a', n, 0, 0,
       '', 'failed', 1, timestamptz '2026-01-01' + n * interval '1 second', now(), now()
     from generate_series(1, $3::int) n`,
    [id, projectId, count],
  );
}

test('a request looks at 100,000 failed messages at most, and the replay counts the others', async () => {
  const endpoint = hooks.addEndpoint('large', { isEnabled: false });
  await insertFailed(endpoint, 110_000);
  expect(await replay(endpoint, { wanted: 'failed' }, true)).toEqual({ id: null, matched: 100_000, isExact: false });
  const teams = await replay(endpoint, { wanted: 'failed', types: ['team.*'] });
  expect(teams).toEqual({ id: expect.any(String), matched: 20, isExact: false });
  hooks.lead();
  const progress = () => hooks.deliveries.findReplay('large', teams.id ?? '');
  await expect
    .poll(progress, { timeout: pollDeadlineMs })
    .toMatchObject({ matched: 22, isExact: true, status: 'running' });
  expect((await hooks.statuses(endpoint)).filter((status) => status === 'pending')).toHaveLength(22);
  // The time is that of the event, and the first and the last second are part of the range.
  const [since, until] = [109_101, 109_201].map((seconds) => Date.parse('2026-01-01') + seconds * 1_000) as [
    number,
    number,
  ];
  const range = { wanted: 'failed', since, until, from: { position: 109_000n, index: 0, nth: 0 } } as const;
  expect(await replay(endpoint, range, true)).toEqual({ id: null, matched: 100, isExact: true });
});

test('a page of deliveries looks at 10,000, and the next one continues after them', async () => {
  const endpoint = hooks.addEndpoint('listed', { isEnabled: false });
  await insertFailed(endpoint, 22_000);
  const list = (given: object) =>
    hooks.deliveries.list('listed', endpoint.id, { status: null, type: null, before: null, limit: 2, ...given });
  const pages: number[] = [];
  const filters = { type: 'team.created' };
  for (let page = await list(filters); ; page = await list({ ...filters, before: page.next })) {
    pages.push(page.items.length);
    if (page.next === null) break;
  }
  // Every 5,000th matches: two of 10,000.
  expect(pages).toEqual([2, 2, 0]);
  expect((await list({ type: 'user.deleted' })).items).toEqual([]);
  expect((await list({ type: 'user.deleted' })).next).toEqual(expect.any(String));
  expect(await list({ status: 'pending' })).toEqual({ items: [], next: null });
  expect((await list({ status: 'failed' })).items).toHaveLength(2);
});

test('a request reads events for a second at most, and the replay counts the others', async () => {
  const { endpoint } = await startAccepted('long', { ordering: 'none' }, 599);
  await expectAll(endpoint, 'delivered', 600);
  const { store, db, readModels, pools, parts } = hooks;
  const shared = { pool: pools.api, db, readModels, store, responseCipher: parts.responseCipher, newId: parts.newId };
  const start = (countingMs: number, isDryRun: boolean) =>
    createWebhookDeliveries({ ...shared, countingMs }).replay('long', endpoint, everything, { isDryRun });
  expect(await start(0, true)).toEqual({ id: null, matched: 500, isExact: false });
  expect(await start(pollDeadlineMs, true)).toEqual({ id: null, matched: 600, isExact: true });
  const { id } = await start(0, false);
  await expect
    .poll(() => hooks.deliveries.findReplay('long', id ?? ''), { timeout: pollDeadlineMs })
    .toMatchObject({ matched: 600, isExact: true, delivered: 600, status: 'completed' });
});

test('a replay sends no types that the endpoint does not want', async () => {
  const { endpoint } = await startAccepted('narrow', { types: ['user.created'] });
  await expectAll(endpoint, 'delivered', 1);
  expect(await replay(endpoint, { types: ['user.*', 'team.*'] }, true)).toMatchObject({ matched: 1 });
  expect(await replay(endpoint, { types: ['team.*'] }, true)).toEqual({ id: null, matched: 0, isExact: true });
});

test('what a receiver has accepted stays accepted when it is replayed and fails', async () => {
  const { endpoint, answerWith } = await startAccepted('accepted', { ordering: 'none' });
  await expectAll(endpoint, 'delivered', 3);
  answerWith(500);
  const { id } = await replay(endpoint, {});
  await expectAll(endpoint, 'pending', 3);
  for (const [nth, pauseMs] of pausesMs.entries()) {
    await hooks.requestsTo(endpoint, 3 * (nth + 2));
    await hooks.statuses(endpoint);
    await hooks.advance(1.2 * pauseMs);
  }
  await expectAll(endpoint, 'delivered', 3);
  expect(await hooks.deliveries.findReplay('accepted', id ?? '')).toMatchObject({ delivered: 0, failed: 3 });
  expect(await replay(endpoint, { wanted: 'missing' }, true)).toMatchObject({ matched: 0 });
  expect(await replay(endpoint, { wanted: 'failed' }, true)).toMatchObject({ matched: 0 });
});

test('a process that dies right after each page leaves the rest of a replay to the next one, each event once', async () => {
  const { endpoint } = await startAccepted('crashing', { ordering: 'none' }, 1_199);
  await expectAll(endpoint, 'delivered', 1_200);
  const received = (await hooks.requestsTo(endpoint, 1_200)).length;
  await hooks.stop();
  const { id } = await replay(endpoint, {});
  const { pool, listener: _, ...parts } = hooks.parts;
  for (let crashes = 0; crashes < 3; crashes += 1) {
    const stopping = new AbortController();
    const query = async (text: never, values: never) => {
      const result = await pool.query(text, values);
      if (!String(text).includes('update webhooks.replays')) return result;
      stopping.abort();
      throw new Error('the process dies');
    };
    await runReplays({ ...parts, pool: { query } as unknown as Pool }, stopping.signal);
  }
  expect(await hooks.deliveries.findReplay('crashing', id ?? '')).toMatchObject({ matched: 1_200, isExact: true });
  await expectAll(endpoint, 'pending', 1_200);
  await hooks.send();
  await expectAll(endpoint, 'delivered', 1_200);
  const again = (await hooks.requestsTo(endpoint, received + 1_200)).slice(received);
  expect(again).toHaveLength(1_200);
  expect(new Set(again.map((one) => one.id)).size).toBe(1_200);
});
