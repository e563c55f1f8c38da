import type { WriteDeps } from '@gatebook/commands/deps';
import { dropEmail } from '@gatebook/commands/email/email';
import { listEndedEmails } from '@gatebook/readmodel/emails/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { Logger } from '@gatebook/runtime/logger';
import { ignoreDeletedProject } from '../in-deleted-project.ts';
import { emailContext } from '../on-behalf-of-gatebook.ts';

type Parts = { db: ReadDb; write: WriteDeps; logger: Logger };

/**
 * Drops failed emails that have expired, and emails whose user is gone. Dropping an email destroys the key of its link.
 * Dropped emails are not listed again, so repeated calls get to all of them. One that can't be dropped does not keep
 * others from it. @returns the number of dropped emails
 */
export async function dropEndedEmails({ db, write, logger }: Parts, limit: number): Promise<number> {
  let dropped = 0;
  for (const { id: emailId, projectId, reason } of await listEndedEmails(db, write.now(), limit)) {
    try {
      const ctx = await emailContext(write, { emailId, projectId });
      await ignoreDeletedProject(dropEmail(write, ctx, { emailId, reason }));
      dropped += 1;
    } catch (error) {
      logger.warn({ err: error, emailId }, 'could not drop an email');
    }
  }
  return dropped;
}
