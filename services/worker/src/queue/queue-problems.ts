import { type Problem, queueStuck, queueUnavailable } from '@gatebook/projections/operations/problems';
import { bounded } from '@gatebook/projections/operations/readiness';
import type { JobQueue, JobState } from './job-queue.ts';

/** A mailing queues many jobs at once, so a job of a working queue can wait for minutes. */
const maxWaitMs = 10 * 60 * 1000;

/** Whether the queue responds and its jobs are taken. */
export async function queueProblems({
  name,
  oldestWaitingMs,
}: Pick<JobQueue<unknown>, 'name' | 'oldestWaitingMs'>): Promise<Problem[]> {
  try {
    const waitedMs = await bounded(oldestWaitingMs());
    return waitedMs > maxWaitMs ? [queueStuck(name, waitedMs)] : [];
  } catch {
    return [queueUnavailable(name)];
  }
}

export type QueueBacklog = { queue: string; counts: Record<JobState, number>; oldestWaitingMs: number };

/** The backlogs of the queues that respond in time. */
export async function queueBacklogs(
  queues: readonly Pick<JobQueue<unknown>, 'name' | 'counts' | 'oldestWaitingMs'>[],
): Promise<QueueBacklog[]> {
  const found = await Promise.allSettled(
    queues.map(async ({ name, ...queue }) => {
      const [counts, oldestWaitingMs] = await bounded(Promise.all([queue.counts(), queue.oldestWaitingMs()]));
      return { queue: name, counts, oldestWaitingMs };
    }),
  );
  return found.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
