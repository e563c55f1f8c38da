import type { Problem } from '@gatebook/projections/operations/problems';
import type { EmailJob, MailingJob } from '../reactors/queue-emails.ts';
import type { JobQueue } from './job-queue.ts';
import { queueProblems } from './queue-problems.ts';

export type Queues = { emails: JobQueue<EmailJob>; mailings: JobQueue<MailingJob> };

export async function findProblems({ emails, mailings }: Queues): Promise<Problem[]> {
  return (await Promise.all([queueProblems(emails), queueProblems(mailings)])).flat();
}
