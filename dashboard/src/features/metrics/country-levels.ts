const mostLevels = 5;
const niceSteps = [1, 2, 5];

/** The largest of 1, 2, 5, 10, 20, 50 and so on that is not above `value`, which is at least 1. */
function niceBelow(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value));
  return Math.max(...niceSteps.map((step) => step * size).filter((nice) => nice <= value), 1);
}

/** The lowest count of each level, ascending: each is about as many times larger as the one before. */
export function levelsOf(counts: readonly number[]): number[] {
  const largest = Math.max(1, ...counts);
  const bounds = Array.from({ length: mostLevels }, (_, nth) => niceBelow(largest ** (nth / mostLevels) + 1e-9));
  return [...new Set(bounds)];
}

/** From 0 to 1; 0 if nothing is counted. */
export function depthOf(count: number, levels: readonly number[]): number {
  return levels.filter((lowest) => lowest <= count).length / levels.length;
}
