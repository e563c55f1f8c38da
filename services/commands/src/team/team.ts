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
import { loadMember, loadTeam, requireTeamPermission } from './team-permissions.ts';

type Json = Extract<TeamEvent, { type: 'TeamMetadataChanged' }>['data']['value'];
/** Team fields that a caller may set. undefined: unchanged, or none for a new team. */
export type TeamInput = {
  displayName?: string | undefined;
  profileImageUrl?: string | null | undefined;
  clientMetadata?: Json | undefined;
  clientReadOnlyMetadata?: Json | undefined;
  serverMetadata?: Json | undefined;
};
/** The acting member; null for a server, which needs no permission. */
export type Acting = { by: string | null };
type JoinMethod = Extract<MembershipEvent, { type: 'TeamMemberAdded' }>['data']['how'];

/**
 * Creates a team with its creator as the first member (protocol, resources §3.3).
 * @throws DomainError USER_NOT_FOUND when the creator does not exist; QUOTA_EXCEEDED
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
  how: JoinMethod;
  at: string;
};

/** The team comes first: a team without its creator is only empty. */
export function addTeam(work: UnitOfWork, project: ProjectFacts, team: NewTeam): ActiveTeam {
  const { teamId, subjectId, displayName, profileImageUrl = null, creatorId, how, at } = team;
  const { clientMetadata = null, clientReadOnlyMetadata = null, serverMetadata = null } = team;
  const { projectId } = work.ctx;
  const newTeam = work.create(teamDecider, streamOf.team(teamId));
  newTeam.decide({
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
    const permissionKeys = defaultPermissions(project, 'teamCreatorDefaultPermissions');
    const member = { teamId, userId: creatorId, projectId, permissionKeys, how, at };
    work.create(membershipDecider, streamOf.membership(teamId, creatorId)).decide({ type: 'AddMember', ...member });
  }
  return newTeam.state as ActiveTeam;
}

/** @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED, TEAM_NOT_FOUND */
export async function updateTeam(
  deps: WriteDeps,
  ctx: Context,
  { teamId, by, ...change }: TeamInput & Acting & { teamId: string },
): Promise<CommandResult<{ team: ActiveTeam }>> {
  const { state, position } = await decideOnTeam(deps, ctx, { teamId, by, permissionKey: '$update_team' }, (at) => {
    return { type: 'ChangeTeam', ...change, at };
  });
  return { team: state as ActiveTeam, position };
}

export async function decideOnTeam(
  deps: WriteDeps,
  ctx: Context,
  { teamId, by, permissionKey }: Acting & { teamId: string; permissionKey: string },
  toCommand: (at: string) => TeamCommand,
): Promise<CommandResult<{ state: TeamState }>> {
  const at = deps.now();
  const { result, position } = await transact(deps, ctx, async (work) => {
    if (by !== null) await requireTeamPermission(work, { teamId, userId: by, permissionKey });
    const team = await loadTeam(work, teamId);
    team.decide(toCommand(at));
    return team.state;
  });
  return { state: result, position };
}

type MemberKey = { teamId: string; userId: string };

/** @throws DomainError USER_NOT_FOUND, TEAM_NOT_FOUND, TEAM_MEMBERSHIP_ALREADY_EXISTS */
export async function addTeamMember(
  deps: WriteDeps,
  ctx: Context,
  { project, ...memberKey }: MemberKey & { project: ProjectFacts },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    await loadUser(work, memberKey.userId);
    await loadTeam(work, memberKey.teamId);
    await addMember(work, { ...memberKey, project, how: 'added', at });
  });
  return { position };
}

/** Adds a member with the default permissions of the project. @throws DomainError TEAM_MEMBERSHIP_ALREADY_EXISTS */
export async function addMember(
  work: UnitOfWork,
  { project, teamId, userId, how, at }: MemberKey & { project: ProjectFacts; how: JoinMethod; at: string },
): Promise<void> {
  const { projectId } = work.ctx;
  const permissionKeys = defaultPermissions(project, 'teamMemberDefaultPermissions');
  const membership = await work.load(membershipDecider, streamOf.membership(teamId, userId));
  membership.decide({ type: 'AddMember', teamId, userId, projectId, permissionKeys, how, at });
}

/**
 * Removes a member. Members may always leave; removing others requires a permission (protocol, resources §4.1).
 * @throws DomainError for the remover: TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED; then for the member:
 * USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND
 */
export async function removeTeamMember(
  deps: WriteDeps,
  ctx: Context,
  { teamId, userId, by }: MemberKey & Acting,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    if (by !== null && by !== userId) {
      const permissionKey = '$remove_members';
      const remover = await requireTeamPermission(work, { teamId, userId: by, permissionKey });
      remover.guard({ type: 'UsePermission', permissionKey, at });
    }
    await loadUser(work, userId);
    const member = await loadMember(work, teamId, userId);
    member.decide({ type: 'RemoveMember', how: by === userId ? 'left' : 'removed', at });
  });
  return { position };
}

/** Changes the profile of a member in one team. @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND */
export async function changeTeamProfile(
  deps: WriteDeps,
  ctx: Context,
  input: MemberKey & { displayName?: string | undefined; profileImageUrl?: string | null | undefined },
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
