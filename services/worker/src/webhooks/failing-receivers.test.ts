import { newId } from '@gatebook/runtime/ids';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { WebhookParts } from './parts.ts';
import { pausesMs } from './schedule.ts';
import { answered, type Received, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks();
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

const day = 24 * 60 * 60_000;

describe('check 17: while a message fails', () => {
  /** Rejects the creation of a user until it is told otherwise. */
  async function startPoisoned(ordering: 'subject' | 'strict' | 'none') {
    const projectId = hooks.newProject();
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

test('owners are warned of a failing receiver, also if the first warning could not be sent', async () => {
  const projectId = hooks.newProject();
  const endpoint = hooks.addEndpoint(projectId, {}, () => answered(500));
  const kinds: string[] = [];
  const onTrouble: WebhookParts['onTrouble'] = async ({ endpoint: { id }, kind }) => {
    // Receivers of other tests fail too.
    if (id !== endpoint.id) return;
    kinds.push(kind);
    if (kinds.length === 1) throw new Error('the log is unavailable');
  };
  hooks.lead();
  await hooks.send({ onTrouble });
  await hooks.addUser(projectId);
  for (const [nth, pauseMs] of pausesMs.entries()) {
    await hooks.requestsTo(endpoint, nth + 1);
    await hooks.statuses(endpoint);
    await hooks.advance(pauseMs);
  }
  await hooks.requestsTo(endpoint, pausesMs.length + 1);
  await hooks.statuses(endpoint);
  await hooks.stop();
  expect(kinds).toEqual(['warning', 'warning']);
});

test('a receiver that is overloaded gets nothing more until it wants', async () => {
  const projectId = hooks.newProject();
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
  const projectId = hooks.newProject();
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
  const projectId = hooks.newProject();
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
  const projectId = hooks.newProject();
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
