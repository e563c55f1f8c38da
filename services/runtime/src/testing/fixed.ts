import type { Clock } from '../clock.ts';

export const fixedTime = '2026-01-15T12:00:00.000Z';

/** A clock that only moves with `advance`. */
export function createFixedClock(start = fixedTime): Clock & { advance(ms: number): void } {
  let now = Date.parse(start);
  return Object.assign(() => new Date(now).toISOString(), {
    advance: (ms: number) => {
      now += ms;
    },
  });
}

/** Counts up in the form of UUIDs (version 4), so that the nth ID is the same in every run. */
export function createCountingIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  };
}
