import { codeDecider } from '@gatebook/domain/code/decide';
import type { IssuedCode } from '@gatebook/domain/code/state';
import { reject } from '@gatebook/domain/errors';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { teamDecider } from '@gatebook/domain/team/decide';
import type { ActiveTeam } from '@gatebook/domain/team/state';
import { isSameEmail } from '@gatebook/domain/user/email';
import { findRestriction, restrictionFacts } from '@gatebook/domain/user/restriction';
import type { ActiveUser } from '@gatebook/domain/user/state';
import { type PresentedCode, presentCode, useCode } from '../code/code.ts';
import { prepareCodeEmail } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { type Limited, useQuota } from '../quota/quota.ts';
import { streamOf } from '../streams.ts';
import { loadUser } from '../user/load-user.ts';
import { addMember } from './team.ts';
import { loadTeam, requireTeamPermission } from './team-permissions.ts';

const purpose = 'team_invitation';

type Invitation = { teamId: string; email: string; callbackUrl: string; by: string | null; project: ProjectFacts };

/**
 * Emails a link with which its bearer can join the team (protocol, resources §5). `by`: the inviting member, null for a
 * server.
 * @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED, TEAM_NOT_FOUND, REDIRECT_URL_NOT_WHITELISTED
 */
export async function inviteToTeam(
  deps: WriteDeps,
  ctx: Context,
  { teamId, email, callbackUrl, by, project }: Invitation,
): Promise<CommandResult<{ invitationId: string }>> {
  const at = deps.now();
  const { result, position } = await transact(deps, ctx, async (work) => {
    if (by !== null) await requireTeamPermission(work, { teamId, userId: by, permissionKey: '$invite_members' });
    const team = (await loadTeam(work, teamId)).state as ActiveTeam;
    if (!isTrustedUrl(callbackUrl, project.config)) reject('REDIRECT_URL_NOT_WHITELISTED');
    const variables = (link: string) => {
      const teamDisplayName = team.displayName;
      return { projectDisplayName: project.displayName, teamDisplayName, teamInvitationLink: link };
    };
    const codeEmail = prepareCodeEmail(
      deps,
      ctx,
      { emailType: purpose, purpose, recipient: email, userId: null, callbackUrl, payload: { teamId }, variables },
      at,
    );
    codeEmail.add(work);
    return codeEmail.subjectId;
  });
  return { invitationId: result, position };
}

/**
 * Revokes an open invitation. `codeId` is its code according to the read model, null when there is none.
 * @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED, TEAM_NOT_FOUND, INVITATION_NOT_FOUND
 */
export async function revokeInvitation(
  deps: WriteDeps,
  ctx: Context,
  { teamId, codeId, by }: { teamId: string; codeId: string | null; by: string | null },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    if (by !== null) await requireTeamPermission(work, { teamId, userId: by, permissionKey: '$remove_members' });
    await loadTeam(work, teamId);
    if (codeId === null) return reject('INVITATION_NOT_FOUND');
    const code = await work.load(codeDecider, streamOf.code(codeId));
    if (code.state.status !== 'issued' || !isOpenInvitation(code.state, teamId, at))
      return reject('INVITATION_NOT_FOUND');
    code.decide({ type: 'RevokeCode', at });
  });
  return { position };
}

const isOpenInvitation = ({ payload, isUsed, isRevoked, expiresAt }: IssuedCode, teamId: string, at: string) =>
  payload.teamId === teamId && !isUsed && !isRevoked && Date.parse(expiresAt) > Date.parse(at);

/**
 * Reads an invitation. Counts as a presentation of its code. Invitations to a deleted team are unknown.
 * @throws DomainError the four errors of a code
 */
export async function readInvitation(
  deps: WriteDeps,
  ctx: Context,
  { code }: { code: string },
): Promise<{ team: ActiveTeam; presented: PresentedCode }> {
  const presented = await presentCode(deps, ctx, { code, purpose });
  const { state } = await readState(deps.store, teamDecider, streamOf.team(String(presented.issued.payload.teamId)));
  if (state.status !== 'active' || state.projectId !== ctx.projectId) return reject('VERIFICATION_CODE_NOT_FOUND');
  return { team: state, presented };
}

type Acceptance = Limited & { userId: string; project: ProjectFacts };

/**
 * Adds the user to the team, once per invitation. Existing members are unchanged. Anonymous users may have the code of
 * an invitation, as with older clients.
 * @throws DomainError the four errors of a code, TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED, QUOTA_EXCEEDED
 */
export async function acceptInvitation(
  deps: WriteDeps,
  ctx: Context,
  { code, ...acceptance }: Acceptance & { code: string },
): Promise<CommandResult<{ teamId: string }>> {
  const { team, presented } = await readInvitation(deps, ctx, { code });
  const { teamId } = team;
  const { position } = await transact(deps, ctx, async (work) => {
    const user = (await loadUser(work, acceptance.userId)).state as ActiveUser;
    if (!user.isAnonymous) rejectRestricted(user, acceptance.project);
    await joinTeam(work, presented, { ...acceptance, teamId, at: deps.now() });
  });
  return { teamId, position };
}

/**
 * Accepts an invitation without its code, because the user has verified the invited address. `codeId` is its code
 * according to the read model, null when there is none.
 * @throws DomainError USER_NOT_FOUND, TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED, INVITATION_NOT_FOUND,
 *   QUOTA_EXCEEDED
 */
export async function acceptReceivedInvitation(
  deps: WriteDeps,
  ctx: Context,
  { codeId, ...acceptance }: Acceptance & { codeId: string | null },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const user = (await loadUser(work, acceptance.userId)).state as ActiveUser;
    rejectRestricted(user, acceptance.project);
    if (codeId === null) return reject('INVITATION_NOT_FOUND');
    const { state: issued } = await work.load(codeDecider, streamOf.code(codeId));
    if (issued.status !== 'issued') return reject('INVITATION_NOT_FOUND');
    const teamId = String(issued.payload.teamId);
    const { state: team } = await work.load(teamDecider, streamOf.team(teamId));
    const isOpen = isOpenInvitation(issued, teamId, at) && team.status === 'active';
    if (!isOpen || !hasVerified(user, issued.recipient)) return reject('INVITATION_NOT_FOUND');
    const presented = { codeHash: issued.codeHash, purpose: issued.purpose, projectId: issued.projectId, at };
    await joinTeam(work, { codeId, presented, issued }, { ...acceptance, teamId, at });
  });
  return { position };
}

function rejectRestricted(user: ActiveUser, { settings }: ProjectFacts): void {
  const emailVerificationRequired = settings?.emailVerificationRequired ?? false;
  const type = findRestriction(restrictionFacts(user), { emailVerificationRequired });
  if (type !== null) reject('TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED', { restricted_reason: { type } });
}

const hasVerified = ({ channels }: ActiveUser, recipient: string | null) =>
  recipient !== null && channels.some(({ value, isVerified }) => isVerified && isSameEmail(value, recipient));

async function joinTeam(
  work: UnitOfWork,
  presented: PresentedCode,
  { teamId, userId, project, limit, at }: Acceptance & { teamId: string; at: string },
): Promise<void> {
  const { state } = await work.load(membershipDecider, streamOf.membership(teamId, userId));
  if (state.status === 'none') {
    await useQuota(work, { quota: 'membershipsPerUser', limit, ownerId: userId, itemId: teamId, at });
  }
  await useCode(work, presented);
  if (state.status === 'none') await addMember(work, { teamId, userId, project, how: 'invited', at });
}
