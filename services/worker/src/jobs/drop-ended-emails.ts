import type { WriteDeps } from '@gatebook/commands/deps';
import { dropEmail } from '@gatebook/commands/email/email';
import { listEndedEmails } from '@gatebook/readmodel/emails/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { onBehalfOfGatebook } from './on-behalf-of-gatebook.ts';

/**
 * Drops mails that were given up and have expired, and those whose user is gone: with a mail goes the key of its link. What is
 * dropped is not listed again, so that many get their turn. @returns how many there were
 */
export async function dropEndedEmails(db: ReadDb, write: WriteDeps, limit: number): Promise<number> {
  const ended = await listEndedEmails(db, write.now(), limit);
  for (const { id: emailId, projectId, reason } of ended) {
    await dropEmail(write, onBehalfOfGatebook({ emailId, projectId }), { emailId, reason });
  }
  return ended.length;
}
