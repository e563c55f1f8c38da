import type { WriteDeps } from '@gatebook/commands/deps';
import { closeMailing, mailingPage, readMailing, requestMailingEmails } from '@gatebook/commands/mailing/mailing';
import type { Mailing } from '@gatebook/domain/mailing/state';
import type { ReadModels } from '@gatebook/projections/wait';
import { type EndedMailingRow, listEndedMailings, listMailingRecipients } from '@gatebook/readmodel/emails/mailings';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { Logger } from '@gatebook/runtime/logger';
import { ignoreDeletedProject } from '../in-deleted-project.ts';
import { mailingContext } from '../on-behalf-of-gatebook.ts';
import type { Outcome } from '../queue/job-queue.ts';

type ExpandDeps = { write: WriteDeps; db: ReadDb; readModels: Pick<ReadModels, 'reached'> };
/** Wait for read models that lag. */
const lagMs = 1_000;

/** Requests the emails to all remaining recipients of a mailing, page by page. `signal` leaves the rest for later. */
export async function expandMailing(
  deps: ExpandDeps,
  { mailingId }: { mailingId: string },
  signal?: AbortSignal,
): Promise<Outcome> {
  for (;;) {
    if (signal?.aborted) return { laterMs: lagMs };
    const mailing = await readMailing(deps.write, mailingId);
    if (mailing.status !== 'open' || mailing.isComplete) return 'done';
    const { projectId, lastUserId: after } = mailing;
    // Users who signed up before the mailing get it too. And one page at a time, so that writes of other projects do
    // not wait for a large mailing.
    const head = await deps.write.store.head();
    if ((await deps.readModels.reached(head, undefined, [projectId])) === 'behind') return { laterMs: lagMs };
    const userIds = await listNextRecipients(deps, mailing);
    const isComplete = userIds.length < mailingPage;
    const ctx = await mailingContext(deps.write, { projectId, mailingId, after });
    await requestMailingEmails(deps.write, ctx, { mailingId, after, userIds, isComplete });
  }
}

async function listNextRecipients({ db }: ExpandDeps, mailing: Mailing): Promise<readonly string[]> {
  const { projectId, userIds, lastUserId: after, requestedAt: signedUpBefore } = mailing;
  if (userIds === null) {
    return listMailingRecipients(db, projectId, { after, signedUpBefore, limit: mailingPage });
  }
  const start = after === null ? 0 : userIds.indexOf(after) + 1;
  return userIds.slice(start, start + mailingPage);
}

/**
 * Closes mailings whose emails can't be sent anymore, at most `limit`, and erases their content. Mailings that can't be
 * closed do not keep others from it.
 * @returns `next`: where the next call continues; undefined at the end of the list
 */
export async function closeEndedMailings(
  { db, write, logger }: Pick<ExpandDeps, 'db' | 'write'> & { logger: Logger },
  { after, limit }: { after: EndedMailingRow | undefined; limit: number },
  signal: AbortSignal,
): Promise<{ closed: number; next: EndedMailingRow | undefined }> {
  let closed = 0;
  const ended = await listEndedMailings(db, { after, limit });
  for (const { id: mailingId, projectId } of ended) {
    if (signal.aborted) break;
    try {
      const ctx = await mailingContext(write, { projectId, mailingId });
      await ignoreDeletedProject(closeMailing(write, ctx, { mailingId }));
      closed += 1;
    } catch (error) {
      logger.warn({ err: error, mailingId }, 'could not close a mailing');
    }
  }
  return { closed, next: ended.length < limit ? undefined : ended.at(-1) };
}
