import type { WebhookSender } from '@gatebook/commands/webhook/sender';
import { leaseDeliveries } from '@gatebook/readmodel/webhooks/lease-deliveries';
import { newId } from '@gatebook/runtime/ids';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRecentEvents } from './recent-events.ts';
import { pausesMs } from './schedule.ts';
import { answered, type Received, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks();
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

const eventsOf = (requests: readonly Received[]) => requests.map(({ type, data }) => [type, data.display_name]);

test('each event is sent once, in the order of the feed', async () => {
  const projectId = hooks.newProject();
  const endpoint = hooks.addEndpoint(projectId);
  hooks.lead();
  await hooks.send();
  const userId = await hooks.addUser(projectId, { renames: 2 });
  const requests = await hooks.requestsTo(endpoint, 3);
  expect(eventsOf(requests)).toEqual([
    ['user.created', 'Name 0'],
    ['user.updated', 'Name 1'],
    ['user.updated', 'Name 2'],
  ]);
  const [first] = requests;
  expect(Object.keys(JSON.parse(first?.body ?? ''))).toEqual(['type', 'timestamp', 'data', 'id', 'cursor']);
  expect(first?.data.id).toBe(userId);
  expect(await hooks.statuses(endpoint)).toEqual(['delivered', 'delivered', 'delivered']);
});

test('an endpoint gets only the types it wants, and projects only their own events', async () => {
  const [projectId, other] = [hooks.newProject(), hooks.newProject()];
  const updates = hooks.addEndpoint(projectId, { types: ['user.updated'] });
  const ofOther = hooks.addEndpoint(other);
  hooks.lead();
  await hooks.send();
  await hooks.addUser(projectId, { renames: 1 });
  await hooks.addUser(other);
  expect(eventsOf(await hooks.requestsTo(ofOther, 1))).toEqual([['user.created', 'Name 0']]);
  expect(eventsOf(await hooks.requestsTo(updates, 1))).toEqual([['user.updated', 'Name 1']]);
});

test('check 14: ten attempts have the same ID and bytes, and each its own time', async () => {
  const projectId = hooks.newProject();
  const endpoint = hooks.addEndpoint(projectId, { types: ['user.created'] }, () => answered(500));
  hooks.lead();
  await hooks.send();
  await hooks.addUser(projectId);
  for (const [nth, pauseMs] of pausesMs.entries()) {
    await hooks.requestsTo(endpoint, nth + 1);
    expect(await hooks.statuses(endpoint)).toEqual(['pending']);
    await hooks.advance(pauseMs);
  }
  const requests = await hooks.requestsTo(endpoint, 10);
  expect(await hooks.statuses(endpoint)).toEqual(['failed']);
  expect(new Set(requests.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  expect(new Set(requests.map(({ at }) => at)).size).toBe(10);
  expect(hooks.troubles.map(({ kind }) => kind)).toEqual(['warning']);
});

describe('check 18: with several workers', () => {
  test('each message is sent once', async () => {
    const projectId = hooks.newProject();
    const endpoint = hooks.addEndpoint(projectId, { ordering: 'none' });
    for (let nth = 0; nth < 20; nth += 1) await hooks.addUser(projectId, { renames: 2 });
    await Promise.all([hooks.send(), hooks.send(), hooks.send()]);
    hooks.lead();
    hooks.lead();
    await hooks.requestsTo(endpoint, 60);
    await expect.poll(async () => new Set(await hooks.statuses(endpoint))).toEqual(new Set(['delivered']));
    const requests = await hooks.requestsTo(endpoint, 60);
    expect(requests).toHaveLength(60);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(60);
  });

  test('what a dead worker had begun is sent after its lease', async () => {
    const projectId = hooks.newProject();
    const endpoint = hooks.addEndpoint(projectId);
    await hooks.addUser(projectId);
    hooks.lead();
    const lease = async () => {
      const of = { endpointId: endpoint.id, ordering: 'subject', perSecond: null } as const;
      const by = { limit: 10, lease: newId(), at: hooks.parts.clock?.() ?? null };
      return (await leaseDeliveries(hooks.parts.pool, of, { from: null, subjects: [] }, by))?.deliveries ?? [];
    };
    await expect.poll(async () => (await lease()).length).toBe(1);
    await hooks.send();
    await hooks.advance(59_000);
    expect(await lease()).toEqual([]);
    await hooks.advance(1_000);
    await hooks.requestsTo(endpoint, 1);
    expect(await hooks.statuses(endpoint)).toEqual(['delivered']);
  });
});

/** A message that is due, and a sender whose request is answered after `answersAfterMs`, or only once it is aborted. */
async function prepareSlowRequest(answersAfterMs: number | null) {
  const projectId = hooks.newProject();
  const endpoint = hooks.addEndpoint(projectId);
  await hooks.addUser(projectId);
  hooks.lead();
  await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending']);
  const begun = Promise.withResolvers<void>();
  const send: WebhookSender['send'] = (_target, _message, { signal }) => {
    begun.resolve();
    return new Promise((resolve) => {
      if (answersAfterMs !== null) setTimeout(() => resolve(answered(200)), answersAfterMs);
      signal?.addEventListener('abort', () => resolve(answered(null)));
    });
  };
  return { endpoint, sender: { send, close: () => undefined }, begun: begun.promise };
}

test('a process that ends waits for responses that come soon', async () => {
  const { endpoint, sender, begun } = await prepareSlowRequest(50);
  const sending = await hooks.send({ sender });
  await begun;
  await sending.stop();
  expect(await hooks.statuses(endpoint)).toEqual(['delivered']);
});

test('a process ends also if it cannot release what it was sending', async () => {
  const { sender, begun } = await prepareSlowRequest(null);
  const { pool } = hooks.parts;
  const query = (...given: unknown[]) => {
    if (String(given[0]).includes('released')) return Promise.reject(new Error('the database is gone'));
    return (pool.query as (...all: unknown[]) => unknown)(...given);
  };
  const broken = Object.assign(Object.create(pool), { query, connect: pool.connect.bind(pool) });
  const sending = await hooks.send({ sender, pool: broken });
  await begun;
  await expect(sending.stop()).resolves.toBeUndefined();
});

test('an event that becomes known while it is read is not taken for a lost one', async () => {
  const projectId = hooks.newProject();
  const endpoint = hooks.addEndpoint(projectId);
  await hooks.addUser(projectId);
  hooks.lead();
  await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending']);
  const { readModels } = hooks;
  let calls = 0;
  const position: typeof readModels.position = (...of) => (calls++ < 2 ? 0n : readModels.position(...of));
  const recent = { loading: new Map(), add: () => undefined, find: () => null };
  await hooks.send({ readModels: { ...readModels, position }, recent });
  await expect.poll(() => hooks.statuses(endpoint)).not.toEqual(['pending']);
  expect(await hooks.statuses(endpoint)).toEqual(['delivered']);
});

test('the event of messages to several endpoints is read once', async () => {
  const projectId = hooks.newProject();
  const endpoints = [hooks.addEndpoint(projectId), hooks.addEndpoint(projectId), hooks.addEndpoint(projectId)];
  await hooks.addUser(projectId);
  hooks.lead();
  for (const endpoint of endpoints) await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending']);
  let reads = 0;
  const rows: typeof hooks.db.rows = (query, values) => {
    if (query.name === 'find-public-events') reads += 1;
    return hooks.db.rows(query, values);
  };
  await hooks.send({ db: { ...hooks.db, rows }, recent: createRecentEvents() });
  for (const endpoint of endpoints) expect(eventsOf(await hooks.requestsTo(endpoint, 1))).toHaveLength(1);
  expect(reads).toBe(1);
});

test('a message whose event could not be read is sent before its lease would end, by any process', async () => {
  const projectId = hooks.newProject();
  const endpoint = hooks.addEndpoint(projectId);
  await hooks.addUser(projectId);
  hooks.lead();
  await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending']);
  const rows = async () => {
    throw new Error('the database is gone');
  };
  const recent = { loading: new Map(), add: () => undefined, find: () => null };
  const broken = await hooks.send({ db: { ...hooks.db, rows }, recent });
  const steps = async () => {
    const sql =
      'select lease, step, next_attempt_at > $2::timestamptz as waits from webhooks.deliveries where endpoint_id = $1';
    return (await hooks.database.pool.query(sql, [endpoint.id, hooks.parts.clock?.()])).rows;
  };
  await expect.poll(steps).toEqual([{ lease: null, step: 0, waits: true }]);
  await broken.stop();
  await hooks.send();
  await hooks.advance(5_000);
  await hooks.requestsTo(endpoint, 1);
  expect(await hooks.statuses(endpoint)).toEqual(['delivered']);
});
