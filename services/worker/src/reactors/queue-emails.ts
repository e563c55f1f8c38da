import { typesBesides } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import type { Reactor } from '@gatebook/projections/subscriptions/reactor';
import type { JobQueue } from '../queue/job-queue.ts';

export type EmailJob = { emailId: string };
/** A mailing whose emails are to be requested, or one of its emails. */
export type MailingJob = EmailJob | { mailingId: string };

type Queues = { emails: Pick<JobQueue<EmailJob>, 'add'>; mailings: Pick<JobQueue<MailingJob>, 'add'> };

/** Further events after which an email is to be sent. */
const resending = ['EmailRetried', 'EmailResumed', 'EmailRescheduled'] as const;

/**
 * Adds a job for each requested email. The event ID is the job ID, so that a repeated event adds no second job.
 * Mailings have a separate queue: a sign-in email never waits for them.
 */
export function createEmailQueuer({ emails, mailings }: Queues): Reactor {
  return {
    name: 'emails',
    unneeded: { types: typesBesides(['MailingRequested', 'EmailRequested', ...resending]) },
    react: async ({ id, type, data }: Recorded) => {
      if (type === 'MailingRequested') await mailings.add(id, { mailingId: String(data.mailingId) });
      if (type === 'EmailRequested') {
        const queue = data.mailingId === null ? emails : mailings;
        await queue.add(id, { emailId: String(data.emailId) });
      }
      if (resending.some((resent) => resent === type)) await emails.add(id, { emailId: String(data.emailId) });
    },
  };
}
