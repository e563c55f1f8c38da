import type { Context } from '@gatebook/commands/deps';
import { startUserBatch } from '@gatebook/commands/user-batch/user-batch';
import type { UserBatchView } from '@gatebook/contract/user-batches';
import { reject } from '@gatebook/domain/errors';
import type { NewUserBatch } from '@gatebook/readmodel/user-batches/user-batches';
import type { Caller } from '../../caller.ts';
import { actorOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { toBatchView } from './wire.ts';

type Parts = Pick<Deps, 'store' | 'now' | 'newId' | 'userBatches'> & Parameters<typeof startUserBatch>[0];
type About = Pick<NewUserBatch, 'action'> & {
  [name in 'reason' | 'teamId' | 'permissionId' | 'undoesBatchId']?: string | null | undefined;
};

/** Stores the users of a batch, and starts it. @throws DomainError USER_BATCH_RUNNING */
export async function startBatch(
  deps: Parts,
  { caller, context }: { caller: Caller; context: Context },
  { action, reason = null, teamId = null, permissionId = null, undoesBatchId = null }: About,
  userIds: readonly string[],
): Promise<{ position: bigint | null; body: UserBatchView }> {
  const { kind: actorKind, id: actorId } = actorOf(caller);
  const [id, total] = [deps.newId(), userIds.length];
  const about = { action, teamId, permissionId, undoesBatchId };
  const row = { id, projectId: caller.projectId, ...about, actorKind, actorId };
  // The worker deletes a batch that was stored, but not started.
  if (!(await deps.userBatches.add(row, userIds))) reject('USER_BATCH_RUNNING');
  const started = { batchId: id, ...about, reason: reason || null, userCount: total };
  const { position } = await startUserBatch(deps, context, started);
  await deps.userBatches.announce();
  const progress = { total, done: 0, failed: 0, createdAt: Date.parse(deps.now()) };
  return { position, body: toBatchView({ ...row, ...progress, endedAt: null, outcome: null }) };
}
