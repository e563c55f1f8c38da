/** Set by `npm run test:campaigns`. */
export const isCampaign = process.env.TEST_CAMPAIGN === '1';

/** Chooses the sample of `npm test`; any whole number. */
const seed = Number(process.env.TEST_SEED ?? 0);

/** Every case in a campaign; in `npm test` about `count` of them, evenly spaced. */
export function sampleOf<T>(cases: readonly T[], count: number): readonly T[] {
  if (isCampaign || cases.length <= count) return cases;
  const step = cases.length / count;
  const offset = Math.abs(seed) % Math.floor(step);
  return Array.from({ length: count }, (_, nth) => cases[Math.floor(nth * step) + offset] as T);
}

/** A size, such as a number of events or of property-test runs: `inCampaign`, or `inTest` in `npm test`. */
export const sized = ({ inTest, inCampaign }: { inTest: number; inCampaign: number }): number =>
  isCampaign ? inCampaign : inTest;
