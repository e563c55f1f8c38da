import { causeOf } from '@gatebook/commands/cause';
import type { Context } from '@gatebook/commands/deps';
import { streamOf } from '@gatebook/commands/streams';
import { endUserBatch } from '@gatebook/commands/user-batch/user-batch';
import type { Actor, Recorded } from '@gatebook/domain/event';
import { mayActAs, type ProjectRole, roleInProject } from '@gatebook/domain/project/roles';
import { actionIdOf } from '@gatebook/domain/user-batch/action-id';
import { roleForBatch } from '@gatebook/domain/user-batch/decide';
import type { UserBatchEvent, UserBatchOutcome } from '@gatebook/domain/user-batch/events';
import { evolveUserBatch, initialState, type UserBatchState } from '@gatebook/domain/user-batch/state';
import type { ReadModels } from '@gatebook/projections/wait';
import { findProjectAccess, type ProjectAccess } from '@gatebook/readmodel/projects/queries';
import {
  advanceUserBatch,
  deleteUserBatch,
  endUserBatchRow,
  listNextUsers,
  listRunningUserBatches,
  type UserBatchRow,
  userBatchesChannel,
  usersPerTurn,
} from '@gatebook/readmodel/user-batches/user-batches';
import { findMemberRole } from '@gatebook/readmodel/users/queries';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { ignoreDeletedProject } from '../in-deleted-project.ts';
import { createAlarm } from '../webhooks/alarm.ts';
import { type ChangeParts, changeUser } from './change-user.ts';
import { createAuditLogWait } from './undo-for-user.ts';

export type UserBatchParts = ChangeParts & {
  pool: Pool;
  readModels: Pick<ReadModels, 'reached'>;
  listener?: Listener;
  logger: Logger;
  /** Whether this process is handling requests. */
  isBusy?: () => boolean;
  /** Users of a batch before it is the turn of the next one. */
  pageSize?: number;
};

/** New batches are announced. This is for what a process that ended or a failure has left. */
const lookEveryMs = 60_000;
/** A request that stores a batch starts it sooner, unless its process has ended. */
const startedWithinMs = 2 * 60_000;
/** Users who are changed at the same time. */
const lanes = 4;

/** Runs the batches of users of all projects, until `signal` aborts (docs/decisions/0135, 0139). */
export async function runUserBatches(parts: UserBatchParts, signal: AbortSignal): Promise<void> {
  const alarm = await createAlarm(parts.listener, [userBatchesChannel]);
  try {
    while (!signal.aborted) {
      try {
        await runAll(parts, signal);
      } catch (error) {
        parts.logger.warn({ err: error }, 'could not run batches of users');
      }
      await alarm.next(lookEveryMs, signal);
    }
  } finally {
    await alarm.close();
  }
}

/** A page of each in turn, so that a long one does not hold up the others. Those that cannot go on now are left. */
export async function runAll(parts: UserBatchParts, signal: AbortSignal): Promise<void> {
  const left = new Set<string>();
  while (!signal.aborted) {
    const batches = (await listRunningUserBatches(parts.pool)).filter(({ id }) => !left.has(id));
    if (batches.length === 0) return;
    for (const batch of batches) {
      const since = performance.now();
      const goesOn = await runPage(parts, batch).catch((error: unknown) => {
        parts.logger.warn({ err: error, batchId: batch.id }, 'could not run a batch of users');
        return false;
      });
      if (!goesOn) left.add(batch.id);
      if (signal.aborted) return;
      if (parts.isBusy?.()) await pause(performance.now() - since, signal);
    }
  }
}

type Running = Exclude<UserBatchState, { status: 'absent' }>;
type Work = { row: UserBatchRow; batch: Running; started: Recorded; access: ProjectAccess };

/** @returns false if the batch has ended, or can't continue now */
async function runPage(parts: UserBatchParts, row: UserBatchRow): Promise<boolean> {
  const { db, pool, write } = parts;
  const { events } = await write.store.readStream<UserBatchEvent>(streamOf.userBatch(row.id));
  const batch = events.reduce<UserBatchState>(evolveUserBatch, initialState);
  const [started] = events;
  if (batch.status === 'absent' || !started) {
    if (Date.parse(write.now()) - row.createdAt > startedWithinMs) await deleteUserBatch(pool, row);
    return false;
  }
  if (batch.status !== 'running') {
    await endUserBatchRow(pool, row, batch.status);
    return false;
  }
  // A project that awaits its deletion can be restored.
  const access = await findProjectAccess(db, row.projectId);
  if (access === null) return false;
  const work = { row, batch, started, access };
  const role = await findRole(parts, work);
  const mayContinue = role !== null && mayActAs(role, roleForBatch(batch.action));
  const goesOn = await ignoreDeletedProject(
    mayContinue ? changeNextUsers(parts, work, role) : end(parts, work, 'forbidden'),
  );
  return goesOn ?? false;
}

/** The role that who started the batch has now, whose session may have ended. Project keys act as owners. */
async function findRole({ db, write }: UserBatchParts, { row, started, access }: Work): Promise<ProjectRole | null> {
  const { id, kind } = started.metadata.actor;
  if (kind === 'owner') return roleInProject(await findMemberRole(db, id ?? '', row.projectId), row.projectId);
  const now = Date.parse(write.now());
  const isValid = access.keys.some((key) => key.id === id && key.kind === 'superSecretAdminKey' && key.expiresAt > now);
  return isValid ? 'owner' : null;
}

async function changeNextUsers(parts: UserBatchParts, work: Work, role: ProjectRole): Promise<boolean> {
  const { pool, write, readModels, isBusy, pageSize = usersPerTurn } = parts;
  const { row, batch, access } = work;
  const userIds = await listNextUsers(pool, row, { from: row.done, limit: pageSize });
  if (userIds.length === 0) return end(parts, work, 'completed');
  const failures: { nth: number; error: string; details: Readonly<Record<string, unknown>> }[] = [];
  // Once per page, because the changes that an undo reverts were written earlier.
  const awaitAuditLog = createAuditLogWait({ store: write.store, readModels }, row.projectId);
  const width = isBusy?.() ? 1 : lanes;
  for (let from = 0; from < userIds.length; from += width) {
    await Promise.all(
      userIds.slice(from, from + width).map(async (userId, offset) => {
        const ctx = contextOf(work, userId);
        const error = await changeUser(parts, ctx, { batch, project: access.project, userId, role, awaitAuditLog });
        if (error) failures.push({ nth: row.done + from + offset, error: error.code, details: error.details });
      }),
    );
  }
  return advanceUserBatch(pool, row, { count: userIds.length, failures });
}

const gatebook: Actor = { kind: 'system', id: null };

/** The changes of a user are one action of who started the batch, and it is their cause. */
function contextOf({ row, started }: Work, userId: string | null): Context {
  const { actor, sessionId } = started.metadata;
  const about = { projectId: row.projectId, cause: causeOf(started) };
  if (userId === null) return { ...about, actor: gatebook, requestId: `batch ${row.id}` };
  return { ...about, actor, sessionId, requestId: actionIdOf(row.id, userId) };
}

async function end(parts: UserBatchParts, work: Work, outcome: UserBatchOutcome): Promise<false> {
  await endUserBatch(parts.write, contextOf(work, null), { batchId: work.row.id, outcome });
  await endUserBatchRow(parts.pool, work.row, outcome);
  return false;
}
