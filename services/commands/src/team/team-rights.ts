import { reject } from '@gatebook/domain/errors';
import { type MembershipCommand, membershipDecider } from '@gatebook/domain/membership/decide';
import type { MembershipState } from '@gatebook/domain/membership/state';
import { type Definitions, withContained } from '@gatebook/domain/permission/effective';
import { projectDecider } from '@gatebook/domain/project/decide';
import { type TeamCommand, teamDecider } from '@gatebook/domain/team/decide';
import type { TeamState } from '@gatebook/domain/team/state';
import type { Context } from '../deps.ts';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

/** @throws DomainError TEAM_NOT_FOUND, also for a team of another project */
export async function loadTeam(work: UnitOfWork, teamId: string): Promise<LoadedAggregate<TeamState, TeamCommand>> {
  const team = await work.load(teamDecider, streamOf.team(teamId));
  if (!isTeamOf(work.ctx, team.state)) reject('TEAM_NOT_FOUND', { team_id: teamId });
  return team;
}

/** @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, also for a team that is not there (any more) */
export async function loadMember(
  work: UnitOfWork,
  teamId: string,
  userId: string,
): Promise<LoadedAggregate<MembershipState, MembershipCommand>> {
  const team = await work.load(teamDecider, streamOf.team(teamId));
  const membership = await work.load(membershipDecider, streamOf.membership(teamId, userId));
  if (!isTeamOf(work.ctx, team.state) || membership.state.status !== 'member') {
    reject('TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: userId });
  }
  return membership;
}

/**
 * A member who may do something, by the log itself: a right that was taken away a moment ago is gone (protocol, resources §3.5).
 * @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED
 */
export async function requireRight(
  work: UnitOfWork,
  { teamId, userId, right }: { teamId: string; userId: string; right: string },
): Promise<LoadedAggregate<MembershipState, MembershipCommand>> {
  const membership = await loadMember(work, teamId, userId);
  if (!(await isStandby(work, membership.state, right))) {
    reject('TEAM_PERMISSION_REQUIRED', { team_id: teamId, user_id: userId, permission_id: right });
  }
  return membership;
}

/** As `requireRight`, where who lacks it is not to be told why. */
export async function holdsRight(
  work: UnitOfWork,
  { teamId, userId, right }: { teamId: string; userId: string; right: string },
): Promise<boolean> {
  const team = await work.load(teamDecider, streamOf.team(teamId));
  const membership = await work.load(membershipDecider, streamOf.membership(teamId, userId));
  return isTeamOf(work.ctx, team.state) && isStandby(work, membership.state, right);
}

async function isStandby(work: UnitOfWork, membership: MembershipState, right: string): Promise<boolean> {
  if (membership.status === 'none') return false;
  return withContained(await definitionsOf(work), membership.permissions).has(right);
}

/** The permission definitions of the project, as the log has them. */
export async function definitionsOf(work: UnitOfWork): Promise<Definitions> {
  const { state } = await work.load(projectDecider, streamOf.project(work.ctx.projectId));
  return state.status === 'active' ? state.permissions : [];
}

const isTeamOf = ({ projectId }: Context, team: TeamState) => team.status === 'active' && team.projectId === projectId;
