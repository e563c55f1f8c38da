import { completeCliLogin, pollCliLogin, startCliLogin } from '@gatebook/commands/sign-in/cli-login';
import {
  CliLoginComplete,
  CliLoginPoll,
  CliLoginStart,
  CliLoginState,
  CliLoginSuccess,
  CliLoginView,
} from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import { reject } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { endSurplusSessions } from '../sessions/surplus-sessions.ts';

const tags = ['CLI login'];
/** Two hours (protocol, auth §7). */
const defaultLifeMs = 7_200_000;

/** (protocol, auth §7) */
export const startCliLoginRoute = defineRoute({
  method: 'POST',
  path: '/auth/cli',
  access: clientAndUp,
  session: 'any',
  limit: 'cli-login',
  tags,
  summary: 'Start a CLI login',
  description: 'The terminal sends the user to a page with the login code and polls with the polling code.',
  body: CliLoginStart.optional(),
  response: { 200: CliLoginView },
  handle: async ({ deps, request, caller, body }) => {
    const context = signedOutContext(request, caller);
    const lifeMs = body?.expires_in_millis ?? defaultLifeMs;
    const { pollingCode, loginCode, expiresAt } = await startCliLogin(deps, context, { lifeMs });
    return { position: null, body: { polling_code: pollingCode, login_code: loginCode, expires_at: expiresAt } };
  },
});

/** The refresh token from the browser identifies the user who approves. The CLI gets a separate session. */
export const completeCliLoginRoute = defineRoute({
  method: 'POST',
  path: '/auth/cli/complete',
  access: clientAndUp,
  session: 'own',
  limit: 'code',
  errors: ['REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 'CLI_LOGIN_CODE_INVALID', 'CLI_LOGIN_OF_ANOTHER_PROJECT'],
  tags,
  summary: 'Approve a CLI login',
  description:
    'Called by the page in the browser. Its refresh token identifies the user. The terminal gets a separate session.',
  body: CliLoginComplete,
  response: { 200: Success },
  handle: async ({ deps, caller, context, body }) => {
    const { login_code: loginCode, refresh_token: refreshToken } = body;
    const found = await findSessionByRefreshToken(deps.db, caller.projectId, sha256(refreshToken));
    if (!found) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    if (found.session.impersonation) return reject('IMPERSONATION_NOT_ALLOWED');
    await completeCliLogin(deps, context, { loginCode, userId: found.user.id });
    return answerSuccess(null);
  },
});

export const pollCliLoginRoute = defineRoute({
  method: 'POST',
  path: '/auth/cli/poll',
  access: clientAndUp,
  session: 'any',
  limit: 'cli-poll',
  errors: ['INVALID_POLLING_CODE'],
  tags,
  summary: 'Poll a CLI login',
  description: 'Returns 201 with the refresh token of the new session, once.',
  body: CliLoginPoll,
  response: { 200: CliLoginState, 201: CliLoginSuccess },
  handle: async ({ deps, request, reply, caller, body }) => {
    const context = signedOutContext(request, caller);
    const polled = await pollCliLogin(deps, context, { pollingCode: body.polling_code });
    if (polled.status !== 'success') return { position: null, body: { status: polled.status } };
    reply.code(201);
    return {
      position: polled.position,
      followUp: () => endSurplusSessions(deps, request.id, { projectId: caller.projectId, userId: polled.userId }),
      body: { status: 'success' as const, refresh_token: polled.refreshToken },
    };
  },
});
