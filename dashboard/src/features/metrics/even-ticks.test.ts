import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evenTicks } from './even-ticks.ts';

test('axis ticks are round numbers', () => {
  expect([0, 3, 11, 47, 120, 1_000].map(evenTicks)).toEqual([
    [0, 1, 2, 3, 4],
    [0, 1, 2, 3, 4],
    [0, 3, 6, 9, 12],
    [0, 15, 30, 45, 60],
    [0, 30, 60, 90, 120],
    [0, 250, 500, 750, 1_000],
  ]);
});

test('axis ticks cover the highest value in equal whole steps', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), (highest) => {
      const ticks = evenTicks(highest);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
      expect(ticks.every((tick, index) => tick === index * (ticks[1] ?? 0) && Number.isInteger(tick))).toBe(true);
    }),
  );
});
