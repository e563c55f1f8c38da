import fc from 'fast-check';
import { expect, test } from 'vitest';
import { depthOf, levelsOf } from './country-levels.ts';

test.each([
  [[], [1]],
  [[1, 1], [1]],
  [[7], [1, 2]],
  [
    [120, 4],
    [1, 2, 5, 10, 20],
  ],
  [[12_345], [1, 5, 20, 200, 1_000]],
])('the levels of %j begin with %j', (counts, levels) => {
  expect(levelsOf(counts)).toEqual(levels);
});

test('more is never lighter, the largest count has full depth, and only nothing has none', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1 }), (counts) => {
      const levels = levelsOf(counts);
      const depths = counts.toSorted((a, b) => a - b).map((count) => depthOf(count, levels));
      expect(depths).toEqual(depths.toSorted((a, b) => a - b));
      expect(depths.at(-1)).toBe(1);
      expect(Math.min(...depths)).toBeGreaterThan(0);
      expect(depthOf(0, levels)).toBe(0);
    }),
  );
});
