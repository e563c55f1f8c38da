import { membershipDecider } from '@gatebook/domain/membership/decide';
import { defaultPermissions } from '@gatebook/domain/permission/effective';
import { teamDecider } from '@gatebook/domain/team/decide';
import { NO_STREAM } from '@gatebook/eventlog/port';
import type { Context, WriteDeps } from '../deps.ts';
import { dryRun, transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { streamOf } from '../streams.ts';
import type { DryRun } from '../user/import-users.ts';
import { loadUser } from '../user/load-user.ts';
import { addTeam, type TeamInput } from './team.ts';
import { loadTeam } from './team-permissions.ts';

export type ImportedTeam = TeamInput & { teamId: string; displayName: string; project: ProjectFacts };
/** Not null: nothing is appended. Holds what the rows before would have written. */
type Rehearsal = DryRun | null;

/** Creates a team without members, unless the project has it. `taken`: something else has or had the ID. */
export async function importTeam(
  deps: WriteDeps,
  ctx: Context,
  team: ImportedTeam,
  rehearsal: Rehearsal = null,
): Promise<'created' | 'existing' | 'taken'> {
  const { teamId, project } = team;
  const at = deps.now();
  if (rehearsal?.has(streamOf.team(teamId))) return 'existing';
  if (rehearsal?.has(streamOf.user(teamId))) return 'taken';
  const outcome = await run(deps, ctx, rehearsal, async (work) => {
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
  if (outcome !== 'taken') rehearsal?.add(streamOf.team(teamId));
  return outcome;
}

async function run<T>(
  deps: WriteDeps,
  ctx: Context,
  rehearsal: Rehearsal,
  decide: (work: UnitOfWork) => Promise<T>,
): Promise<T> {
  return rehearsal ? dryRun(deps, ctx, decide) : (await transact(deps, ctx, decide)).result;
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
  rehearsal: Rehearsal = null,
): Promise<'created' | 'existing'> {
  const at = deps.now();
  const list = isAdmin ? 'teamCreatorDefaultPermissions' : 'teamMemberDefaultPermissions';
  const { projectId } = ctx;
  const stream = streamOf.membership(teamId, userId);
  if (rehearsal?.has(stream)) return 'existing';
  const outcome = await run(deps, ctx, rehearsal, async (work) => {
    if (!rehearsal?.has(streamOf.user(userId))) await loadUser(work, userId);
    if (!rehearsal?.has(streamOf.team(teamId))) await loadTeam(work, teamId);
    const membership = await work.load(membershipDecider, stream);
    if (membership.state.status === 'member') return 'existing' as const;
    const permissionKeys = defaultPermissions(project, list);
    membership.decide({ type: 'AddMember', teamId, userId, projectId, permissionKeys, how: 'added', at });
    return 'created' as const;
  });
  rehearsal?.add(stream);
  return outcome;
}
