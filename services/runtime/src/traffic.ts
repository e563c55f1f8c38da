/** Whether this process answers people right now, so that other work in it goes in small steps. */
export type Traffic = { note(): void; isBusy(): boolean };

const stretchMs = 1000;
/** Fewer requests in a stretch are somebody who looks at a page, or a health check. */
const busyFrom = 5;

/** `now` is in milliseconds, of a clock that never goes back. */
export function createTraffic(now: () => number = () => performance.now()): Traffic {
  let [stretch, count, countBefore] = [0, 0, 0];

  function turn(): void {
    const current = Math.floor(now() / stretchMs);
    if (current === stretch) return;
    countBefore = current === stretch + 1 ? count : 0;
    [stretch, count] = [current, 0];
  }

  return {
    note: () => {
      turn();
      count += 1;
    },
    isBusy: () => {
      turn();
      return count >= busyFrom || countBefore >= busyFrom;
    },
  };
}
