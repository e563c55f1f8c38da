import { NO_STREAM } from '@gatebook/eventlog/port';
import { testMetadata } from '@gatebook/projections/testing/test-log';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { followFeed } from './follow-feed.ts';
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
