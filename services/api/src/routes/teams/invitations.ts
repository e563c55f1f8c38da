import {
  acceptInvitation,
  inviteToTeam,
  readInvitation,
  revokeInvitation,
} from '@gatebook/commands/team/team-invitation';
import { CodeBody, CodeCheck } from '@gatebook/contract/auth';
import { Success, uuid } from '@gatebook/contract/common';
import {
  InvitationDetails,
  InvitationsQuery,
  InvitedToTeam,
  InviteToTeam,
  TeamInvitationList,
  type TeamInvitationView,
  TeamOfInvitation,
} from '@gatebook/contract/teams';
import { reject } from '@gatebook/domain/errors';
import type { Page } from '@gatebook/readmodel/list-pages';
import {
  findOpenInvitation,
  type InvitationRow,
  invitationKeys,
  listInvitations,
} from '@gatebook/readmodel/teams/invitations';
import { findTeam } from '@gatebook/readmodel/teams/queries';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, ownUserErrors } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { isNewerClient } from '../../http/client-version.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { quotaFor } from '../../quotas.ts';
import { codeErrors } from '../auth/errors.ts';
import { readReceivedInvitations } from './received-invitations.ts';
import { requireActingUserId, requireTeamAccess, teamPermissionErrors } from './require-permission.ts';

const tags = ['Teams'];

export const inviteToTeamRoute = defineRoute({
  method: 'POST',
  path: '/team-invitations/send-code',
  access: clientAndUp,
  session: 'own',
  limit: 'invite',
  errors: ['USER_AUTHENTICATION_REQUIRED', ...teamPermissionErrors, 'REDIRECT_URL_NOT_WHITELISTED'],
  tags,
  summary: 'Send a team invitation',
  description: 'Emails a link that is valid for seven days. Client access needs `$invite_members`.',
  body: InviteToTeam,
  response: { 200: InvitedToTeam },
  handle: async ({ deps, caller, context, body }) => {
    const by = requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
    const { team_id: teamId, email, callback_url: callbackUrl } = body;
    const input = { teamId, email, callbackUrl, by, project: caller.project };
    const { invitationId, position } = await inviteToTeam(deps, context, input);
    return { position, body: { success: true as const, id: invitationId } };
  },
});

export const listInvitationsRoute = defineRoute({
  method: 'GET',
  path: '/team-invitations',
  access: clientAndUp,
  replacesMe: true,
  errors: [...actOnUserErrors, ...teamPermissionErrors],
  tags,
  summary: 'List pending team invitations',
  description:
    'Oldest first. With `team_id`, the invitations of a team; client access needs `$read_members` and `$invite_members`. With `user_id`, the invitations to the verified addresses of the user; client access is limited to the signed-in user.',
  query: InvitationsQuery,
  response: { 200: TeamInvitationList },
  handle: async ({ deps, request, caller, query }) => {
    const { team_id: teamId, user_id: userId } = query;
    const page = pageOf(request, query, invitationKeys);
    if (userId !== undefined) {
      const received = await readReceivedInvitations(deps, caller, userId, page);
      return toPagedList(query, received, (row) => toInvitationView(row, true));
    }
    const found = await readInvitationsOfTeam(deps, caller, String(teamId), page);
    return toPagedList(query, found, (row) => toInvitationView(row, isNewerClient(request)));
  },
});

async function readInvitationsOfTeam(deps: Deps, caller: Caller, teamId: string, page: Page) {
  const required = ['$read_members', '$invite_members'];
  await requireTeamAccess(deps, caller, { teamId, required, rejection: 'CANNOT_GET_OWN_USER_WITHOUT_USER' });
  await findTeam(deps.db, caller.projectId, teamId);
  return listInvitations(deps.db, caller.projectId, { teamId, at: deps.now() }, page);
}

/** Clients up to the reference version get no team name. */
function toInvitationView(row: InvitationRow, withTeamName: boolean): TeamInvitationView {
  const { id, teamId, teamDisplayName, recipient, expiresAt } = row;
  const invitation = { id, team_id: teamId, recipient_email: recipient, expires_at_millis: expiresAt };
  return withTeamName ? { ...invitation, team_display_name: teamDisplayName } : invitation;
}

export const revokeInvitationRoute = defineRoute({
  method: 'DELETE',
  path: '/team-invitations/:invitation_id',
  access: clientAndUp,
  session: 'any',
  errors: [...ownUserErrors, ...teamPermissionErrors, 'INVITATION_NOT_FOUND'],
  tags,
  summary: 'Revoke a team invitation',
  description: 'Client access needs `$remove_members`.',
  params: z.strictObject({ invitation_id: uuid }),
  query: TeamOfInvitation,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params, query }) => {
    const by = requireActingUserId(caller, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const { team_id: teamId } = query;
    const sought = { id: params.invitation_id, at: deps.now() };
    const codeId = (await findOpenInvitation(deps.db, caller.projectId, sought))?.codeId ?? null;
    const { position } = await revokeInvitation(deps, context, { teamId, codeId, by });
    return answerSuccess(position);
  },
});

export const acceptInvitationRoute = defineRoute({
  method: 'POST',
  path: '/team-invitations/accept',
  access: clientAndUp,
  session: 'any',
  limit: 'code',
  errors: [
    'USER_AUTHENTICATION_REQUIRED',
    ...codeErrors,
    'TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED',
    'QUOTA_EXCEEDED',
  ],
  tags,
  summary: 'Accept a team invitation',
  description:
    'The signed-in user joins the team, whatever their email address. Existing members are unchanged, and the code is redeemed.',
  body: CodeBody,
  response: { 200: z.object({}) },
  handle: async ({ deps, caller, context, body }) => {
    const user = caller.user ?? reject('USER_AUTHENTICATION_REQUIRED');
    const limit = quotaFor(caller, 'membershipsPerUser');
    const input = { code: body.code, userId: user.id, project: caller.project, limit };
    const { position } = await acceptInvitation(deps, context, input);
    return { position, body: {} };
  },
});

export const checkInvitationRoute = defineRoute({
  method: 'POST',
  path: '/team-invitations/accept/check-code',
  access: clientAndUp,
  session: 'any',
  limit: 'code',
  errors: codeErrors,
  tags,
  summary: 'Check a team invitation code',
  description: 'Doesn’t redeem the code, but counts as one of its 20 allowed attempts.',
  body: CodeBody,
  response: { 200: CodeCheck },
  handle: async ({ deps, context, body }) => {
    await readInvitation(deps, context, { code: body.code });
    return { position: null, body: { is_code_valid: true as const } };
  },
});

export const invitationDetailsRoute = defineRoute({
  method: 'POST',
  path: '/team-invitations/accept/details',
  access: clientAndUp,
  session: 'any',
  limit: 'code',
  errors: ['USER_AUTHENTICATION_REQUIRED', ...codeErrors],
  tags,
  summary: 'Get the team of an invitation',
  description: 'For the page where a user decides whether to join. Doesn’t redeem the code.',
  body: CodeBody,
  response: { 200: InvitationDetails },
  handle: async ({ deps, caller, context, body }) => {
    if (!caller.user) reject('USER_AUTHENTICATION_REQUIRED');
    const { team } = await readInvitation(deps, context, { code: body.code });
    return { position: null, body: { team_id: team.teamId, team_display_name: team.displayName } };
  },
});
