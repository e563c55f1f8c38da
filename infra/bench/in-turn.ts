import { type Pair, summarize } from './statistics.ts';

/** Runs two measurements in turn, so that a noisy moment hits both. */
export async function inTurn(
  rounds: number,
  gatebook: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Pair & { ratio: number }> {
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) pairs.push({ gatebook: await gatebook(), reference: await reference() });
    else {
      const second = await reference();
      pairs.push({ gatebook: await gatebook(), reference: second });
    }
  }
  return summarize(pairs);
}
