/** Whether this process is handling requests, so that background work runs in small steps. */
export type Traffic = { note(): void; isBusy(): boolean };

const stretchMs = 1000;
/** Fewer requests in this time are a single page view or a health check. */
const busyFrom = 5;

/** `now` is in milliseconds, from a monotonic clock. */
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
