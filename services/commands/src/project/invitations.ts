import { codeDecider } from '@gatebook/domain/code/decide';
import type { IssuedCode } from '@gatebook/domain/code/state';
import { reject } from '@gatebook/domain/errors';
import { internalProjectId, projectDecider } from '@gatebook/domain/project/decide';
import { roleOfMember } from '@gatebook/domain/project/members';
import {
  type HandoverRole,
  handoverRoles,
  mayActAs,
  type ProjectRole,
  projectRoles,
  roleName,
} from '@gatebook/domain/project/roles';
import type { ActiveProject } from '@gatebook/domain/project/state';
import { projectKeyDecider } from '@gatebook/domain/project-key/decide';
import { type PresentedCode, presentCode, readCode, useCode } from '../code/code.ts';
import { prepareCodeEmail } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact, type UnitOfWork } from '../execute.ts';
import { checkChosenPassword } from '../password/chosen-password.ts';
import { preparePasswordUser } from '../password/password.ts';
import { generateSession, startSession } from '../session/session.ts';
import { registerUser, type SignedIn } from '../sign-in/sign-in.ts';
import { streamOf } from '../streams.ts';
import { decideMember } from './members.ts';
import { isOwnerOf } from './ownership.ts';
import { findActiveProject } from './project.ts';

const purpose = 'project_invitation';

/**
 * `senderRole`: what the sender becomes when a transfer is accepted; absent for other invitations. `replacedCodeId`:
 * the code of an invitation that this one replaces.
 */
type Invitation = {
  email: string;
  role: ProjectRole;
  senderRole?: HandoverRole;
  dashboardUrl: string;
  projectDisplayName: string;
  replacedCodeId?: string;
};

/**
 * Emails a link with which its bearer becomes a member of the project `ctx.projectId`.
 * @throws DomainError INVITATION_NOT_FOUND if the replaced invitation is not open; for a transfer
 * INTERNAL_PROJECT_NOT_TRANSFERABLE, PROJECT_MEMBER_NOT_FOUND if the caller is not a direct owner
 */
export async function inviteToProject(
  deps: WriteDeps,
  ctx: Context,
  { email, role, senderRole, dashboardUrl, projectDisplayName, replacedCodeId }: Invitation,
): Promise<CommandResult<{ invitationId: string }>> {
  const at = deps.now();
  const callbackUrl = `${dashboardUrl}/project-invitation?project_id=${encodeURIComponent(ctx.projectId)}`;
  const { id } = ctx.actor;
  const { result, position } = await transact(deps, ctx, async (work) => {
    let sender = senderOf(ctx);
    if (senderRole !== undefined) {
      await requireDirectOwner(work, id);
      sender = { ...sender, senderRole };
    }
    if (replacedCodeId !== undefined) {
      const replaced = await work.load(codeDecider, streamOf.code(replacedCodeId));
      if (replaced.state.status !== 'issued' || !isOpen(replaced.state, at)) return reject('INVITATION_NOT_FOUND');
      replaced.decide({ type: 'RevokeCode', at });
      // Who sends a transfer again does not hand over what is theirs.
      const { senderRole: kept, invitedBy } = replaced.state.payload;
      if (kept !== undefined) sender = { invitedBy: String(invitedBy), senderRole: String(kept) };
    }
    const payload = { role, ...sender };
    const variables = (projectInvitationLink: string) => ({
      projectDisplayName,
      roleName: roleName(role),
      isTransfer: sender.senderRole === undefined ? '' : 'yes',
      projectInvitationLink,
    });
    const recipient = { recipient: email, userId: null };
    const mail = prepareCodeEmail(
      deps,
      ctx,
      { emailType: purpose, purpose, ...recipient, callbackUrl, payload, variables },
      at,
    );
    mail.add(work);
    return mail.subjectId;
  });
  return { invitationId: result, position };
}

/** Who invites: a member, or an admin key. */
function senderOf({ actor: { kind, id } }: Context): Record<string, string> {
  if (id === null) return {};
  return kind === 'owner' ? { invitedBy: id } : { invitedByKey: id };
}

/** Members of a team that owns the project can't hand it over: the team would still own it. */
async function requireDirectOwner({ ctx, load }: UnitOfWork, userId: string | null): Promise<void> {
  if (ctx.projectId === internalProjectId) reject('INTERNAL_PROJECT_NOT_TRANSFERABLE');
  const { state } = await load(projectDecider, streamOf.project(ctx.projectId));
  if (state.status !== 'active' || userId === null || !state.owners.has(userId)) reject('PROJECT_MEMBER_NOT_FOUND');
}

const isOpen = ({ isUsed, isRevoked, expiresAt }: IssuedCode, at: string) =>
  !isUsed && !isRevoked && Date.parse(expiresAt) > Date.parse(at);

/** `handover` is null unless the sender gives the project away. */
type ReadInvitation = {
  project: ActiveProject;
  role: ProjectRole;
  handover: { userId: string; role: HandoverRole } | null;
  presented: PresentedCode;
};

/**
 * Reads an invitation to the project `ctx.projectId`, for the page that shows it: it may be opened often. Invitations
 * to a deleted project, of people who no longer own it, and by keys that have ended are unknown.
 * @throws DomainError the four errors of a code
 */
export async function readProjectInvitation(
  deps: WriteDeps,
  ctx: Context,
  { code }: { code: string },
): Promise<ReadInvitation> {
  return requireInvitation(deps, ctx, await readCode(deps, ctx, { code, purpose }));
}

async function presentInvitation(deps: WriteDeps, ctx: Context, { code }: { code: string }): Promise<ReadInvitation> {
  return requireInvitation(deps, ctx, await presentCode(deps, ctx, { code, purpose }));
}

async function requireInvitation(deps: WriteDeps, ctx: Context, presented: PresentedCode): Promise<ReadInvitation> {
  const project = await findActiveProject(deps, ctx.projectId);
  const role = projectRoles.find((known) => known === presented.issued.payload.role);
  if (!project || !role) return reject('VERIFICATION_CODE_NOT_FOUND');
  await transact(deps, { ...ctx, idempotencyHash: null }, (work) => requireSender(work, project, presented));
  const { invitedBy, senderRole } = presented.issued.payload;
  const handoverRole = handoverRoles.find((known) => known === senderRole);
  const handover = handoverRole === undefined ? null : { userId: String(invitedBy), role: handoverRole };
  return { project, role, handover, presented };
}

/**
 * An invitation must not bring people back, under another name, whom the owners removed, nor those who had a key that
 * the owners revoked.
 */
async function requireSender(work: UnitOfWork, project: ActiveProject, { issued }: PresentedCode): Promise<void> {
  const { invitedBy, invitedByKey } = issued.payload;
  const isValid =
    (typeof invitedBy !== 'string' || (await isOwnerOf(work, project, invitedBy))) &&
    (typeof invitedByKey !== 'string' || (await isKeyValid(work, invitedByKey)));
  if (!isValid) reject('VERIFICATION_CODE_NOT_FOUND');
}

async function isKeyValid({ load, deps }: UnitOfWork, keyId: string): Promise<boolean> {
  const { state: key } = await load(projectKeyDecider, streamOf.projectKey(keyId));
  return key.status === 'active' && Date.parse(key.expiresAt) > Date.parse(deps.now());
}

/**
 * Makes a user of `internal` a member of the project `ctx.projectId`, once per invitation. Members keep a higher role.
 * After a transfer, its sender owns the project no longer.
 * @throws DomainError the four errors of a code, USER_NOT_FOUND for an anonymous user, PROJECT_TRANSFER_TO_SENDER
 */
export async function acceptProjectInvitation(
  deps: WriteDeps,
  ctx: Context,
  { code, userId }: { code: string; userId: string },
): Promise<CommandResult> {
  return joinProject(deps, ctx, await presentInvitation(deps, ctx, { code }), userId);
}

async function joinProject(
  deps: WriteDeps,
  ctx: Context,
  { presented, role, handover }: ReadInvitation,
  userId: string,
): Promise<CommandResult> {
  if (handover?.userId === userId) reject('PROJECT_TRANSFER_TO_SENDER');
  const { position } = await transact(deps, ctx, async (work) => {
    await useCode(work, presented);
    const project = await work.load(projectDecider, streamOf.project(ctx.projectId));
    const roleOf = (id: string) => (project.state.status === 'active' ? roleOfMember(project.state, id) : null);
    const before = roleOf(userId);
    if (before === null || !mayActAs(before, role)) await decideMember(work, project, { userId, role });
    if (handover === null) return;
    // The sender may have lost the project since the invitation was read.
    if (roleOf(handover.userId) !== 'owner') reject('VERIFICATION_CODE_NOT_FOUND');
    const after = handover.role === 'none' ? null : handover.role;
    await decideMember(work, project, { userId: handover.userId, role: after });
  });
  return { position };
}

type NewMember = { code: string; password: string; displayName: string | null };

/**
 * Signs up the invited person, also while sign-up is closed: the invitation is the permission. The user comes first; if
 * the rest fails, they can still accept the invitation. `ctx.projectId` is the project of the invitation.
 * @throws DomainError the four errors of a code, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, SCHEMA_ERROR,
 * USER_EMAIL_ALREADY_EXISTS
 */
export async function signUpWithInvitation(
  deps: WriteDeps,
  ctx: Context,
  { code, password, displayName }: NewMember,
): Promise<CommandResult<SignedIn>> {
  const invitation = await presentInvitation(deps, ctx, { code });
  const email = invitation.presented.issued.recipient ?? reject('VERIFICATION_CODE_NOT_FOUND');
  const internal = await findActiveProject(deps, internalProjectId);
  if (!internal) return reject('PROJECT_NOT_FOUND', { project_id: internalProjectId });
  await checkChosenPassword(password, internal.settings);
  const prepared = await preparePasswordUser(deps, ctx, { email, password, displayName, method: 'password' });
  // The link was sent by the operator’s mail server, so its holder controls this email address.
  const user = { ...prepared, isEmailVerified: true };
  const session = generateSession(deps);
  const { details, config, permissions, settings } = internal;
  const project = { displayName: details.displayName, config, permissions, settings };
  const { sessionLifetimeHours } = settings;
  const internalCtx = { ...ctx, projectId: internalProjectId, sessionLifetimeHours };
  const { result } = await transact(deps, internalCtx, async (work) => {
    const { user: registered, revision } = await registerUser(work, { ...user, project, anonymousUserId: null });
    const signIn = { user: registered, userRevision: revision, method: 'password', at: user.at } as const;
    startSession(work, session, signIn);
    return registered;
  });
  const { position } = await joinProject(deps, { ...ctx, idempotencyHash: null }, invitation, user.userId);
  return { userId: user.userId, user: result, isNewUser: true, ...session, position };
}

/** @throws DomainError INVITATION_NOT_FOUND */
export async function revokeProjectInvitation(
  deps: WriteDeps,
  ctx: Context,
  { codeId }: { codeId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const code = await work.load(codeDecider, streamOf.code(codeId));
    if (code.state.status !== 'issued' || !isOpen(code.state, at)) return reject('INVITATION_NOT_FOUND');
    code.decide({ type: 'RevokeCode', at });
  });
  return { position };
}
