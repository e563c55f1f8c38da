import { roleToUndo } from '@gatebook/commands/undo/role-to-undo';
import { UserBatchParams, UserBatchPreviewView, UserBatchView } from '@gatebook/contract/user-batches';
import { reject } from '@gatebook/domain/errors';
import { actionIdOf } from '@gatebook/domain/user-batch/action-id';
import { undoLocksOut } from '@gatebook/domain/user-batch/decide';
import { findActionEvents } from '@gatebook/readmodel/audit/action-events';
import type { UserBatchRow } from '@gatebook/readmodel/user-batches/user-batches';
import { adminOnly } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { requireRole } from '../../roles.ts';
import { previewWrite } from '../actions/preview.ts';
import { seeAuditEvents } from '../audit/wait.ts';
import { type PreviewedUser, sumUp } from './preview-batch.ts';
import { startBatch } from './start-batch.ts';
import { tags } from './wire.ts';

type Found = { batch: UserBatchRow; userIds: string[] };

/**
 * A batch that has ended, with the users whom it may have changed. Without the member who asks, where the undo could
 * end their session.
 * @throws DomainError USER_BATCH_NOT_FOUND, USER_BATCH_RUNNING
 */
async function findBatch(
  { userBatches }: Pick<Deps, 'userBatches'>,
  { projectId, owner }: Pick<Caller, 'projectId' | 'owner'>,
  id: string,
): Promise<Found> {
  const batch = (await userBatches.find(projectId, id)) ?? reject('USER_BATCH_NOT_FOUND');
  if (batch.outcome === null) reject('USER_BATCH_RUNNING');
  const changed = await userBatches.listChanged(batch);
  const excluded = undoLocksOut(batch.action) ? owner?.id : undefined;
  return { batch, userIds: changed.filter((userId) => userId !== excluded) };
}

/** Users whose actions are looked at for the role, and whose undo is previewed. */
const previewed = 100;
/** Previews at the same time. */
const lanes = 4;

/**
 * The actions of a batch are alike, so the first one is looked at. The worker checks each.
 * @throws DomainError PROJECT_ROLE_REQUIRED
 */
async function requireRoleToUndo(deps: Deps, caller: Caller, { batch, userIds }: Found): Promise<void> {
  const { projectId } = caller;
  for (const userId of userIds.slice(0, previewed)) {
    const action = await findActionEvents(deps, { projectId, actionId: actionIdOf(batch.id, userId) });
    if (action !== null) return requireRole(caller, roleToUndo(action));
  }
}

export const undoBatchRoute = defineRoute({
  method: 'POST',
  path: '/internal/user-batches/:batch_id/undo',
  access: adminOnly,
  role: 'support',
  errors: ['PROJECT_ROLE_REQUIRED', 'USER_BATCH_NOT_FOUND', 'USER_BATCH_RUNNING'],
  tags,
  summary: 'Undo a batch of users',
  description:
    'Starts a batch that undoes the change to each user. Users who have changed since then stay as they are and are listed as failures. Users whom the batch did not change also stay as they are. The undo can itself be undone.',
  params: UserBatchParams,
  response: { 201: UserBatchView },
  handle: async ({ deps, reply, caller, context, params: { batch_id: batchId } }) => {
    const found = await findBatch(deps, caller, batchId);
    await seeAuditEvents(deps, reply, caller.projectId);
    await requireRoleToUndo(deps, caller, found);
    return startBatch(deps, { caller, context }, { action: 'undo', undoesBatchId: batchId }, found.userIds);
  },
});

export const previewBatchUndoRoute = defineRoute({
  method: 'POST',
  path: '/internal/user-batches/:batch_id/undo/preview',
  access: adminOnly,
  role: 'support',
  storesNothing: true,
  errors: ['USER_BATCH_NOT_FOUND', 'USER_BATCH_RUNNING'],
  tags,
  summary: 'Preview the undo of a batch of users',
  description: 'How many users the batch may have changed, and what the undo would do to the first 100 of them.',
  params: UserBatchParams,
  response: { 200: UserBatchPreviewView },
  isTranslated: true,
  handle: async ({ deps, request, reply, caller, language, params: { batch_id: batchId } }) => {
    const { userIds } = await findBatch(deps, caller, batchId);
    await seeAuditEvents(deps, reply, caller.projectId);
    const previewUser = async (userId: string): Promise<PreviewedUser> => {
      const path = `/internal/actions/${encodeURIComponent(actionIdOf(batchId, userId))}/undo`;
      const view = await previewWrite(deps, request, { caller, language }, { method: 'POST', path, body: {} });
      // Names the batch instead of the action of one user, so that the users are counted together.
      const error = view.error && { ...view.error, error: view.error.error.replace(` ${userId}`, '') };
      return { ...view, error, hasEvents: view.events.length > 0 };
    };
    const found: PreviewedUser[] = [];
    for (let from = 0; from < Math.min(userIds.length, previewed); from += lanes) {
      const some = userIds.slice(from, from + lanes);
      found.push(...(await Promise.all(some.map((userId) => previewUser(userId)))));
    }
    const body = { count: userIds.length, ...sumUp(found, (code) => code === 'ACTION_NOT_FOUND') };
    return { position: null, body };
  },
});
