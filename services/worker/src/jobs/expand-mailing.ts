import type { WriteDeps } from '@gatebook/commands/deps';
import { closeMailing, mailingPage, readMailing, requestMailingEmails } from '@gatebook/commands/mailing/mailing';
import type { Mailing } from '@gatebook/domain/mailing/state';
import type { ReadModels } from '@gatebook/projections/wait';
import { listEndedMailings, listMailingRecipients } from '@gatebook/readmodel/emails/mailings';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { Outcome } from '../queue/job-queue.ts';

type ExpandDeps = { write: WriteDeps; db: ReadDb; readModels: Pick<ReadModels, 'reached'> };
/** Wait for read models that lag. */
const lagMs = 1_000;

const onBehalfOfGatebook = (projectId: string, mailingId: string) => ({
  projectId,
  actor: { kind: 'system', id: null } as const,
  requestId: `mailing ${mailingId}`,
  ip: null,
  userAgent: null,
});

/** Requests the emails to all remaining recipients of a mailing, page by page. */
export async function expandMailing(deps: ExpandDeps, { mailingId }: { mailingId: string }): Promise<Outcome> {
  // Users who signed up before the mailing get it too.
  if ((await deps.readModels.reached(await deps.write.store.head())) === 'behind') return { laterMs: lagMs };
  for (;;) {
    const mailing = await readMailing(deps.write, mailingId);
    if (mailing.status !== 'open' || mailing.isComplete) return 'done';
    const { lastUserId: after } = mailing;
    const userIds = await listNextRecipients(deps, mailing);
    const isComplete = userIds.length < mailingPage;
    const ctx = onBehalfOfGatebook(mailing.projectId, mailingId);
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

/** Closes mailings whose emails can't be sent anymore, and erases their content. @returns the number of mailings */
export async function closeEndedMailings(
  { db, write }: Pick<ExpandDeps, 'db' | 'write'>,
  limit: number,
): Promise<number> {
  const ended = await listEndedMailings(db, limit);
  for (const { id: mailingId, projectId } of ended) {
    await closeMailing(write, onBehalfOfGatebook(projectId, mailingId), { mailingId });
  }
  return ended.length;
}
