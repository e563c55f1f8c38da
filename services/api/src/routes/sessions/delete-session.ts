import { endSession } from '@gatebook/commands/session/session';
import { Success, uuid } from '@gatebook/contract/common';
import { DeleteSessionQuery } from '@gatebook/contract/sessions';
import { reject } from '@gatebook/domain/errors';
import { z } from 'zod';
import { clientAndUp, ownUser, ownUserErrors } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { rejectRequest } from '../../http/validation.ts';

/** Users end their own sessions, servers those of any user (protocol, auth §9). */
export const deleteSessionRoute = defineRoute({
  method: 'DELETE',
  path: '/auth/sessions/:session_id',
  access: clientAndUp,
  session: 'any',
  isPreviewable: true,
  replacesMe: true,
  errors: [...ownUserErrors, 'CANNOT_DELETE_CURRENT_SESSION', 'SESSION_NOT_FOUND'],
  tags: ['Sessions'],
  summary: 'End a session',
  description: 'Client access must send `user_id=me`. To end the current session, sign out.',
  params: z.strictObject({ session_id: uuid }),
  query: DeleteSessionQuery,
  response: { 200: Success },
  handle: async ({ deps, request, caller, context, params, query }) => {
    const sessionId = params.session_id;
    const isClient = caller.accessType === 'client';
    if (isClient && query.user_id === undefined) rejectRequest(request, ['query.user_id is required']);
    const userId = isClient ? ownUser(caller).id : null;
    if (caller.token?.sessionId === sessionId) reject('CANNOT_DELETE_CURRENT_SESSION');
    const { position } = await endSession(deps, context, { sessionId, userId, reason: 'revoked' });
    return answerSuccess(position);
  },
});
