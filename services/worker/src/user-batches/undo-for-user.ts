import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { roleToUndo } from '@gatebook/commands/undo/role-to-undo';
import { undoAction } from '@gatebook/commands/undo/undo-action';
import { DomainError, reject } from '@gatebook/domain/errors';
import { mayActAs, type ProjectRole } from '@gatebook/domain/project/roles';
import { actionIdOf } from '@gatebook/domain/user-batch/action-id';
import type { ReadModels } from '@gatebook/projections/wait';
import { type ActionEvents, findActionEvents } from '@gatebook/readmodel/audit/action-events';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';

export type UndoParts = {
  write: WriteDeps;
  db: ReadDb;
  readModels: Pick<ReadModels, 'reached'>;
};
/** `role`: of who undoes. */
type Undo = { batchId: string; userId: string; project: ProjectAccess['project']; role: ProjectRole };

/** Takes back what a batch changed of a user; nothing if it changed nothing. @throws DomainError as `undoAction` */
export async function undoForUser(
  { write, ...parts }: UndoParts,
  ctx: Context,
  { batchId, userId, project, role }: Undo,
): Promise<void> {
  const action = await findAction({ write, ...parts }, ctx.projectId, actionIdOf(batchId, userId));
  if (action === null) return;
  const required = roleToUndo(action);
  if (!mayActAs(role, required)) reject('PROJECT_ROLE_REQUIRED', { role, required_role: required });
  try {
    await undoAction(write, ctx, { action, project });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // A process that ended may have undone it.
    if (error.code === 'ACTION_ALREADY_UNDONE' && error.details.by_action_id === ctx.requestId) return;
    // What is stored about a failure contains no values of the user.
    if (error.code === 'UNDO_CONFLICT') reject('UNDO_CONFLICT', { conflicts: [] });
    throw error;
  }
}

async function findAction(
  { write: { store }, db, readModels }: UndoParts,
  projectId: string,
  actionId: string,
): Promise<ActionEvents | null> {
  const found = await findActionEvents({ store, db }, { projectId, actionId });
  if (found !== null) return found;
  const state = await readModels.reached(await store.head(), undefined, [projectId], { group: 'audit' });
  if (state === 'behind') throw new Error('the audit log does not have all events yet');
  return findActionEvents({ store, db }, { projectId, actionId });
}
