import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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
