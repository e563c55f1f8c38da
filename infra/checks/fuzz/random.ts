/** Seeded pseudo-random choices (mulberry32): the same seed makes the same choices. */
export type Random = {
  /** From 0 up to, not including, `end`. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
};

export function randomOf(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[below(list.length)] as never;
    },
  };
}

/** A seed of its own for each request, so that each can be made without those before it. */
export const seedOf = (seed: number, index: number) => (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + index) | 0;

export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const copy = [...list];
  for (let end = copy.length - 1; end > 0; end -= 1) {
    const other = random.below(end + 1);
    [copy[end], copy[other]] = [copy[other] as T, copy[end] as T];
  }
  return copy;
}
