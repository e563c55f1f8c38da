import type { WriteDeps } from '@gatebook/commands/deps';
import { dropEmail } from '@gatebook/commands/email/email';
import { type EndedEmailRow, listEndedEmails } from '@gatebook/readmodel/emails/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { Logger } from '@gatebook/runtime/logger';
import { ignoreDeletedProject } from '../in-deleted-project.ts';
import { emailContext } from '../on-behalf-of-gatebook.ts';

type Parts = { db: ReadDb; write: WriteDeps; logger: Logger };

/**
 * Drops failed emails that have expired, and emails whose user is gone: at most `limit`, so that other work need not
 * wait long. Dropping an email destroys the key of its link. Emails that can't be dropped do not keep others from it.
 * @returns `next`: where the next call continues; undefined at the end of the list
 */
export async function dropEndedEmails(
  { db, write, logger }: Parts,
  { after, limit }: { after: EndedEmailRow | undefined; limit: number },
  signal: AbortSignal,
): Promise<{ dropped: number; next: EndedEmailRow | undefined }> {
  let dropped = 0;
  const ended = await listEndedEmails(db, write.now(), { after, limit });
  for (const { id: emailId, projectId, reason } of ended) {
    if (signal.aborted) break;
    try {
      const ctx = await emailContext(write, { emailId, projectId });
      await ignoreDeletedProject(dropEmail(write, ctx, { emailId, reason }));
      dropped += 1;
    } catch (error) {
      logger.warn({ err: error, emailId }, 'could not drop an email');
    }
  }
  return { dropped, next: ended.length < limit ? undefined : ended.at(-1) };
}
