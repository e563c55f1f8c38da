import { pause } from '@gatebook/runtime/pause';

const firstPauseMs = 25;
const longestPauseMs = 2_000;

/** About five seconds including the pauses: enough for a server to restart. */
export const enoughAttempts = 9;

/** Waits before the next attempt, twice as long each time, or until `signal` aborts. */
export function pauseAfter(attempt: number, signal?: AbortSignal): Promise<void> {
  return pause(Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs), signal);
}
