import { isCampaign, sized } from '@gatebook/runtime/testing/campaign';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answered, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks({ isRealTime: true });
});
afterAll(() => hooks.close());

const users = sized({ inTest: 40, inCampaign: 500 });
const attemptMs = 2;

test('check 18: workers that stop and start at random send each event, in order, and few twice', async () => {
  const projectId = 'shop';
  const lastOf = new Map<unknown, number>();
  const outOfOrder: unknown[] = [];
  const accepted: string[] = [];
  const endpoint = hooks.addEndpoint(projectId, {}, async ({ id, data }) => {
    await new Promise((resolve) => setTimeout(resolve, attemptMs));
    const nth = Number(String(data.display_name).split(' ')[1]);
    if (nth < (lastOf.get(data.id) ?? 0)) outOfOrder.push(data.id);
    lastOf.set(data.id, nth);
    accepted.push(id);
    return answered(200);
  });
  for (let nth = 0; nth < users; nth += 1) await hooks.addUser(projectId, { renames: 2 });
  const began = performance.now();
  hooks.lead();
  await hooks.send();
  const distinct = () => new Set(accepted).size;
  while (distinct() < users * 3) {
    const sending = await hooks.send();
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 100));
    await sending.stop();
  }
  const seconds = (performance.now() - began) / 1_000;
  await expect.poll(async () => new Set(await hooks.statuses(endpoint))).toEqual(new Set(['delivered']));
  expect(distinct()).toBe(users * 3);
  expect(outOfOrder).toEqual([]);
  // Each stop can leave a request whose outcome is not known.
  if (isCampaign) {
    expect(accepted.length - distinct()).toBeLessThan(0.02 * accepted.length);
    console.info(`${Math.round(distinct() / seconds)} deliveries/s, ${accepted.length - distinct()} twice`);
  }
});
