import { expect, test } from 'vitest';
import { isCampaign, sampleOf, sized } from './campaign.ts';

const cases = Array.from({ length: 95 }, (_, nth) => nth);

test.skipIf(isCampaign)('npm test runs an evenly spaced sample of a campaign', () => {
  const sample = sampleOf(cases, 10);
  expect(sample).toHaveLength(10);
  expect(new Set(sample).size).toBe(10);
  expect(Math.max(...sample)).toBeGreaterThan(80);
  expect(sampleOf(cases, 200)).toEqual(cases);
  expect(sized({ inTest: 1, inCampaign: 2 })).toBe(1);
});
