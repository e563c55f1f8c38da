import type { Recorded } from '@gatebook/domain/event';
import type { Reactor } from '@gatebook/projections/subscriptions/reactor';
import type { JobQueue } from '../queue/job-queue.ts';

export type EmailJob = { emailId: string };

/** Adds a job for each requested email. The event ID is the job ID, so that a repeated event adds no second job. */
export function createEmailQueuer(queue: Pick<JobQueue<EmailJob>, 'add'>): Reactor {
  return {
    name: 'emails',
    react: async ({ id, type, data }: Recorded) => {
      if (type === 'EmailRequested' || type === 'EmailRetried') await queue.add(id, { emailId: String(data.emailId) });
    },
  };
}
