import { forgetWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { WebhookParts } from './parts.ts';
import { runReplays } from './run-replays.ts';
import { answered, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks();
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

const hour = 60 * 60_000;
const day = 24 * hour;
const everything = { wanted: 'all', types: null, since: null, until: null, from: null } as const;

/** Replays that nobody has begun, of endpoints that have accepted three events. */
async function startReplays(...projectIds: string[]) {
  const endpoints = projectIds.map((projectId) => hooks.addEndpoint(projectId));
  for (const projectId of projectIds) await hooks.addUser(projectId, { renames: 2 });
  hooks.lead();
  await hooks.send();
  await Promise.all(endpoints.map((endpoint) => hooks.requestsTo(endpoint, 3)));
  await Promise.all(endpoints.map((endpoint) => hooks.statuses(endpoint)));
  await hooks.stop();
  const replays = [];
  for (const endpoint of endpoints) {
    const { id } = await hooks.deliveries.replay(endpoint.projectId, endpoint, everything, { isDryRun: false });
    const sql = 'select finished_at is null as "isRunning" from webhooks.replays where id = $1';
    const read = () => hooks.database.pool.query<{ isRunning: boolean }>(sql, [id]);
    const isRunning = async () => (await read()).rows[0]?.isRunning;
    replays.push({ endpoint, isRunning, statuses: () => hooks.statuses(endpoint) });
  }
  return replays;
}

/** Goes through all replays once, with what differs from `hooks`. */
async function runOnce(readModels: Partial<WebhookParts['readModels']> = {}): Promise<void> {
  const stopping = new AbortController();
  const { listener: _, ...parts } = hooks.parts;
  const ended = runReplays({ ...parts, readModels: { ...hooks.readModels, ...readModels } }, stopping.signal);
  await new Promise((resolve) => setTimeout(resolve, 500));
  stopping.abort();
  await ended;
}

test('a replay whose events are not known goes on once they are', async () => {
  const [replay] = await startReplays('quarantined');
  await runOnce({ isQuarantined: () => true });
  await runOnce({ position: () => -1n });
  await runOnce({ position: () => 1n });
  expect(await replay?.isRunning()).toBe(true);
  await runOnce();
  expect(await replay?.isRunning()).toBe(false);
  expect(await replay?.statuses()).toEqual(['pending', 'pending', 'pending']);
});

test('a replay that fails does not hold up later ones', async () => {
  const [broken, sound] = await startReplays('broken', 'sound');
  const { position } = hooks.readModels;
  await runOnce({
    position: (projectIds, group) => {
      if (projectIds?.includes('broken')) throw new Error('this project cannot be read');
      return position(projectIds, group);
    },
  });
  expect(await broken?.isRunning()).toBe(true);
  expect(await sound?.isRunning()).toBe(false);
  expect(await sound?.statuses()).toEqual(['pending', 'pending', 'pending']);
});

test('an endpoint that is deleted cannot be replayed', async () => {
  const [replay] = await startReplays('deleted');
  const endpoint = replay?.endpoint ?? expect.fail('there is no replay');
  await forgetWebhooks(hooks.parts.pool, { projectId: 'deleted', endpointId: endpoint.id });
  await expect(hooks.deliveries.replay('deleted', endpoint, everything, { isDryRun: false })).rejects.toMatchObject({
    code: 'WEBHOOK_ENDPOINT_NOT_FOUND',
  });
});

test('a replay that is requested while its endpoint is deleted adds nothing', async () => {
  const [replay] = await startReplays('deleted-meanwhile');
  const endpointId = replay?.endpoint.id;
  const { pool } = hooks.database;
  // The deletion has found no replay.
  await pool.query('delete from webhooks.deliveries where endpoint_id = $1', [endpointId]);
  await pool.query('update webhooks.endpoints set deleted_at = now() where endpoint_id = $1', [endpointId]);
  await runOnce();
  expect(await replay?.statuses()).toEqual([]);
});

test('check 19: after six days of failures, a replay gives each event once', async () => {
  const projectId = hooks.newProject();
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

  const wanted = { ...everything, wanted: 'missing' } as const;
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
  const projectId = hooks.newProject();
  let isUp = true;
  const endpoint = hooks.addEndpoint(projectId, { ordering: 'strict' }, () => answered(isUp ? 200 : 500));
  await hooks.addUser(projectId, { renames: 3 });
  hooks.lead();
  await hooks.send();
  await hooks.requestsTo(endpoint, 4);
  await hooks.statuses(endpoint);
  isUp = false;
  const { id, matched } = await hooks.deliveries.replay(projectId, endpoint, everything, { isDryRun: false });
  expect(matched).toBe(4);
  await hooks.requestsTo(endpoint, 5);
  await expect.poll(() => hooks.statuses(endpoint)).toEqual(['pending', 'pending', 'pending', 'pending']);
  expect(await hooks.deliveries.cancelReplay(projectId, id ?? '')).toBe(true);
  expect(await hooks.statuses(endpoint)).toEqual(['pending', 'delivered', 'delivered', 'delivered']);
  expect(await hooks.deliveries.findReplay(projectId, id ?? '')).toMatchObject({ status: 'canceled', sent: 1 });
});
