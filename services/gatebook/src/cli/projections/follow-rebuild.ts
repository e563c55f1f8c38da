import type { EventStore } from '@gatebook/eventlog/port';
import { findProjectionVersion, OperationRejectedError } from '@gatebook/projections/operations/rebuilds';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import type { Progress } from '../cli-context.ts';

const pollMs = 200;
/** The rate is an average over this time. */
const rateWindowMs = 5000;

/**
 * Reports the progress of a projection version until it is ready. @throws OperationRejectedError when it stops or is
 * dropped
 */
export async function followRebuild(
  { pool, store }: { pool: Pool; store: EventStore },
  schema: string,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<'ready' | 'interrupted'> {
  const samples: { at: number; position: number }[] = [];
  while (!signal.aborted) {
    const [projectionVersion, head] = await Promise.all([findProjectionVersion(pool, schema), store.head()]);
    if (projectionVersion.stopped)
      throw new OperationRejectedError('stopped', `${schema} has stopped: ${projectionVersion.stopped.error}`);
    const now = { at: performance.now(), position: Number(projectionVersion.position) };
    samples.push(now);
    while (samples.length > 2 && now.at - (samples[0]?.at ?? 0) > rateWindowMs) samples.shift();
    onProgress(progressOf(samples, now.position, Number(head)));
    if (projectionVersion.isReady) return 'ready';
    await pause(pollMs, signal);
  }
  return 'interrupted';
}

function progressOf(samples: readonly { at: number; position: number }[], position: number, head: number): Progress {
  const [first, last] = [samples[0], samples.at(-1)];
  const seconds = first && last ? (last.at - first.at) / 1000 : 0;
  const rate = first && last && seconds > 0 ? (last.position - first.position) / seconds : 0;
  const total = Math.max(head, position);
  return { position, total, rate, secondsLeft: rate > 0 ? (total - position) / rate : null };
}
