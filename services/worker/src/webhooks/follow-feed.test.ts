import { NO_STREAM } from '@gatebook/eventlog/port';
import { testMetadata } from '@gatebook/projections/testing/test-log';
import { forgetWebhooks, webhooksChannel } from '@gatebook/readmodel/webhooks/delivery-tables';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { followFeed } from './follow-feed.ts';
import type { WebhookParts } from './parts.ts';
import { takeEvents } from './take-events.ts';
import { answered, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks();
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

const day = 24 * 60 * 60_000;

test('failures from before an endpoint was disabled by hand do not count once it is enabled', async () => {
  const projectId = 'maintained';
  const endpoint = hooks.addEndpoint(projectId, { ordering: 'none' }, () => answered(500));
  hooks.lead();
  await hooks.send();
  await hooks.addUser(projectId);
  await hooks.requestsTo(endpoint, 1);
  await hooks.statuses(endpoint);
  hooks.change(endpoint.id, { isEnabled: false, disabledReason: 'manual' });
  await hooks.addUser(projectId);
  const failingSince = async () => {
    const { rows } = await hooks.database.pool.query<{ since: Date | null }>(
      'select failing_since as since from webhooks.endpoints where endpoint_id = $1',
      [endpoint.id],
    );
    return rows[0]?.since;
  };
  await expect.poll(failingSince).toBeNull();
  await hooks.advance(6 * day);
  hooks.change(endpoint.id, { isEnabled: true, disabledReason: null });
  await hooks.addUser(projectId);
  await hooks.requestsTo(endpoint, 2);
  await hooks.statuses(endpoint);
  expect(hooks.troubles).toEqual([]);
});

test('a restored project gets its events, also if the process began to lead while it awaited its deletion', async () => {
  const projectId = 'restored';
  const endpoint = hooks.addEndpoint(projectId);
  await hooks.addUser(projectId);
  await hooks.send();
  const stopping = new AbortController();
  const endpoints = { ...hooks.parts.endpoints, projects: async () => [] };
  const ended = followFeed({ ...hooks.parts, endpoints }, stopping.signal);
  const restored = { type: 'ProjectDeletionCanceled' as const, data: { projectId, at: '2026-01-15T12:00:00.000Z' } };
  const write = [{ stream: `project-${projectId}`, expected: NO_STREAM, events: [restored] }];
  await new Promise((resolve) => setTimeout(resolve, 200));
  await hooks.store.append(write, { ...testMetadata, projectId });
  expect(await hooks.requestsTo(endpoint, 1)).toHaveLength(1);
  stopping.abort();
  await ended;
});

const countRows = async (table: string, endpointId: string): Promise<number> => {
  const sql = `select count(*)::int as count from webhooks.${table} where endpoint_id = $1`;
  return (await hooks.database.pool.query<{ count: number }>(sql, [endpointId])).rows[0]?.count ?? -1;
};

test('an endpoint that is deleted while its events are taken leaves nothing', async () => {
  const endpoint = hooks.addEndpoint('deleted');
  await hooks.addUser('deleted');
  hooks.lead();
  await expect.poll(() => countRows('deliveries', endpoint.id)).toBe(1);
  await hooks.stop();
  await forgetWebhooks(hooks.parts.pool, { projectId: 'deleted', endpointId: endpoint.id });
  await hooks.addUser('deleted');
  // This process has read the endpoint before it was deleted.
  await takeEvents(hooks.parts, endpoint, new AbortController().signal);
  expect(await countRows('deliveries', endpoint.id)).toBe(0);
});

test('an endpoint that is deleted before any of its events is taken leaves nothing', async () => {
  const endpoint = hooks.addEndpoint('deleted-early');
  await hooks.addUser('deleted-early');
  await forgetWebhooks(hooks.parts.pool, { projectId: 'deleted-early', endpointId: endpoint.id });
  await takeEvents(hooks.parts, endpoint, new AbortController().signal);
  expect(await countRows('deliveries', endpoint.id)).toBe(0);
});

/** A process that leads, with what differs from `hooks`. */
async function whileLeading(given: Partial<WebhookParts>, run: () => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const ended = followFeed({ ...hooks.parts, ...given }, stopping.signal);
  try {
    await run();
  } finally {
    stopping.abort();
    await ended;
  }
}

test('an endpoint that was created during a quarantine gets its events once that ends', async () => {
  const endpoint = hooks.addEndpoint('repaired');
  await hooks.addUser('repaired');
  let isQuarantined = true;
  const { readModels, endpoints } = hooks.parts;
  await whileLeading(
    {
      endpoints: { ...endpoints, projects: async () => (isQuarantined ? [] : endpoints.projects()) },
      readModels: { ...readModels, continuity: () => readModels.continuity() + (isQuarantined ? 0 : 1) },
    },
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await countRows('deliveries', endpoint.id)).toBe(0);
      isQuarantined = false;
      await expect.poll(() => countRows('deliveries', endpoint.id), { timeout: pollDeadlineMs }).toBe(1);
    },
  );
});

test('an endpoint that the read models did not contain yet when the process began to lead gets its events', async () => {
  const endpoint = hooks.addEndpoint('late');
  await hooks.addUser('late');
  let isBehind = true;
  const { readModels, endpoints } = hooks.parts;
  await whileLeading(
    {
      endpoints: { ...endpoints, projects: async () => (isBehind ? [] : endpoints.projects()) },
      readModels: { ...readModels, reached: async (...args) => (isBehind ? 'behind' : readModels.reached(...args)) },
    },
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      isBehind = false;
      await expect.poll(() => countRows('deliveries', endpoint.id), { timeout: pollDeadlineMs }).toBe(1);
    },
  );
});

test('projects whose events cannot be read now do not hold up another one', async () => {
  const waiting = Array.from({ length: 8 }, (_, nth) => hooks.addEndpoint(`waiting-${nth}`));
  const ready = hooks.addEndpoint('ready');
  for (const { projectId } of [...waiting, ready]) await hooks.addUser(projectId);
  const { readModels } = hooks.parts;
  const calls = new Map<string, number>();
  const reached: WebhookParts['readModels']['reached'] = async (position, ms, projectIds = [], options) => {
    const [projectId = ''] = projectIds;
    calls.set(projectId, (calls.get(projectId) ?? 0) + 1);
    return projectId.startsWith('waiting') ? 'behind' : readModels.reached(position, ms, projectIds, options);
  };
  const began = performance.now();
  await whileLeading({ readModels: { ...readModels, reached } }, async () => {
    await expect.poll(() => countRows('deliveries', ready.id), { timeout: pollDeadlineMs, interval: 5 }).toBe(1);
    // Those that wait are tried again after a second: none of them was tried twice before.
    if (performance.now() - began < 900) expect(Math.max(...calls.values())).toBeLessThanOrEqual(2);
    await expect.poll(() => calls.get('waiting-7') ?? 0, { timeout: pollDeadlineMs }).toBeGreaterThan(4);
  });
});

test('enabling an endpoint wakes the senders only once that is known', async () => {
  const endpoint = hooks.addEndpoint('enabled', { isEnabled: false });
  const { readModels } = hooks.parts;
  let isKnown = false;
  const reached: WebhookParts['readModels']['reached'] = (position, ms, projectIds, options) =>
    isKnown || !projectIds?.includes('enabled')
      ? readModels.reached(position, ms, projectIds, options)
      : Promise.resolve('behind');
  let rings = 0;
  const ring = () => {
    rings += 1;
  };
  const stop = await hooks.listener.listen(webhooksChannel, ring, () => undefined);
  await whileLeading({ readModels: { ...readModels, reached } }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const restored = {
      type: 'ProjectDeletionCanceled' as const,
      data: { projectId: 'enabled', at: new Date(0).toISOString() },
    };
    const write = [{ stream: 'project-enabled', expected: NO_STREAM, events: [restored] }];
    await hooks.store.append(write, { ...testMetadata, projectId: 'enabled' });
    const other = hooks.addEndpoint('beside', { isEnabled: false });
    await hooks.addUser(other.projectId);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(rings).toBe(0);
    isKnown = true;
    await expect.poll(() => rings, { timeout: pollDeadlineMs }).toBe(1);
  });
  await stop();
  expect(endpoint.isEnabled).toBe(false);
});
