import { isDelivered, type WebhookResult } from '@gatebook/commands/webhook/sender';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;

/** Pauses before the second to the last attempt (Standard Webhooks 1.0, retry schedule). */
export const pausesMs: readonly number[] = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];
/** Receivers that were down together are not asked together again. */
const jitter = 0.2;
const longestRetryAfterMs = day;
/** The pause of an endpoint that is overloaded and does not say for how long. */
const throttledMs = 30 * second;
const throttling: readonly number[] = [429, 502, 504];
const goneStatus = 410;
/** Until the endpoint is disabled in the read models. */
const gonePauseMs = 2_000;

/** How long all attempts must fail until the owners are told, and until the endpoint is disabled. */
export const warnAfterMs = day;
export const disableAfterMs = 5 * day;

/** `nextMs`: how long to wait for another attempt; null: none follows. `pauseMs`: how long to send nothing to it. */
export type Verdict = {
  status: 'pending' | 'delivered' | 'failed';
  step: number;
  nextMs: number | null;
  pauseMs: number;
  isGone: boolean;
};

/** `step`: failed attempts before this one. `random`: from 0 to 1. */
export function judge(result: WebhookResult, step: number, random: number): Verdict {
  const { statusCode, errorCode, retryAfterMs } = result;
  const verdict = { step: step + 1, nextMs: null, pauseMs: 0, isGone: false };
  if (isDelivered(result)) return { ...verdict, status: 'delivered' };
  if (errorCode === 'forbidden' || errorCode === 'event_unavailable') return { ...verdict, status: 'failed' };
  // It goes on from here if the endpoint is enabled again.
  if (statusCode === goneStatus) return { status: 'pending', step, nextMs: 0, pauseMs: gonePauseMs, isGone: true };
  const asked = Math.min(retryAfterMs ?? 0, longestRetryAfterMs);
  const pauseMs = statusCode !== null && throttling.includes(statusCode) ? asked || throttledMs : 0;
  const usual = pausesMs[step];
  if (usual === undefined) return { ...verdict, status: 'failed', pauseMs };
  const nextMs = Math.max(usual * (1 - jitter + 2 * jitter * random), asked);
  return { ...verdict, status: 'pending', nextMs, pauseMs };
}
