import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { roleToUndo } from '@gatebook/commands/undo/role-to-undo';
import { undoAction } from '@gatebook/commands/undo/undo-action';
import { DomainError, reject } from '@gatebook/domain/errors';
import { mayActAs, type ProjectRole } from '@gatebook/domain/project/roles';
import { actionIdOf } from '@gatebook/domain/user-batch/action-id';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ReadModels } from '@gatebook/projections/wait';
import { type ActionEvents, findActionEvents } from '@gatebook/readmodel/audit/action-events';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';

export type UndoParts = { write: WriteDeps; db: ReadDb };
/** Resolves once the audit log has all events. */
export type AwaitAuditLog = () => Promise<void>;
/** `role`: of who undoes. */
type Undo = {
  batchId: string;
  userId: string;
  project: ProjectAccess['project'];
  role: ProjectRole;
  awaitAuditLog: AwaitAuditLog;
};

/** Takes back what a batch changed of a user; nothing if it changed nothing. @throws DomainError as `undoAction` */
export async function undoForUser(
  { write, db }: UndoParts,
  ctx: Context,
  { batchId, userId, project, role, awaitAuditLog }: Undo,
): Promise<void> {
  const wanted = { projectId: ctx.projectId, actionId: actionIdOf(batchId, userId) };
  const action = await findAction({ store: write.store, db }, wanted, awaitAuditLog);
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
  parts: Parameters<typeof findActionEvents>[0],
  wanted: Parameters<typeof findActionEvents>[1],
  awaitAuditLog: AwaitAuditLog,
): Promise<ActionEvents | null> {
  const found = await findActionEvents(parts, wanted);
  if (found !== null) return found;
  await awaitAuditLog();
  return findActionEvents(parts, wanted);
}

/** All calls wait for what has been written until the first one. */
export function createAuditLogWait(
  { store, readModels }: { store: Pick<EventStore, 'head'>; readModels: Pick<ReadModels, 'reached'> },
  projectId: string,
): AwaitAuditLog {
  async function waitForAuditLog(): Promise<void> {
    const state = await readModels.reached(await store.head(), undefined, [projectId], { group: 'audit' });
    if (state === 'behind') throw new Error('the audit log does not have all events yet');
  }
  let waiting: Promise<void> | undefined;
  return () => {
    waiting ??= waitForAuditLog();
    return waiting;
  };
}
