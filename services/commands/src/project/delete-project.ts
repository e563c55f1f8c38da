import { reject } from '@gatebook/domain/errors';
import { projectDecider } from '@gatebook/domain/project/decide';
import { projectClosureDecider } from '@gatebook/domain/project-closure/decide';
import type { CommandResult, Context, UnitOfWorkDeps, WriteDeps } from '../deps.ts';
import { readState, transact, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { decideOnProject } from './project.ts';

/**
 * Schedules the deletion of the project `ctx.projectId` for the end of `graceDays`. Without a grace period, deletes it
 * for good, also if it awaits deletion: erases the keys of its secrets and its people. If a crash prevents the erasure,
 * deleting again completes it (and is rejected), as does the worker.
 * @throws DomainError PROJECT_NOT_FOUND, INTERNAL_PROJECT_NOT_DELETABLE
 */
export async function deleteProject(
  deps: WriteDeps,
  ctx: Context,
  { graceDays = 0 }: { graceDays?: number } = {},
): Promise<CommandResult> {
  const at = deps.now();
  await eraseIfDeleted(deps, ctx.projectId);
  if (graceDays === 0) return erase(deps, ctx, false);
  const { position } = await decideOnProject(deps, ctx, [{ type: 'ScheduleDeletion', graceDays, at }]);
  return { position };
}

/**
 * Takes a scheduled deletion back. Does nothing to a project that is not deleted. @throws DomainError
 * PROJECT_NOT_FOUND
 */
export async function restoreProject(deps: WriteDeps, ctx: Context): Promise<CommandResult> {
  const { position } = await decideOnProject(deps, ctx, [{ type: 'RestoreProject', at: deps.now() }]);
  return { position };
}

/**
 * Erases a project whose grace period is over. Rejects a project that was restored meanwhile. @throws DomainError
 * PROJECT_NOT_FOUND
 */
export const eraseDueProject = (deps: WriteDeps, ctx: Context): Promise<CommandResult> => erase(deps, ctx, true);

async function erase(deps: WriteDeps, ctx: Context, onlyIfDue: boolean): Promise<CommandResult> {
  const at = deps.now();
  const { projectId } = ctx;
  const { position } = await transact(deps, ctx, async (work) => {
    const project = await work.load(projectDecider, streamOf.project(projectId));
    const { state } = project;
    const isDue = state.status === 'awaiting_deletion' && state.deleteAt <= at;
    if (onlyIfDue && !isDue) reject('PROJECT_NOT_FOUND', { project_id: projectId });
    project.decide({ type: 'DeleteProject', at });
    await closeProject(work, at);
  });
  await eraseIfDeleted(deps, projectId);
  return { position };
}

/** From now on, every other write into the project `work.ctx.projectId` is rejected. */
async function closeProject({ load, ctx: { projectId } }: UnitOfWork, at: string): Promise<void> {
  const closure = await load(projectClosureDecider, streamOf.projectClosure(projectId));
  closure.decide({ type: 'CloseProject', projectId, at });
}

/** Completes a deletion whose append was cut off before it closed the project. */
export async function completeDeletion(deps: UnitOfWorkDeps, ctx: Context): Promise<CommandResult> {
  const at = deps.now();
  return transact(deps, ctx, (work) => closeProject(work, at));
}

/** The worker destroys the other keys of a large project; they are unreadable before that. */
const keysErasedAtOnce = 1_000;

async function eraseIfDeleted({ store, eraseSubject, eraseProject }: WriteDeps, projectId: string): Promise<void> {
  const { state } = await readState(store, projectDecider, streamOf.project(projectId));
  if (state.status !== 'deleted') return;
  // The key of the project's secrets may be older than the record of its project.
  await eraseSubject(state.subjectId);
  await eraseProject(projectId, keysErasedAtOnce);
}
