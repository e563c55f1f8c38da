import { addressRefOf } from '@gatebook/commands/reservation/email';
import { acceptReceivedInvitation } from '@gatebook/commands/team/team-invitation';
import { uuid } from '@gatebook/contract/common';
import { RecipientOfInvitation } from '@gatebook/contract/teams';
import type { Page } from '@gatebook/readmodel/list-pages';
import { findOpenInvitation, listReceivedInvitations } from '@gatebook/readmodel/teams/invitations';
import { listContactChannels } from '@gatebook/readmodel/users/channels';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, mayActOn } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';

/**
 * Open invitations to the user's verified addresses. Compares keyed hashes, so that no other recipient is read.
 * @throws DomainError OTHER_USER_NOT_ALLOWED, CANNOT_GET_OWN_USER_WITHOUT_USER
 */
export async function readReceivedInvitations(deps: Deps, caller: Caller, userId: string, page: Page) {
  mayActOn(caller, userId);
  const { projectId } = caller;
  const channels = await listContactChannels(deps.db, projectId, { userId, channelId: null });
  const addressRefs = channels.rows.flatMap(({ value, isVerified }) =>
    isVerified && value !== null ? [addressRefOf(deps, projectId, value)] : [],
  );
  return listReceivedInvitations(deps.db, projectId, { addressRefs, at: deps.now() }, page);
}

export const acceptReceivedInvitationRoute = defineRoute({
  method: 'POST',
  path: '/team-invitations/:invitation_id/accept',
  access: clientAndUp,
  session: 'any',
  replacesMe: true,
  errors: [
    ...actOnUserErrors,
    'USER_NOT_FOUND',
    'TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED',
    'INVITATION_NOT_FOUND',
    'QUOTA_EXCEEDED',
  ],
  tags: ['Teams'],
  summary: 'Accept a received team invitation',
  description:
    'The user joins the team without the emailed code. The invitation must be open and sent to a verified address of the user.',
  params: z.strictObject({ invitation_id: uuid }),
  query: RecipientOfInvitation,
  response: { 200: z.object({}) },
  handle: async ({ deps, caller, context, params, query }) => {
    const { user_id: userId } = query;
    mayActOn(caller, userId);
    const sought = { id: params.invitation_id, at: deps.now() };
    const codeId = (await findOpenInvitation(deps.db, caller.projectId, sought))?.codeId ?? null;
    const limit = quotaFor(caller, 'membershipsPerUser');
    const input = { codeId, userId, project: caller.project, limit };
    const { position } = await acceptReceivedInvitation(deps, context, input);
    return { position, body: {} };
  },
});
