import { membershipDecider } from '@gatebook/domain/membership/decide';
import type { MembershipEvent } from '@gatebook/domain/membership/events';
import type { Member } from '@gatebook/domain/membership/state';
import { defaultPermissions } from '@gatebook/domain/permission/effective';
import { type TeamCommand, teamDecider } from '@gatebook/domain/team/decide';
import type { TeamEvent } from '@gatebook/domain/team/events';
import type { ActiveTeam, TeamState } from '@gatebook/domain/team/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { type Limited, useQuota } from '../quota/quota.ts';
import { streamOf } from '../streams.ts';
import { loadUser } from '../user/load-user.ts';
import { loadMember, loadTeam, requireRight } from './team-rights.ts';

type Json = Extract<TeamEvent, { type: 'TeamMetadataChanged' }>['data']['value'];
/** What a caller may say of a team; undefined leaves, or means none. */
export type TeamInput = {
  displayName?: string | undefined;
  profileImageUrl?: string | null | undefined;
  clientMetadata?: Json | undefined;
  clientReadOnlyMetadata?: Json | undefined;
  serverMetadata?: Json | undefined;
};
/** The member on whose behalf it is done; null for a server, which needs no right. */
type By = { by: string | null };
type How = Extract<MembershipEvent, { type: 'TeamMemberAdded' }>['data']['how'];

/**
 * A team, and its creator as the first member (protocol, resources §3.3).
 * @throws DomainError USER_NOT_FOUND when there is no such creator; QUOTA_EXCEEDED
 */
export async function createTeam(
  deps: WriteDeps,
  ctx: Context,
  input: TeamInput & Limited & { displayName: string; creatorId: string | null; project: ProjectFacts },
): Promise<CommandResult<{ team: ActiveTeam }>> {
  const { project, limit, ...facts } = input;
  const [teamId, at] = [deps.newId(), deps.now()];
  const { result, position } = await transact(deps, ctx, async (work) => {
    if (facts.creatorId !== null) {
      await loadUser(work, facts.creatorId);
      await useQuota(work, { quota: 'teamsPerUser', limit, ownerId: facts.creatorId, itemId: teamId, at });
    }
    return addTeam(work, project, { ...facts, teamId, subjectId: teamId, how: 'created', at });
  });
  return { team: result, position };
}

type NewTeam = TeamInput & {
  teamId: string;
  subjectId: string;
  displayName: string;
  creatorId: string | null;
  how: How;
  at: string;
};

/** Team first: one without its creator is only empty. */
export function addTeam(work: UnitOfWork, project: ProjectFacts, team: NewTeam): ActiveTeam {
  const { teamId, subjectId, displayName, profileImageUrl = null, creatorId, how, at } = team;
  const { clientMetadata = null, clientReadOnlyMetadata = null, serverMetadata = null } = team;
  const { projectId } = work.ctx;
  const created = work.create(teamDecider, streamOf.team(teamId));
  created.decide({
    type: 'CreateTeam',
    teamId,
    projectId,
    subjectId,
    displayName,
    profileImageUrl,
    clientMetadata,
    clientReadOnlyMetadata,
    serverMetadata,
    creatorId,
    at,
  });
  if (creatorId !== null) {
    const permissions = defaultPermissions(project, 'teamCreatorDefaultPermissions');
    const member = { teamId, userId: creatorId, projectId, permissions, how, at };
    work.create(membershipDecider, streamOf.membership(teamId, creatorId)).decide({ type: 'AddMember', ...member });
  }
  return created.state as ActiveTeam;
}

/** @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED, TEAM_NOT_FOUND */
export async function updateTeam(
  deps: WriteDeps,
  ctx: Context,
  { teamId, by, ...change }: TeamInput & By & { teamId: string },
): Promise<CommandResult<{ team: ActiveTeam }>> {
  const { state, position } = await decideOnTeam(deps, ctx, { teamId, by, right: '$update_team' }, (at) => {
    return { type: 'ChangeTeam', ...change, at };
  });
  return { team: state as ActiveTeam, position };
}

/**
 * The team goes with all that hangs on it, and the key of what the log tells of it is destroyed. Should a crash come before the
 * erasure, the worker makes it good.
 * @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED, TEAM_NOT_FOUND
 */
export async function deleteTeam(
  deps: WriteDeps,
  ctx: Context,
  { teamId, by }: By & { teamId: string },
): Promise<CommandResult> {
  const done = await decideOnTeam(deps, ctx, { teamId, by, right: '$delete_team' }, (at) => ({
    type: 'DeleteTeam',
    at,
  }));
  await deps.eraseSubject(teamId);
  return done;
}

async function decideOnTeam(
  deps: WriteDeps,
  ctx: Context,
  { teamId, by, right }: By & { teamId: string; right: string },
  commandAt: (at: string) => TeamCommand,
): Promise<CommandResult<{ state: TeamState }>> {
  const at = deps.now();
  const { result, position } = await transact(deps, ctx, async (work) => {
    if (by !== null) await requireRight(work, { teamId, userId: by, right });
    const team = await loadTeam(work, teamId);
    team.decide(commandAt(at));
    return team.state;
  });
  return { state: result, position };
}

type Place = { teamId: string; userId: string };

/** @throws DomainError USER_NOT_FOUND, TEAM_NOT_FOUND, TEAM_MEMBERSHIP_ALREADY_EXISTS */
export async function addTeamMember(
  deps: WriteDeps,
  ctx: Context,
  { project, ...place }: Place & { project: ProjectFacts },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    await loadUser(work, place.userId);
    await loadTeam(work, place.teamId);
    await addMember(work, { ...place, project, how: 'added', at });
  });
  return { position };
}

/** A membership with what the project grants members. @throws DomainError TEAM_MEMBERSHIP_ALREADY_EXISTS */
export async function addMember(
  work: UnitOfWork,
  { project, teamId, userId, how, at }: Place & { project: ProjectFacts; how: How; at: string },
): Promise<void> {
  const { projectId } = work.ctx;
  const permissions = defaultPermissions(project, 'teamMemberDefaultPermissions');
  const membership = await work.load(membershipDecider, streamOf.membership(teamId, userId));
  membership.decide({ type: 'AddMember', teamId, userId, projectId, permissions, how, at });
}

/**
 * Members may always leave; others they may remove by right (protocol, resources §4.1).
 * @throws DomainError of the remover: TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED; then of the member: USER_NOT_FOUND,
 * TEAM_MEMBERSHIP_NOT_FOUND
 */
export async function removeTeamMember(
  deps: WriteDeps,
  ctx: Context,
  { teamId, userId, by }: Place & By,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    if (by !== null && by !== userId) {
      const right = '$remove_members';
      const remover = await requireRight(work, { teamId, userId: by, right });
      remover.guard({ type: 'UseRight', right, at });
    }
    await loadUser(work, userId);
    const member = await loadMember(work, teamId, userId);
    member.decide({ type: 'RemoveMember', how: by === userId ? 'left' : 'removed', at });
  });
  return { position };
}

/** How a member goes by in one team. @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND */
export async function changeTeamProfile(
  deps: WriteDeps,
  ctx: Context,
  input: Place & { displayName?: string | undefined; profileImageUrl?: string | null | undefined },
): Promise<CommandResult<{ profile: Member['profile'] }>> {
  const { teamId, userId, displayName, profileImageUrl } = input;
  const at = deps.now();
  const { result, position } = await transact(deps, ctx, async (work) => {
    await loadUser(work, userId);
    const member = await loadMember(work, teamId, userId);
    if (displayName !== undefined || profileImageUrl !== undefined) {
      member.decide({ type: 'ChangeProfile', displayName, profileImageUrl, at });
    }
    return (member.state as Member).profile;
  });
  return { profile: result, position };
}
