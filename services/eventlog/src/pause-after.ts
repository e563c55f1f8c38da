import { pause } from '@gatebook/runtime/pause';

const firstPauseMs = 25;
const longestPauseMs = 2_000;

/** Some five seconds with the pauses between them: a server that restarts is back by then. */
export const enoughAttempts = 9;

/** Waits before the next attempt, twice as long each time; less when `signal` aborts. */
export function pauseAfter(attempt: number, signal?: AbortSignal): Promise<void> {
  return pause(Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs), signal);
}
