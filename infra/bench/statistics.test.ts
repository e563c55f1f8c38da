import { expect, test } from 'vitest';
import { median, percentile, summarize } from './statistics.ts';

test('the median of an even number of values is the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 10, 2])).toBe(3);
  expect(median([])).toBeNaN();
});

test('a percentile is the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile(hundred, 1)).toBe(100);
  expect(percentile([7], 0.5)).toBe(7);
  expect(percentile([], 0.5)).toBeNaN();
});

test('the ratio is the median of the ratios of single rounds, so a slow round of both does not count', () => {
  const rounds = [
    { gatebook: 100, reference: 50 },
    { gatebook: 10, reference: 5 },
    { gatebook: 90, reference: 50 },
  ];
  expect(summarize(rounds)).toEqual({ gatebook: 90, reference: 50, ratio: 2 });
});
