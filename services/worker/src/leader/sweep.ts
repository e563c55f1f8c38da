import type { DueDeletion } from '@gatebook/readmodel/due-deletions';
import {
  type EndedMailingRow,
  type IncompleteMailingRow,
  listIncompleteMailings,
} from '@gatebook/readmodel/emails/mailings';
import { type EndedEmailRow, listPendingEmails, type PendingEmailRow } from '@gatebook/readmodel/emails/queries';
import { pause } from '@gatebook/runtime/pause';
import type { WorkerDeps } from '../deps.ts';
import { dropEndedEmails } from '../jobs/drop-ended-emails.ts';
import { eraseDue } from '../jobs/erase-due.ts';
import { closeEndedMailings } from '../jobs/expand-mailing.ts';
import type { CodeKeys } from '../jobs/expired-code-keys.ts';
import { queueAgain } from '../jobs/queue-again.ts';
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
  const before = () => new Date(Date.parse(write.now()) - pendingMs).toISOString();
  await pause(everyMs, signal);
  await repeat(
    [
      ...[false, true].map((ofMailings) => ({
        run: inPages<PendingEmailRow>((page) =>
          queueAgain(
            (each) => listPendingEmails(db, before(), { ...each, ofMailings }),
            ({ id: emailId, jobId }) => (ofMailings ? queues.mailings : queues.emails).add(jobId, { emailId }),
            page,
            signal,
          ),
        ),
        failure: 'could not queue emails again',
      })),
      {
        run: inPages<IncompleteMailingRow>((page) =>
          queueAgain(
            (each) => listIncompleteMailings(db, before(), each),
            ({ id: mailingId, jobId }) => queues.mailings.add(jobId, { mailingId }),
            page,
            signal,
          ),
        ),
        failure: 'could not queue mailings again',
      },
      { run: inPages<EndedEmailRow>((page) => dropEndedEmails(parts, page, signal)), failure: 'could not drop emails' },
      {
        run: inPages<EndedMailingRow>((page) => closeEndedMailings(parts, page, signal)),
        failure: 'could not close mailings',
      },
      {
        run: inPages<DueDeletion>((page) => eraseDue(parts, page, signal)),
        failure: 'could not erase what was deleted',
      },
      {
        run: () => codeKeys.eraseExpired(write.now(), sweepSize, signal),
        failure: 'could not erase keys of expired codes',
      },
    ],
    { everyMs, logger },
    signal,
  );
}

/** Each run continues where the last one stopped, so that what fails each time does not keep the rest waiting. */
function inPages<Row>(
  run: (page: { after: Row | undefined; limit: number }) => Promise<{ next: Row | undefined }>,
): () => Promise<void> {
  let after: Row | undefined;
  return async () => {
    ({ next: after } = await run({ after, limit: sweepSize }));
  };
}
