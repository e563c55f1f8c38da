import type { Context } from '@gatebook/commands/deps';
import {
  acceptProjectInvitation,
  inviteToProject,
  readProjectInvitation,
  revokeProjectInvitation,
  signUpWithInvitation,
} from '@gatebook/commands/project/invitations';
import { TokensView } from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import {
  InvitationParams,
  InvitedToProject,
  InviteToProject,
  ProjectInvitationCode,
  ProjectInvitationDetails,
  ProjectInvitationListView,
  SignUpWithInvitation,
  TransferByEmail,
} from '@gatebook/contract/project-members';
import { reject } from '@gatebook/domain/errors';
import { findProjectInvitation, listProjectInvitations } from '@gatebook/readmodel/projects/invitations';
import type { FastifyRequest } from 'fastify';
import { adminOnly, clientAndUp, ownerErrors, signedInOwner } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { codeErrors, newPasswordErrors } from '../auth/errors.ts';
import { answerTokens } from '../auth/tokens-of-session.ts';

const tags = ['Project members'];
const path = '/internal/projects/current/invitations';

export const listProjectInvitationsRoute = defineRoute({
  method: 'GET',
  path,
  access: adminOnly,
  tags,
  summary: 'List pending project invitations',
  description: 'Oldest first.',
  response: { 200: ProjectInvitationListView },
  handle: async ({ deps, caller }) => {
    const rows = await listProjectInvitations(deps.db, caller.projectId, deps.now());
    const items = rows.map(({ id, recipient, role, senderRole, issuedAt, expiresAt }) => ({
      id,
      recipient_email: recipient,
      role,
      sender_role: senderRole,
      sent_at_millis: issuedAt,
      expires_at_millis: expiresAt,
    }));
    return { items, is_paginated: false as const };
  },
});

/** Members invite colleagues, so what they read themselves is the best guess. */
const inLanguageOf = ({ language }: FastifyRequest, context: Context): Context => ({ ...context, language });

export const inviteToProjectRoute = defineRoute({
  method: 'POST',
  path,
  access: adminOnly,
  role: 'owner',
  limit: 'invite',
  tags,
  summary: 'Invite somebody to the project',
  description: 'Emails a link to the dashboard that is valid for seven days. Works also while sign-up is closed there.',
  body: InviteToProject,
  response: { 200: InvitedToProject },
  handle: async ({ deps, request, caller: { project }, context, body: { email, role } }) => {
    const dashboardUrl = deps.config.http.publicUrl;
    const input = { email, role, dashboardUrl, projectDisplayName: project.displayName };
    const { invitationId, position } = await inviteToProject(deps, inLanguageOf(request, context), input);
    return { position, body: { id: invitationId } };
  },
});

export const transferByEmailRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects/current/transfer',
  access: adminOnly,
  role: 'owner',
  limit: 'invite',
  errors: ['USER_AUTHENTICATION_REQUIRED', 'PROJECT_MEMBER_NOT_FOUND', 'INTERNAL_PROJECT_NOT_TRANSFERABLE'],
  tags,
  summary: 'Transfer the project by email',
  description:
    'Invites a person as new owner, with a link that is valid for seven days. When it is accepted, the user of the admin access token stops being an owner. Other members keep their roles. The pending transfer is listed, resent and revoked as an invitation.',
  body: TransferByEmail,
  response: { 200: InvitedToProject },
  handle: async ({ deps, request, caller: { project, owner }, context, body: { email, sender_role: senderRole } }) => {
    if (!owner) reject('USER_AUTHENTICATION_REQUIRED');
    const dashboardUrl = deps.config.http.publicUrl;
    const input = { email, role: 'owner', senderRole, dashboardUrl, projectDisplayName: project.displayName } as const;
    const { invitationId, position } = await inviteToProject(deps, inLanguageOf(request, context), input);
    return { position, body: { id: invitationId } };
  },
});

/** @throws DomainError INVITATION_NOT_FOUND */
async function findOpen(deps: Deps, projectId: string, id: string) {
  const found = await findProjectInvitation(deps.db, projectId, { id, at: deps.now() });
  return found ?? reject('INVITATION_NOT_FOUND');
}

export const resendProjectInvitationRoute = defineRoute({
  method: 'POST',
  path: `${path}/:invitation_id/resend`,
  access: adminOnly,
  role: 'owner',
  limit: 'invite',
  errors: ['INVITATION_NOT_FOUND'],
  tags,
  summary: 'Resend a project invitation',
  description: 'Emails a new link, for seven days. The invitation gets a new ID, and the earlier link stops working.',
  params: InvitationParams,
  response: { 200: InvitedToProject },
  handle: async ({ deps, request, caller: { projectId, project }, context, params }) => {
    const { codeId: replacedCodeId, recipient: email, role } = await findOpen(deps, projectId, params.invitation_id);
    const dashboardUrl = deps.config.http.publicUrl;
    const input = { email, role, dashboardUrl, projectDisplayName: project.displayName, replacedCodeId };
    const { invitationId, position } = await inviteToProject(deps, inLanguageOf(request, context), input);
    return { position, body: { id: invitationId } };
  },
});

export const revokeProjectInvitationRoute = defineRoute({
  method: 'DELETE',
  path: `${path}/:invitation_id`,
  access: adminOnly,
  role: 'owner',
  errors: ['INVITATION_NOT_FOUND'],
  tags,
  summary: 'Revoke a project invitation',
  description: 'The link in the email stops working.',
  params: InvitationParams,
  response: { 200: Success },
  handle: async ({ deps, caller: { projectId }, context, params }) => {
    const { codeId } = await findOpen(deps, projectId, params.invitation_id);
    const { position } = await revokeProjectInvitation(deps, context, { codeId });
    return answerSuccess(position);
  },
});

const received = '/internal/project-invitations';

export const projectInvitationDetailsRoute = defineRoute({
  method: 'POST',
  path: `${received}/details`,
  access: clientAndUp,
  session: 'any',
  limit: 'code',
  errors: ['EXPECTED_INTERNAL_PROJECT', ...codeErrors],
  tags,
  summary: 'Get the project of an invitation',
  description: 'Called on project `internal`, for the page where a person decides. Doesn’t redeem the code.',
  body: ProjectInvitationCode,
  response: { 200: ProjectInvitationDetails },
  handle: async ({ deps, caller, context, body: { project_id: projectId, code } }) => {
    if (caller.projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
    const { project, role, handover, presented } = await readProjectInvitation(
      deps,
      { ...context, projectId },
      { code },
    );
    const body = {
      project_display_name: project.details.displayName,
      role,
      sender_role: handover?.role ?? null,
      recipient_email: presented.issued.recipient,
    };
    return { position: null, body };
  },
});

export const acceptProjectInvitationRoute = defineRoute({
  method: 'POST',
  path: `${received}/accept`,
  access: clientAndUp,
  session: 'own',
  limit: 'code',
  errors: [...ownerErrors, ...codeErrors, 'PROJECT_TRANSFER_TO_SENDER'],
  tags,
  summary: 'Accept a project invitation',
  description:
    'Called on project `internal`. The signed-in user becomes a member, whatever their email address. Members keep a higher role. After a transfer, its sender owns the project no longer.',
  body: ProjectInvitationCode,
  response: { 200: Success },
  handle: async ({ deps, caller, context, body: { project_id: projectId, code } }) => {
    const { id: userId } = signedInOwner(caller);
    const { position } = await acceptProjectInvitation(deps, { ...context, projectId }, { code, userId });
    return answerSuccess(position);
  },
});

export const signUpWithInvitationRoute = defineRoute({
  method: 'POST',
  path: `${received}/sign-up`,
  access: clientAndUp,
  session: 'any',
  limit: 'sign-up',
  errors: ['EXPECTED_INTERNAL_PROJECT', ...codeErrors, ...newPasswordErrors, 'USER_EMAIL_ALREADY_EXISTS'],
  tags,
  summary: 'Sign up with a project invitation',
  description:
    'Called on project `internal`, also while sign-up is closed there. The account gets the invited address, verified, and becomes a member.',
  body: SignUpWithInvitation,
  response: { 200: TokensView },
  handle: async ({ deps, request, caller, body }) => {
    if (caller.projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
    const { project_id: projectId, code, password, display_name } = body;
    const context = { ...signedOutContext(request, caller), projectId };
    const input = { code, password, displayName: display_name || null };
    return answerTokens(deps, request, await signUpWithInvitation(deps, context, input));
  },
});
