import { membershipDecider } from '@gatebook/domain/membership/decide';
import { defaultPermissions } from '@gatebook/domain/permission/effective';
import { teamDecider } from '@gatebook/domain/team/decide';
import { NO_STREAM } from '@gatebook/eventlog/port';
import type { Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { streamOf } from '../streams.ts';
import { loadUser } from '../user/load-user.ts';
import { addTeam, type TeamInput } from './team.ts';
import { loadTeam } from './team-permissions.ts';

export type ImportedTeam = TeamInput & { teamId: string; displayName: string; project: ProjectFacts };
/** Creates a team without members, unless the project has it. `taken`: something else has or had the ID. */
export async function importTeam(
  deps: WriteDeps,
  ctx: Context,
  team: ImportedTeam,
): Promise<'created' | 'existing' | 'taken'> {
  const { teamId, project } = team;
  const at = deps.now();
  const { result } = await transact(deps, ctx, async (work) => {
    const { state, revision } = await work.load(teamDecider, streamOf.team(teamId));
    if (state.status === 'active' && state.projectId === ctx.projectId) return 'existing' as const;
    // The ID also names the key of its data (see `requireFreeUserId`).
    const others = [streamOf.user, streamOf.project, streamOf.projectKey, streamOf.email].map((nameOf) =>
      nameOf(teamId),
    );
    const revisions = await work.deps.store.revisionsOf(others);
    const isFree = revision === NO_STREAM && others.every((stream) => revisions.get(stream) === NO_STREAM);
    if (!isFree) return 'taken' as const;
    addTeam(work, project, { ...team, subjectId: teamId, creatorId: null, how: 'added', at });
    return 'created' as const;
  });
  return result;
}

export type ImportedMember = { teamId: string; userId: string; isAdmin: boolean; project: ProjectFacts };

/**
 * Adds a member with the default permissions of members or, for an admin, of team creators.
 * @throws DomainError USER_NOT_FOUND, TEAM_NOT_FOUND
 */
export async function importMember(
  deps: WriteDeps,
  ctx: Context,
  { teamId, userId, isAdmin, project }: ImportedMember,
): Promise<'created' | 'existing'> {
  const at = deps.now();
  const list = isAdmin ? 'teamCreatorDefaultPermissions' : 'teamMemberDefaultPermissions';
  const { projectId } = ctx;
  const { result } = await transact(deps, ctx, async (work) => {
    await loadUser(work, userId);
    await loadTeam(work, teamId);
    const membership = await work.load(membershipDecider, streamOf.membership(teamId, userId));
    if (membership.state.status === 'member') return 'existing' as const;
    const permissionKeys = defaultPermissions(project, list);
    membership.decide({ type: 'AddMember', teamId, userId, projectId, permissionKeys, how: 'added', at });
    return 'created' as const;
  });
  return result;
}
