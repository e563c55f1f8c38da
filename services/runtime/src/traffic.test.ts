import { expect, test } from 'vitest';
import { createTraffic } from './traffic.ts';

test('several requests in a second are traffic until a second without requests', () => {
  let now = 500;
  const traffic = createTraffic(() => now);
  for (let n = 0; n < 4; n += 1) traffic.note();
  expect(traffic.isBusy()).toBe(false);
  traffic.note();
  expect(traffic.isBusy()).toBe(true);
  now = 1_900;
  expect(traffic.isBusy()).toBe(true);
  now = 2_000;
  expect(traffic.isBusy()).toBe(false);
});

test('requests from long ago are not traffic', () => {
  let now = 0;
  const traffic = createTraffic(() => now);
  for (let n = 0; n < 9; n += 1) traffic.note();
  now = 5_000;
  expect(traffic.isBusy()).toBe(false);
});
