import { createSession } from '@gatebook/commands/session/session';
import { NewSession, SessionTokens } from '@gatebook/contract/sessions';
import { serverAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { answerSession } from '../auth/tokens-of-session.ts';

/** A server signs a user in without a second factor (protocol, auth §9). */
export const createSessionRoute = defineRoute({
  method: 'POST',
  path: '/auth/sessions',
  access: serverAndUp,
  role: 'developer',
  session: 'own',
  replacesMe: true,
  errors: ['CANNOT_GET_OWN_USER_WITHOUT_USER', 'USER_ID_DOES_NOT_EXIST', 'RESTRICTED_USER_NOT_ALLOWED'],
  tags: ['Sessions'],
  summary: 'Start a session for a user',
  description:
    'Signs the user in without any credential or second factor. With `is_impersonation`, the session is for someone who acts for the user: it lasts at most an hour, its access tokens name the actor and the end (`is_impersonation`, `act`, `impersonation_ends_at`), it can’t change credentials, and the user’s history shows who, for how long and why (`impersonation_reason`).',
  body: NewSession,
  response: { 200: SessionTokens },
  handle: async ({ deps, request, context, body }) => {
    const { user_id: userId, expires_in_millis: lifeMs, is_impersonation: isImpersonation } = body;
    const impersonationReason = body.impersonation_reason ?? null;
    const input = { userId, lifeMs, isImpersonation, impersonationReason };
    const started = { ...(await createSession(deps, context, input)), userId, isNewUser: false };
    return answerSession(deps, request, started, ({ token }) => ({
      refresh_token: started.refreshToken,
      access_token: token,
    }));
  },
});
