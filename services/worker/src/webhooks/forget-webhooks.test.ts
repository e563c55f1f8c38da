import { forgetWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { answered, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks();
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

const day = 24 * 60 * 60_000;

test('check 10: nothing of an erased user is sent, stored or shown', async () => {
  const projectId = hooks.newProject();
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
  const projectId = hooks.newProject();
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
