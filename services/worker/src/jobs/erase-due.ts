import { findCause } from '@gatebook/commands/cause';
import type { CommandResult, Context, WriteDeps } from '@gatebook/commands/deps';
import { eraseDueProject } from '@gatebook/commands/project/delete-project';
import { streamOf } from '@gatebook/commands/streams';
import { eraseDueTeam } from '@gatebook/commands/team/delete-team';
import { eraseDueUser } from '@gatebook/commands/user/delete-user';
import { DomainError } from '@gatebook/domain/errors';
import { type DueDeletion, listDueDeletions } from '@gatebook/readmodel/due-deletions';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { Logger } from '@gatebook/runtime/logger';

type Parts = { db: ReadDb; write: WriteDeps; logger: Logger };

/**
 * Erases users, teams and projects whose grace period is over, at most `limit` of them, so that other work need not
 * wait long. After an interruption, a call from the start of the list finds those that are left. One that can't be
 * erased does not keep others from it.
 * @returns `next`: where the next call continues; undefined at the end of the list
 */
export async function eraseDue(
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
      logger.warn({ err: error, [`${deletion.kind}Id`]: deletion.id }, 'could not erase what was deleted');
    }
  }
  return { erased, next: due.length < limit ? undefined : due.at(-1) };
}

type Erase = (write: WriteDeps, ctx: Context, id: string) => Promise<CommandResult>;
const erasures: Record<DueDeletion['kind'], Erase> = {
  user: (write, ctx, userId) => eraseDueUser(write, ctx, { userId }),
  team: (write, ctx, teamId) => eraseDueTeam(write, ctx, { teamId }),
  project: (write, ctx) => eraseDueProject(write, ctx),
};
const overCodes = ['USER_NOT_FOUND', 'TEAM_NOT_FOUND', 'PROJECT_NOT_FOUND'];

/** @returns false if it was restored or erased, or its project deleted, meanwhile */
async function erase(write: WriteDeps, { kind, id, projectId }: DueDeletion): Promise<boolean> {
  const actor = { kind: 'system', id: null } as const;
  try {
    const cause = await findCause(write, streamOf[kind](id));
    await erasures[kind](write, { projectId, actor, requestId: `deletion ${id}`, ...cause }, id);
    return true;
  } catch (error) {
    if (error instanceof DomainError && overCodes.includes(error.code)) return false;
    throw error;
  }
}
