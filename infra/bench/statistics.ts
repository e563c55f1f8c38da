/** Of an even number, the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (Number.isInteger(middle)) return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
  return sorted[Math.floor(middle)] ?? Number.NaN;
}

/** The smallest value that `part` of all values do not exceed (nearest rank); NaN of none. */
export function percentile(values: readonly number[], part: number): number {
  const rank = Math.max(1, Math.ceil(values.length * part));
  return values.toSorted((a, b) => a - b)[rank - 1] ?? Number.NaN;
}

/** Two measurements of the same round. */
export type Pair = { gatebook: number; reference: number };

/**
 * Medians over the rounds. `ratio` is the median of the ratios of single rounds, because a noisy moment hits both
 * figures of its round.
 */
export function summarize(rounds: readonly Pair[]): Pair & { ratio: number } {
  return {
    gatebook: median(rounds.map(({ gatebook }) => gatebook)),
    reference: median(rounds.map(({ reference }) => reference)),
    ratio: median(rounds.map(({ gatebook, reference }) => gatebook / reference)),
  };
}
