import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { answered, startHooks } from './testing/hooks.ts';

/* In real time, without notifications: senders know themselves when something becomes due. */

let hooks: Awaited<ReturnType<typeof startHooks>>;
beforeAll(async () => {
  hooks = await startHooks({ isRealTime: true });
});
afterEach(() => hooks.stop());
afterAll(() => hooks.close());

/** Less than the safety net takes. */
const timeout = 20_000;
const delivered = (count: number) => Array.from({ length: count }, () => 'delivered');

test('the second attempt is made after five seconds', async () => {
  let requests = 0;
  const endpoint = hooks.addEndpoint('failing', {}, () => {
    requests += 1;
    return answered(requests === 1 ? 500 : 200);
  });
  await hooks.addUser('failing');
  hooks.lead();
  await hooks.send();
  await expect.poll(() => hooks.statuses(endpoint), { timeout }).toEqual(delivered(1));
  expect(requests).toBe(2);
});

test('the messages of an endpoint with a rate limit go on after a second', async () => {
  const endpoint = hooks.addEndpoint('limited', { ordering: 'none', rateLimitPerSecond: 2 });
  await hooks.addUser('limited', { renames: 7 });
  hooks.lead();
  await hooks.send();
  await expect.poll(() => hooks.statuses(endpoint), { timeout }).toEqual(delivered(8));
});
