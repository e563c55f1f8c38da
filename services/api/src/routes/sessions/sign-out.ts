import { endSession } from '@gatebook/commands/session/session';
import { Success } from '@gatebook/contract/common';
import { DomainError, reject } from '@gatebook/domain/errors';
import { clientAndUp } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';

/** Ends the session of the access token (protocol, conventions §4.2). Clients treat "already gone" as signed out. */
export const signOutRoute = defineRoute({
  method: 'DELETE',
  path: '/auth/sessions/current',
  access: clientAndUp,
  session: 'any',
  ignoresEndedSession: true,
  errors: ['REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED'],
  tags: ['Sessions'],
  summary: 'Sign out',
  description: 'Ends the session of the access token.',
  response: { 200: Success },
  handle: async ({ deps, caller, context }) => {
    if (!caller.token) return reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: Date.parse(deps.now()) });
    if (!caller.user) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const { sessionId, userId } = caller.token;
    const { position } = await endSession(deps, context, {
      sessionId,
      userId,
      reason: 'sign_out',
    }).catch((error: unknown) => {
      const isGone = error instanceof DomainError && error.code === 'SESSION_NOT_FOUND';
      return isGone ? reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED') : Promise.reject(error);
    });
    return answerSuccess(position);
  },
});
