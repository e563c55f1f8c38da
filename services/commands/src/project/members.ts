import { reject } from '@gatebook/domain/errors';
import { internalProjectId, type ProjectCommand, projectDecider } from '@gatebook/domain/project/decide';
import { roleOfMember } from '@gatebook/domain/project/members';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import type { ProjectState } from '@gatebook/domain/project/state';
import { userDecider } from '@gatebook/domain/user/decide';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { type LoadedAggregate, transact, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { hasOtherOwner } from './ownership.ts';

export type LoadedProject = LoadedAggregate<ProjectState, ProjectCommand>;
type Change = { userId: string; role: ProjectRole | null };

/**
 * Changes the role of a direct member of the project `ctx.projectId`; null removes the member.
 * @throws DomainError PROJECT_NOT_FOUND, PROJECT_MEMBER_NOT_FOUND, LAST_PROJECT_OWNER
 */
export async function changeMember(deps: WriteDeps, ctx: Context, change: Change): Promise<CommandResult> {
  const { position } = await transact(deps, ctx, async (work) => {
    const project = await work.load(projectDecider, streamOf.project(ctx.projectId));
    if (project.state.status !== 'active') return reject('PROJECT_NOT_FOUND', { project_id: ctx.projectId });
    if (roleOfMember(project.state, change.userId) === null) reject('PROJECT_MEMBER_NOT_FOUND');
    await decideMember(work, project, change);
  });
  return { position };
}

/** Also adds a member, who must be a user of `internal`. @throws DomainError USER_NOT_FOUND, LAST_PROJECT_OWNER */
export async function decideMember(work: UnitOfWork, project: LoadedProject, { userId, role }: Change): Promise<void> {
  const at = work.deps.now();
  if (project.state.status !== 'active') return reject('PROJECT_NOT_FOUND', { project_id: work.ctx.projectId });
  const isOwner = project.state.owners.has(userId);
  const member = { userId, hasOtherOwner: !isOwner || (await hasOtherOwner(work, project.state, userId)), at };
  if (role === null) return void project.decide({ type: 'RemoveMember', ...member });
  await requireRegularUser(work, userId);
  project.decide({ type: 'SetMemberRole', ...member, role });
}

async function requireRegularUser(work: UnitOfWork, userId: string): Promise<void> {
  const { state: user } = await work.load(userDecider, streamOf.user(userId));
  if (user.status === 'active' && user.projectId === internalProjectId && !user.isAnonymous) return;
  reject('USER_NOT_FOUND');
}
