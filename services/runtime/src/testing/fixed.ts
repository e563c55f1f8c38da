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
