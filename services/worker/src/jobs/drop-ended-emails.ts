import type { WriteDeps } from '@gatebook/commands/deps';
import { dropEmail } from '@gatebook/commands/email/email';
import { listEndedEmails } from '@gatebook/readmodel/emails/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { ignoreDeletedProject } from '../in-deleted-project.ts';
import { emailContext } from '../on-behalf-of-gatebook.ts';

/**
 * Drops failed emails that have expired, and emails whose user is gone. Dropping an email destroys the key of its link.
 * Dropped emails are not listed again, so repeated calls get to all of them. @returns the number of dropped emails
 */
export async function dropEndedEmails(db: ReadDb, write: WriteDeps, limit: number): Promise<number> {
  const ended = await listEndedEmails(db, write.now(), limit);
  for (const { id: emailId, projectId, reason } of ended) {
    const ctx = await emailContext(write, { emailId, projectId });
    await ignoreDeletedProject(dropEmail(write, ctx, { emailId, reason }));
  }
  return ended.length;
}
