import { forgetWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { WebhookParts } from './parts.ts';
import { runReplays } from './run-replays.ts';
import { startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks();
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

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
