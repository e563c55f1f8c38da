import type { WebhookSender } from '@gatebook/commands/webhook/sender';
import { forgetWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
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

let projects = 0;
const newProject = () => `shop-${projects++}`;
const hour = 60 * 60_000;
const day = 24 * hour;
const eventsOf = (requests: readonly Received[]) => requests.map(({ type, data }) => [type, data.display_name]);

test('each event is sent once, in the order of the feed', async () => {
  const projectId = newProject();
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
  const [projectId, other] = [newProject(), newProject()];
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
  const projectId = newProject();
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

describe('check 17: while a message fails', () => {
  /** Rejects the creation of a user until it is told otherwise. */
  async function startPoisoned(ordering: 'subject' | 'strict' | 'none') {
    const projectId = newProject();
    let isPoisoned = true;
    const poisoned = newId();
    const endpoint = hooks.addEndpoint(projectId, { ordering }, ({ type, data }) =>
      answered(isPoisoned && type === 'user.created' && data.id === poisoned ? 500 : 200),
    );
    await hooks.addUser(projectId, { userId: poisoned, renames: 1 });
    const other = await hooks.addUser(projectId, { renames: 1 });
    hooks.lead();
    await hooks.send();
    const namesOf = (requests: readonly Received[]) =>
      requests.map(({ type, data }) => `${type} ${data.id === other ? 'other' : 'poisoned'}`);
    return { endpoint, namesOf, heal: () => (isPoisoned = false) };
  }

  test('later events of its user wait, and those of others do not', async () => {
    const { endpoint, namesOf, heal } = await startPoisoned('subject');
    await hooks.requestsTo(endpoint, 3);
    await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending', 'pending', 'delivered', 'delivered']);
    heal();
    await hooks.advance(day);
    const requests = namesOf(await hooks.requestsTo(endpoint, 5));
    expect(requests.filter((name) => name.endsWith('poisoned'))).toEqual([
      'user.created poisoned',
      'user.created poisoned',
      'user.updated poisoned',
    ]);
    expect(await hooks.statuses(endpoint)).toEqual(Array.from({ length: 4 }, () => 'delivered'));
  });

  test('with strict order, everything waits, and goes on in order', async () => {
    const { endpoint, namesOf, heal } = await startPoisoned('strict');
    await hooks.requestsTo(endpoint, 1);
    await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending', 'pending', 'pending', 'pending']);
    heal();
    await hooks.advance(day);
    expect(namesOf(await hooks.requestsTo(endpoint, 5))).toEqual([
      ...['user.created poisoned', 'user.created poisoned', 'user.updated poisoned'],
      ...['user.created other', 'user.updated other'],
    ]);
  });

  test('without order, nothing waits', async () => {
    const { endpoint } = await startPoisoned('none');
    await hooks.requestsTo(endpoint, 4);
    await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending', 'delivered', 'delivered', 'delivered']);
  });

  test('it is given up in the end, and the rest continues', async () => {
    const { endpoint } = await startPoisoned('subject');
    for (const [nth, pauseMs] of pausesMs.entries()) {
      await hooks.requestsTo(endpoint, nth + 3);
      await hooks.statuses(endpoint);
      await hooks.advance(pauseMs);
    }
    await expect.poll(() => hooks.statuses(endpoint)).toEqual(['failed', 'delivered', 'delivered', 'delivered']);
  });
});

describe('check 18: with several workers', () => {
  test('each message is sent once', async () => {
    const projectId = newProject();
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
    const projectId = newProject();
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

test('a process that ends waits for responses that come soon', async () => {
  const projectId = newProject();
  const endpoint = hooks.addEndpoint(projectId);
  await hooks.addUser(projectId);
  hooks.lead();
  await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending']);
  const begun = Promise.withResolvers<void>();
  const send: WebhookSender['send'] = (_target, _message, { signal }) => {
    begun.resolve();
    return new Promise((resolve) => {
      setTimeout(() => resolve(answered(200)), 50);
      signal?.addEventListener('abort', () => resolve(answered(null)));
    });
  };
  const sending = await hooks.send({ sender: { send, close: () => undefined } });
  await begun.promise;
  await sending.stop();
  expect(await hooks.statuses(endpoint)).toEqual(['delivered']);
});

test('an event that becomes known while it is read is not taken for a lost one', async () => {
  const projectId = newProject();
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
  const projectId = newProject();
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
  const projectId = newProject();
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

test('a receiver that is overloaded gets nothing more until it wants', async () => {
  const projectId = newProject();
  let status = 429;
  const endpoint = hooks.addEndpoint(projectId, { ordering: 'none' }, () => answered(status, { retryAfterMs: 60_000 }));
  hooks.lead();
  await hooks.send();
  await hooks.addUser(projectId);
  await hooks.requestsTo(endpoint, 1);
  await hooks.statuses(endpoint);
  await hooks.addUser(projectId);
  await expect.poll(async () => (await hooks.statuses(endpoint)).length).toBe(2);
  status = 200;
  await hooks.advance(59_000);
  expect(await hooks.requestsTo(endpoint, 1)).toHaveLength(1);
  await hooks.advance(1_000);
  await hooks.requestsTo(endpoint, 3);
  expect(await hooks.statuses(endpoint)).toEqual(['delivered', 'delivered']);
});

test('a rate limit lets through one second of messages at once, and then as many per second', async () => {
  const projectId = newProject();
  const endpoint = hooks.addEndpoint(projectId, { ordering: 'none', rateLimitPerSecond: 2 });
  await hooks.addUser(projectId, { renames: 4 });
  hooks.lead();
  await hooks.send();
  const counts: number[] = [];
  for (let second = 0; second < 3; second += 1) {
    await hooks.requestsTo(endpoint, Math.min(2 * (second + 1), 5));
    await hooks.statuses(endpoint);
    counts.push((await hooks.requestsTo(endpoint, 1)).length);
    await hooks.advance(1_000);
  }
  expect(counts).toEqual([2, 4, 5]);
});

test('check 16: an endpoint that hangs does not hold up others', async () => {
  const projectId = newProject();
  const { promise: hanging, resolve: release } = Promise.withResolvers<void>();
  const slow = hooks.addEndpoint(projectId, { ordering: 'none' }, async () => {
    await hanging;
    return answered(null);
  });
  const quick = hooks.addEndpoint(projectId, { ordering: 'none' });
  hooks.lead();
  await hooks.send();
  for (let nth = 0; nth < 10; nth += 1) await hooks.addUser(projectId, { renames: 3 });
  await hooks.requestsTo(quick, 40);
  expect(await hooks.requestsTo(slow, 5)).toHaveLength(5);
  release();
});

test('a receiver that is gone is disabled, and goes on from there once it is enabled', async () => {
  const projectId = newProject();
  let status = 410;
  const endpoint = hooks.addEndpoint(projectId, {}, () => answered(status));
  hooks.lead();
  await hooks.send();
  await hooks.addUser(projectId);
  await expect.poll(() => hooks.troubles.at(-1)).toEqual({ endpointId: endpoint.id, kind: 'gone' });
  await hooks.addUser(projectId);
  await hooks.ring();
  expect(await hooks.requestsTo(endpoint, 1)).toHaveLength(1);
  expect(await hooks.statuses(endpoint)).toEqual(['pending']);
  status = 200;
  hooks.change(endpoint.id, { isEnabled: true, disabledReason: null });
  await hooks.addUser(projectId);
  await hooks.advance(2_000);
  const requests = await hooks.requestsTo(endpoint, 4);
  expect(requests.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => 'user.created'));
  expect(new Set(requests.map(({ id }) => id)).size).toBe(3);
});

test('check 19: after six days of failures, a replay gives each event once', async () => {
  const projectId = newProject();
  let isUp = false;
  const endpoint = hooks.addEndpoint(projectId, {}, () => answered(isUp ? 200 : 503));
  hooks.lead();
  await hooks.send();
  const isEnabled = async () => (await hooks.parts.endpoints.find(projectId, endpoint.id))?.isEnabled;
  const hasNoneDue = async () => (await isEnabled()) === false || (await countUnsettled(endpoint.id)) === 0;
  for (let hours = 0; hours < 6 * 24; hours += 4) {
    if (hours % 12 === 0) {
      await hooks.addUser(projectId);
      if (await isEnabled()) await expect.poll(() => hooks.statuses(endpoint)).toHaveLength(hours / 12 + 1);
    }
    await hooks.advance(4 * hour);
    await expect.poll(hasNoneDue).toBe(true);
    await hooks.statuses(endpoint);
  }
  const kinds = hooks.troubles.filter(({ endpointId }) => endpointId === endpoint.id).map(({ kind }) => kind);
  expect([...new Set(kinds)]).toEqual(['warning', 'failing']);
  // Attempts that end together can each find that it fails: the endpoint is disabled, and owners are told, once.
  expect(kinds.filter((kind) => kind === 'warning')).toHaveLength(1);
  const before = (await hooks.requestsTo(endpoint, 1)).length;
  isUp = true;
  hooks.change(endpoint.id, { isEnabled: true, disabledReason: null });
  await hooks.addUser(projectId);
  await expect.poll(async () => (await hooks.statuses(endpoint)).length).toBe(13);
  await expect.poll(hasNoneDue).toBe(true);
  await hooks.advance(day);
  await expect.poll(() => hooks.statuses(endpoint)).not.toContain('pending');

  const wanted = { wanted: 'missing' as const, types: null, since: null, until: null, from: null };
  const dryRun = await hooks.deliveries.replay(projectId, endpoint, wanted, { isDryRun: true });
  expect(dryRun).toEqual({ id: null, matched: expect.any(Number), isExact: true });
  expect(dryRun.matched).toBeGreaterThan(0);
  const sentBefore = (await hooks.requestsTo(endpoint, 1)).length;
  const { id, matched } = await hooks.deliveries.replay(projectId, endpoint, wanted, { isDryRun: false });
  expect(matched).toBe(dryRun.matched);
  await hooks.requestsTo(endpoint, sentBefore + matched);
  await expect.poll(async () => new Set(await hooks.statuses(endpoint))).toEqual(new Set(['delivered']));
  const accepted = (await hooks.requestsTo(endpoint, 1)).slice(before);
  expect(accepted).toHaveLength(13);
  expect(new Set(accepted.map(({ id: eventId }) => eventId)).size).toBe(13);
  expect(await hooks.deliveries.findReplay(projectId, id ?? '')).toMatchObject({
    ...{ status: 'completed', matched, sent: matched, delivered: matched, failed: 0 },
  });
  expect((await hooks.deliveries.replay(projectId, endpoint, wanted, { isDryRun: true })).matched).toBe(0);
});

/** Messages that are due or being sent: the clock must not move meanwhile, because leases would end. */
async function countUnsettled(endpointId: string): Promise<number> {
  const { rows } = await hooks.database.pool.query<{ count: number }>(
    `select count(*)::int as count from webhooks.deliveries d
     where endpoint_id = $1 and status = 'pending' and (lease is not null or next_attempt_at <= $2)`,
    [endpointId, hooks.parts.clock?.()],
  );
  return rows[0]?.count ?? 0;
}

test('a canceled replay leaves what it has not sent as it was', async () => {
  const projectId = newProject();
  let isUp = true;
  const endpoint = hooks.addEndpoint(projectId, { ordering: 'strict' }, () => answered(isUp ? 200 : 500));
  await hooks.addUser(projectId, { renames: 3 });
  hooks.lead();
  await hooks.send();
  await hooks.requestsTo(endpoint, 4);
  await hooks.statuses(endpoint);
  isUp = false;
  const wanted = { wanted: 'all' as const, types: null, since: null, until: null, from: null };
  const { id, matched } = await hooks.deliveries.replay(projectId, endpoint, wanted, { isDryRun: false });
  expect(matched).toBe(4);
  await hooks.requestsTo(endpoint, 5);
  await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending', 'pending', 'pending', 'pending']);
  expect(await hooks.deliveries.cancelReplay(projectId, id ?? '')).toBe(true);
  expect(await hooks.statuses(endpoint)).toEqual(['pending', 'delivered', 'delivered', 'delivered']);
  expect(await hooks.deliveries.findReplay(projectId, id ?? '')).toMatchObject({ status: 'canceled', sent: 1 });
});

test('check 10: nothing of an erased user is sent, stored or shown', async () => {
  const projectId = newProject();
  const endpoint = hooks.addEndpoint(projectId, {}, ({ body }) => answered(500, { responseBody: `I got ${body}` }));
  hooks.lead();
  await hooks.send();
  const userId = await hooks.addUser(projectId);
  const [first] = await hooks.requestsTo(endpoint, 1);
  expect(first?.body).toContain('Name 0');
  await hooks.statuses(endpoint);
  const filters = { status: null, type: null, before: null, limit: 9 };
  const [delivery] = (await hooks.deliveries.list(projectId, endpoint.id, filters)).items;
  if (!delivery) return expect.fail('there is no delivery');
  const responses = async () =>
    (await hooks.deliveries.attempts(projectId, delivery.id)).map(({ response }) => response);
  expect(await responses()).toEqual([`I got ${first?.body}`]);
  await hooks.keyring.erase(userId);
  expect(await responses()).toEqual([null]);
  expect(await hooks.deliveries.bodyOf(projectId, delivery)).not.toContain('Name 0');
  // What was read before the erasure is forgotten.
  await hooks.stop();
  await hooks.send({ recent: { loading: new Map(), add: () => undefined, find: () => null } });
  await hooks.deliveries.resend(projectId, delivery.id);
  await hooks.advance(day);
  const again = (await hooks.requestsTo(endpoint, 2)).at(-1);
  expect(again?.id).toBe(first?.id);
  expect(again?.body).not.toContain('Name 0');
});

test('a deleted endpoint, and an erased project, leave nothing', async () => {
  const projectId = newProject();
  const [one, other] = [hooks.addEndpoint(projectId), hooks.addEndpoint(projectId)];
  await hooks.addUser(projectId);
  hooks.lead();
  await hooks.send();
  await Promise.all([hooks.requestsTo(one, 1), hooks.requestsTo(other, 1)]);
  await Promise.all([hooks.statuses(one), hooks.statuses(other)]);
  await hooks.stop();
  const left = async () => {
    const tables = ['endpoints', 'deliveries', 'attempts', 'replays'];
    const counts = tables.map((table) => `(select count(*) from webhooks.${table} where project_id = $1)`);
    const { rows } = await hooks.database.pool.query(`select (${counts.join(' + ')})::int as count`, [projectId]);
    return rows[0].count;
  };
  expect(await left()).toBe(6);
  await forgetWebhooks(hooks.parts.pool, { projectId, endpointId: one.id });
  // That it is deleted.
  expect(await left()).toBe(4);
  await forgetWebhooks(hooks.parts.pool, { projectId });
  expect(await left()).toBe(0);
});
