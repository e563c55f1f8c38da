import type { Context } from '@gatebook/commands/deps';
import { grantProjectPermission } from '@gatebook/commands/permission/grants';
import { endSession } from '@gatebook/commands/session/session';
import { addTeamMember } from '@gatebook/commands/team/team';
import { deleteUser } from '@gatebook/commands/user/delete-user';
import { updateUser } from '@gatebook/commands/user/update-user';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import type { UserBatchAction } from '@gatebook/domain/user-batch/events';
import type { UserBatch } from '@gatebook/domain/user-batch/state';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { listSessions } from '@gatebook/readmodel/sessions/queries';
import { findUser } from '@gatebook/readmodel/users/queries';
import { type AwaitAuditLog, type UndoParts, undoForUser } from './undo-for-user.ts';

export type ChangeParts = UndoParts & { idempotencyRecords: Pick<IdempotencyRecords, 'forget'> };
/** `role`: of who started the batch. `awaitAuditLog`: for undos. */
type Change = {
  batch: UserBatch;
  project: ProjectAccess['project'];
  userId: string;
  role: ProjectRole;
  awaitAuditLog: AwaitAuditLog;
};

/** Errors that say that the user already is as the action wants: a process that ended may have made the change. */
const alreadyDone: Partial<Record<UserBatchAction, DomainErrorCode>> = {
  add_to_team: 'TEAM_MEMBERSHIP_ALREADY_EXISTS',
  delete: 'USER_NOT_FOUND',
};

/** Changes one user of a batch, as the route for one user does. @returns the error that rejects the change, or null */
export async function changeUser(parts: ChangeParts, ctx: Context, change: Change): Promise<DomainError | null> {
  try {
    await apply(parts, ctx, change);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'PROJECT_NOT_FOUND') throw error;
    return error.code === alreadyDone[change.batch.action] ? null : error;
  }
}

async function apply(parts: ChangeParts, ctx: Context, { batch, project, userId, role, awaitAuditLog }: Change) {
  const { write, db } = parts;
  const { action, reason, teamId, permissionId, undoesBatchId } = batch;
  switch (action) {
    case 'restrict': {
      // Without a reason, users who are restricted already keep theirs.
      const restriction = { restrictedByAdmin: true, ...(reason !== null && { restrictedByAdminReason: reason }) };
      return updateUser(write, ctx, { userId, project, ...restriction });
    }
    case 'lift_restriction':
      return updateUser(write, ctx, { userId, project, restrictedByAdmin: false });
    case 'sign_out':
      return signOut({ write, db }, ctx, userId);
    case 'add_to_team':
      return addTeamMember(write, ctx, { teamId: teamId ?? reject('TEAM_NOT_FOUND'), userId, project });
    case 'grant_permission': {
      const id = permissionId ?? reject('PERMISSION_NOT_FOUND', { permission_id: '' });
      return grantProjectPermission(write, ctx, { userId, permissionId: id });
    }
    case 'delete': {
      const { userDeletionGraceDays: graceDays = 0 } = project.settings;
      await deleteUser(write, ctx, { userId, graceDays });
      return parts.idempotencyRecords.forget(userId);
    }
    case 'undo': {
      const batchId = undoesBatchId ?? reject('USER_BATCH_NOT_FOUND');
      return undoForUser(parts, ctx, { batchId, userId, project, role, awaitAuditLog });
    }
    default:
      return action satisfies never;
  }
}

async function signOut({ write, db }: Pick<UndoParts, 'write' | 'db'>, ctx: Context, userId: string): Promise<void> {
  await findUser(db, ctx.projectId, userId);
  const { rows } = await listSessions(db, ctx.projectId, userId, { withImpersonation: true });
  for (const { id: sessionId } of rows) await endSession(write, ctx, { sessionId, userId, reason: 'revoked' });
}
