import { userBatchDecider } from '@gatebook/domain/user-batch/decide';
import type { UserBatchEvent, UserBatchOutcome } from '@gatebook/domain/user-batch/events';
import type { UserBatchState } from '@gatebook/domain/user-batch/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, readState } from '../execute.ts';
import { streamOf } from '../streams.ts';

type Started = Extract<UserBatchEvent, { type: 'UserBatchStarted' }>['data'];
export type NewUserBatch = Omit<Started, 'projectId' | 'at'>;

/** Records that a batch begins. Its users are stored before. */
export function startUserBatch(deps: WriteDeps, ctx: Context, batch: NewUserBatch): Promise<CommandResult> {
  const command = { type: 'StartBatch', ...batch, projectId: ctx.projectId, at: deps.now() } as const;
  return execute(deps, ctx, userBatchDecider, streamOf.userBatch(batch.batchId), command);
}

/** Does nothing to a batch that has ended. @throws DomainError USER_BATCH_NOT_FOUND */
export function endUserBatch(
  deps: WriteDeps,
  ctx: Context,
  { batchId, outcome }: { batchId: string; outcome: UserBatchOutcome },
): Promise<CommandResult> {
  const command = { type: 'EndBatch', projectId: ctx.projectId, outcome, at: deps.now() } as const;
  return execute(deps, ctx, userBatchDecider, streamOf.userBatch(batchId), command);
}

export async function readUserBatch(deps: Pick<WriteDeps, 'store'>, batchId: string): Promise<UserBatchState> {
  return (await readState(deps.store, userBatchDecider, streamOf.userBatch(batchId))).state;
}
