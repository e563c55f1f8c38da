import { isCampaign, sized } from '@gatebook/runtime/testing/campaign';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answered, startHooks } from './testing/hooks.ts';

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks({ isRealTime: true });
});
afterAll(async () => {
  vi.useRealTimers();
  await hooks.close();
});

const users = sized({ inTest: 40, inCampaign: 500 });
const attemptMs = 2;
const skewMs = 10 * 60_000;
/** Of no clock that a test changes. */
const trueTime = () => performance.timeOrigin + performance.now();

test('check 18: workers with wrong clocks that stop and start at random send each event once, in order', async () => {
  const projectId = 'shop';
  const lastOf = new Map<unknown, number>();
  const outOfOrder: unknown[] = [];
  const accepted: string[] = [];
  let farthestMs = 0;
  const endpoint = hooks.addEndpoint(projectId, {}, async ({ id, data, at }) => {
    farthestMs = Math.max(farthestMs, Math.abs(Date.parse(at) - trueTime()));
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
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let round = 0; distinct() < users * 3; round += 1) {
    vi.setSystemTime(trueTime() + (round % 2 === 0 ? skewMs : -skewMs));
    const sending = await hooks.send();
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 100));
    await sending.stop();
  }
  const seconds = (performance.now() - began) / 1_000;
  await expect.poll(async () => new Set(await hooks.statuses(endpoint))).toEqual(new Set(['delivered']));
  expect(distinct()).toBe(users * 3);
  expect(outOfOrder).toEqual([]);
  // Receivers reject times that are five minutes from theirs.
  expect(farthestMs).toBeLessThan(60_000);
  // A worker that stops waits for its requests.
  expect(accepted.length - distinct()).toBeLessThanOrEqual(0.001 * accepted.length);
  if (isCampaign) {
    console.info(`${Math.round(distinct() / seconds)} deliveries/s, ${accepted.length - distinct()} twice`);
  }
});
