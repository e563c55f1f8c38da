import type { Recorded } from '@gatebook/domain/event';
import type { Reactor } from '@gatebook/projections/subscriptions/reactor';
import type { JobQueue } from '../queue/job-queue.ts';

export type EmailJob = { emailId: string };

/** Makes a job of each mail that the log asks for. The event's id is the job's, so that a repeated event is the same job. */
export function createEmailQueuer(queue: Pick<JobQueue<EmailJob>, 'add'>): Reactor {
  return {
    name: 'emails',
    react: async ({ id, type, data }: Recorded) => {
      if (type === 'EmailRequested' || type === 'EmailRetried') await queue.add(id, { emailId: String(data.emailId) });
    },
  };
}
