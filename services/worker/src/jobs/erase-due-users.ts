import { findCause } from '@gatebook/commands/cause';
import type { WriteDeps } from '@gatebook/commands/deps';
import { streamOf } from '@gatebook/commands/streams';
import { eraseDueUser } from '@gatebook/commands/user/delete-user';
import { DomainError } from '@gatebook/domain/errors';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { type DueDeletion, listDueDeletions } from '@gatebook/readmodel/users/deleted-users';
import type { Logger } from '@gatebook/runtime/logger';

type Parts = { db: ReadDb; write: WriteDeps; logger: Logger };

/**
 * Erases users whose grace period is over, at most `limit` of them, so that other work need not wait long. After an
 * interruption, a call from the start of the list finds those that are left. A user who can't be erased does not keep
 * others from it.
 * @returns `next`: where the next call continues; undefined at the end of the list
 */
export async function eraseDueUsers(
  { db, write, logger }: Parts,
  { after, limit }: { after: DueDeletion | undefined; limit: number },
  signal: AbortSignal,
): Promise<{ erased: number; next: DueDeletion | undefined }> {
  const due = await listDueDeletions(db, write.now(), { after, limit });
  let erased = 0;
  for (const deletion of due) {
    if (signal.aborted) break;
    try {
      if (await erase(write, deletion)) erased += 1;
    } catch (error) {
      logger.warn({ err: error, userId: deletion.userId }, 'could not erase a user');
    }
  }
  return { erased, next: due.length < limit ? undefined : due.at(-1) };
}

/** @returns false if the user was restored or erased, or the project deleted, meanwhile */
async function erase(write: WriteDeps, { userId, projectId }: DueDeletion): Promise<boolean> {
  const actor = { kind: 'system', id: null } as const;
  try {
    const cause = await findCause(write, streamOf.user(userId));
    await eraseDueUser(write, { projectId, actor, requestId: `deletion ${userId}`, ...cause }, { userId });
    return true;
  } catch (error) {
    const isOver = error instanceof DomainError && ['USER_NOT_FOUND', 'PROJECT_NOT_FOUND'].includes(error.code);
    if (isOver) return false;
    throw error;
  }
}
