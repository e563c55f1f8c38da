import type { DueDeletion } from '@gatebook/readmodel/due-deletions';
import { listIncompleteMailings } from '@gatebook/readmodel/emails/mailings';
import { listPendingEmails } from '@gatebook/readmodel/emails/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { pause } from '@gatebook/runtime/pause';
import type { WorkerDeps } from '../deps.ts';
import { dropEndedEmails } from '../jobs/drop-ended-emails.ts';
import { eraseDue } from '../jobs/erase-due.ts';
import { closeEndedMailings } from '../jobs/expand-mailing.ts';
import type { CodeKeys } from '../jobs/expired-code-keys.ts';
import type { Queues } from '../queue/queues.ts';
import { repeat } from './repeat.ts';

const everyMs = 60 * 1000;
const sweepSize = 1_000;
/** All attempts to send an email take less time. */
const pendingMs = 2 * 60 * 1000;

/**
 * Queues emails and mailings again whose jobs were lost with the queue, drops emails that can no longer be sent, closes
 * their mailings, and erases what was deleted after their grace period and keys of expired codes.
 */
export async function sweep(
  { db, write, logger }: WorkerDeps,
  queues: Queues,
  codeKeys: CodeKeys,
  signal: AbortSignal,
): Promise<void> {
  const parts = { db, write, logger };
  let after: DueDeletion | undefined;
  async function eraseDeleted(): Promise<void> {
    ({ next: after } = await eraseDue(parts, { after, limit: sweepSize }, signal));
  }

  await pause(everyMs, signal);
  await repeat(
    [
      {
        run: () => queueAgain(db, queues, new Date(Date.parse(write.now()) - pendingMs).toISOString()),
        failure: 'could not queue emails again',
      },
      { run: () => dropEndedEmails(parts, sweepSize), failure: 'could not drop emails' },
      { run: () => closeEndedMailings(parts, sweepSize), failure: 'could not close mailings' },
      { run: eraseDeleted, failure: 'could not erase what was deleted' },
      {
        run: () => codeKeys.eraseExpired(write.now(), sweepSize),
        failure: 'could not erase keys of expired codes',
      },
    ],
    { everyMs, logger },
    signal,
  );
}

async function queueAgain(db: ReadDb, { emails, mailings }: Queues, before: string): Promise<void> {
  for (const ofMailings of [false, true]) {
    const queue = ofMailings ? mailings : emails;
    const pending = await listPendingEmails(db, before, { limit: sweepSize, ofMailings });
    for (const { id: emailId, jobId } of pending) await queue.add(jobId, { emailId });
  }
  const incomplete = await listIncompleteMailings(db, before, sweepSize);
  for (const { id: mailingId, jobId } of incomplete) await mailings.add(jobId, { mailingId });
}
