import { reject } from '@gatebook/domain/errors';
import { type MembershipCommand, membershipDecider } from '@gatebook/domain/membership/decide';
import type { MembershipState } from '@gatebook/domain/membership/state';
import { type Definitions, expandPermissions } from '@gatebook/domain/permission/effective';
import { projectDecider } from '@gatebook/domain/project/decide';
import { type TeamCommand, teamDecider } from '@gatebook/domain/team/decide';
import { existingTeam, type TeamState } from '@gatebook/domain/team/state';
import type { Context } from '../deps.ts';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

/** @throws DomainError TEAM_NOT_FOUND, also for a team of another project */
export async function loadTeam(work: UnitOfWork, teamId: string): Promise<LoadedAggregate<TeamState, TeamCommand>> {
  const team = await work.load(teamDecider, streamOf.team(teamId));
  if (!isTeamOf(work.ctx, team.state)) reject('TEAM_NOT_FOUND', { team_id: teamId });
  return team;
}

/** Loads a team that may await deletion. @throws DomainError TEAM_NOT_FOUND, also for a team of another project */
export async function loadExistingTeam(
  work: UnitOfWork,
  teamId: string,
): Promise<LoadedAggregate<TeamState, TeamCommand>> {
  const team = await work.load(teamDecider, streamOf.team(teamId));
  if (existingTeam(team.state)?.projectId !== work.ctx.projectId) reject('TEAM_NOT_FOUND', { team_id: teamId });
  return team;
}

/** @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, also for a deleted team */
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
 * Requires a permission, judged by the log itself: a permission revoked a moment ago no longer counts (protocol,
 * resources §3.5).
 * @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED
 */
export async function requireTeamPermission(
  work: UnitOfWork,
  { teamId, userId, permissionKey }: { teamId: string; userId: string; permissionKey: string },
): Promise<LoadedAggregate<MembershipState, MembershipCommand>> {
  const membership = await loadMember(work, teamId, userId);
  if (!(await hasPermission(work, membership.state, permissionKey))) {
    reject('TEAM_PERMISSION_REQUIRED', { team_id: teamId, user_id: userId, permission_id: permissionKey });
  }
  return membership;
}

/** Like `requireTeamPermission`, for callers that must not reveal why permission is missing. */
export async function hasTeamPermission(
  work: UnitOfWork,
  { teamId, userId, permissionKey }: { teamId: string; userId: string; permissionKey: string },
): Promise<boolean> {
  const team = await work.load(teamDecider, streamOf.team(teamId));
  const membership = await work.load(membershipDecider, streamOf.membership(teamId, userId));
  return isTeamOf(work.ctx, team.state) && hasPermission(work, membership.state, permissionKey);
}

async function hasPermission(work: UnitOfWork, membership: MembershipState, permissionKey: string): Promise<boolean> {
  if (membership.status === 'none') return false;
  return expandPermissions(await readDefinitions(work), membership.permissions).has(permissionKey);
}

/** Permission definitions of the project, read from the log. */
export async function readDefinitions(work: UnitOfWork): Promise<Definitions> {
  const { state } = await work.load(projectDecider, streamOf.project(work.ctx.projectId));
  return state.status === 'active' ? state.permissions : [];
}

const isTeamOf = ({ projectId }: Context, team: TeamState) => team.status === 'active' && team.projectId === projectId;
