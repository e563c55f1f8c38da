import { expect, test } from 'vitest';
import { createPasswordHasher } from './password-hashing.ts';

test('verifying the password of an unknown user takes as long as a wrong password', async () => {
  const hasher = await createPasswordHasher({ concurrency: 1 });
  const stored = await hasher.hash('correct horse');
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < 15; round += 1) {
    for (const [name, hashed] of [
      ['known', stored],
      ['unknown', null],
    ] as const) {
      const start = performance.now();
      await hasher.verify(hashed, 'wrong');
      times[name].push(performance.now() - start);
    }
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[7] ?? 0;
  const ratio = median(times.unknown) / median(times.known);
  // Without the dummy hash the ratio would be near 0.
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});
