import { reject } from '@gatebook/domain/errors';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { internalProjectId, projectDecider } from '@gatebook/domain/project/decide';
import type { ActiveProject, ProjectState } from '@gatebook/domain/project/state';
import { teamDecider } from '@gatebook/domain/team/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import type { CommandResult, Context, UnitOfWorkDeps, WriteDeps } from '../deps.ts';
import { readState, transact, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { hasTeamPermission } from '../team/team-permissions.ts';

/** Moving a project out of a team takes it away from the other members. */
const permissionToMoveOut = '$update_team';

/**
 * Makes a team of `internal` the only owner of a project. The caller owns the project and is a member of the team.
 * `ctx.projectId` is `internal`; the events belong to the project.
 * @throws DomainError PROJECT_NOT_FOUND, also for a project of others; INTERNAL_PROJECT_NOT_TRANSFERABLE,
 * TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED
 */
export async function transferProject(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { projectId, teamId, userId }: { projectId: string; teamId: string; userId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, { ...ctx, projectId }, async (work) => {
    const project = await work.load(projectDecider, streamOf.project(projectId));
    const { state } = project;
    if (state.status !== 'active' || !(await isOwnerOf(work, state, userId))) {
      return reject('PROJECT_NOT_FOUND', { project_id: projectId });
    }
    await requireMemberOfOwnerTeam(work, teamId, userId);
    await requirePermissionToMove(work, state, userId);
    project.decide({ type: 'TransferProject', teamId, at });
  });
  return { position };
}

/** Whether a user owns a project, directly or as a member of the team that owns it. */
export async function isOwnerOf(
  work: UnitOfWork,
  { owners, ownerTeamId }: ActiveProject,
  userId: string,
): Promise<boolean> {
  return owners.has(userId) || (ownerTeamId !== null && isMember(work, ownerTeamId, userId));
}

/** @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, also for a team that does not exist or is not of `internal` */
export async function requireMemberOfOwnerTeam(work: UnitOfWork, teamId: string, userId: string): Promise<void> {
  if (await isMember(work, teamId, userId)) return;
  reject('TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: userId });
}

async function requirePermissionToMove(work: UnitOfWork, project: ActiveProject, userId: string): Promise<void> {
  const { ownerTeamId: teamId, owners } = project;
  if (teamId === null || owners.has(userId)) return;
  const internal = { ...work, ctx: { ...work.ctx, projectId: internalProjectId } };
  if (await hasTeamPermission(internal, { teamId, userId, permissionKey: permissionToMoveOut })) return;
  reject('TEAM_PERMISSION_REQUIRED', { team_id: teamId, user_id: userId, permission_id: permissionToMoveOut });
}

/** Whether somebody besides the user owns the project and can act: another owner, or a team. */
export async function hasOtherOwner(work: UnitOfWork, project: ActiveProject, userId: string): Promise<boolean> {
  const { owners, ownerTeamId } = project;
  if (ownerTeamId !== null) {
    const { state: team } = await work.load(teamDecider, streamOf.team(ownerTeamId));
    if (team.status === 'active') return true;
  }
  const { gone, awaitingDeletion } = await findInactiveOwners(work.deps, project, work.deps.now());
  const inactive = new Set([...gone, ...awaitingDeletion, userId]);
  return [...owners.keys()].some((owner) => !inactive.has(owner));
}

async function isMember(work: UnitOfWork, teamId: string, userId: string): Promise<boolean> {
  const team = await work.load(teamDecider, streamOf.team(teamId));
  if (team.state.status !== 'active' || team.state.projectId !== internalProjectId) return false;
  const membership = await work.load(membershipDecider, streamOf.membership(teamId, userId));
  return membership.state.status === 'member';
}

/**
 * How long the user of an owner may still be on its way where an append is written in parts: the same as for
 * reservations.
 */
const graceMs = 60_000;

/**
 * Owners who can't act. `gone`: their user was erased or never created, and the project has not recorded their removal.
 * `awaitingDeletion`: they are owners again once they are restored. `at` is an ISO time.
 */
export async function findInactiveOwners({ store }: Pick<WriteDeps, 'store'>, state: ProjectState, at: string) {
  const [gone, awaitingDeletion]: [string[], string[]] = [[], []];
  for (const [userId, since] of state.status === 'active' ? state.owners : []) {
    const user = await readState(store, userDecider, streamOf.user(userId));
    const isOnItsWay = user.state.status === 'absent' && Date.parse(at) - Date.parse(since) < graceMs;
    if (user.state.status === 'awaiting_deletion') awaitingDeletion.push(userId);
    else if (user.state.status !== 'active' && !isOnItsWay) gone.push(userId);
  }
  return { gone, awaitingDeletion };
}
