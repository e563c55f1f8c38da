/** `1`: set by `npm run test:campaigns`; `acceptance`: by `npm run test:acceptance`. */
const campaign = process.env.TEST_CAMPAIGN ?? '';
export const isCampaign = campaign !== '';

/** Chooses the sample of `npm test`; any whole number. */
const seed = Number(process.env.TEST_SEED ?? 0);

/** About `inTest` cases, evenly spaced; in a campaign `inCampaign` of them, or every case. */
export function sampleOf<T>(
  cases: readonly T[],
  inTest: number,
  inCampaign: number = Number.POSITIVE_INFINITY,
): readonly T[] {
  const count = sized({ inTest, inCampaign });
  if (cases.length <= count) return cases;
  const step = cases.length / count;
  const offset = Math.abs(seed) % Math.floor(step);
  return Array.from({ length: count }, (_, nth) => cases[Math.floor(nth * step) + offset] as T);
}

/**
 * A size, such as a number of events or of property-test runs: `inCampaign`, or `inTest` in `npm test`. `accepted`:
 * that of the acceptance checks, for which CI has no time.
 */
export function sized({ inTest, inCampaign, accepted = inCampaign }: Sizes): number {
  if (campaign === 'acceptance') return accepted;
  return isCampaign ? inCampaign : inTest;
}
type Sizes = { inTest: number; inCampaign: number; accepted?: number };
