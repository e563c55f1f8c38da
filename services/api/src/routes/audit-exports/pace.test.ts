import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPace } from './pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** @returns how long the export rests after each of its steps, in ms */
async function restsAfter(steps: readonly number[], isBusy: boolean): Promise<number[]> {
  const giveWay = createPace({ yieldToRequests: async () => undefined, isBusy: () => isBusy });
  const rests: number[] = [];
  for (const stepMs of steps) {
    vi.advanceTimersByTime(stepMs);
    const began = performance.now();
    const rested = giveWay().then(() => performance.now() - began);
    await vi.runAllTimersAsync();
    rests.push(await rested);
  }
  return rests;
}

describe('an export', () => {
  test('rests three times as long as it worked while requests arrive, at most 50 ms', async () => {
    expect(await restsAfter([5, 10, 40], true)).toEqual([15, 30, 50]);
  });

  test('does not rest without requests', async () => {
    expect(await restsAfter([5, 40], false)).toEqual([0, 0]);
  });
});
