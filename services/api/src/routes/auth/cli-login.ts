import { handOverAnonymousSession, hasAnonymousSession } from '@gatebook/commands/sign-in/cli-anonymous-session';
import { completeCliLogin, findCliLogin, pollCliLogin, startCliLogin } from '@gatebook/commands/sign-in/cli-login';
import {
  CliLoginComplete,
  CliLoginPoll,
  CliLoginStart,
  CliLoginState,
  CliLoginSuccess,
  CliLoginView,
  CliSessionState,
  HandedOverTokens,
} from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import { reject } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import { z } from 'zod';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { endSurplusSessions } from '../sessions/surplus-sessions.ts';
import { answerSession } from './tokens-of-session.ts';

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
    const anonymousSession = await findAnonymousSession(deps, caller.projectId, body?.anon_refresh_token);
    const started = await startCliLogin(deps, context, { lifeMs, anonymousSession });
    const { pollingCode, loginCode, expiresAt } = started;
    return { position: null, body: { polling_code: pollingCode, login_code: loginCode, expires_at: expiresAt } };
  },
});

/** A token of anybody else, or of an ended session, is as good as none: the login works without it. */
async function findAnonymousSession(deps: Deps, projectId: string, refreshToken: string | undefined) {
  if (refreshToken === undefined) return null;
  const found = await findSessionByRefreshToken(deps.db, projectId, sha256(refreshToken));
  if (!found?.user.isAnonymous || found.session.impersonation) return null;
  return { sessionId: found.session.id, userId: found.user.id };
}

/** The refresh token from the browser identifies the user who approves. The CLI gets a separate session. */
export const completeCliLoginRoute = defineRoute({
  method: 'POST',
  path: '/auth/cli/complete',
  access: clientAndUp,
  session: 'own',
  limit: 'code',
  errors: [
    'CLI_LOGIN_CODE_INVALID',
    'CLI_LOGIN_OF_ANOTHER_PROJECT',
    'CLI_ANONYMOUS_SESSION_NOT_FOUND',
    'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED',
  ],
  tags,
  summary: 'Approve a CLI login',
  description:
    'Called by the page in the browser. Its refresh token identifies the user. The terminal gets a separate session. Mode `check` tells whether the terminal has an anonymous session; mode `claim-anon-session` returns tokens of its user, once.',
  body: CliLoginComplete,
  response: { 200: z.union([Success, CliSessionState, HandedOverTokens]) },
  handle: async ({ deps, request, caller, context, body }) => {
    const { login_code: loginCode, mode = 'complete', refresh_token: refreshToken = '' } = body;
    if (mode === 'check') {
      const isWaiting = await hasAnonymousSession(deps, context, { loginCode });
      return { position: null, body: { cli_session_state: isWaiting ? 'anonymous' : 'none' } as const };
    }
    if (mode === 'claim-anon-session') {
      const started = await handOverAnonymousSession(deps, signedOutContext(request, caller), { loginCode });
      return answerSession(deps, request, started, ({ token }): HandedOverTokens => {
        return { access_token: token, refresh_token: started.refreshToken };
      });
    }
    await findCliLogin(deps, context, { loginCode });
    const found = await findSessionByRefreshToken(deps.db, caller.projectId, sha256(refreshToken));
    if (!found) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    if (found.session.impersonation) return reject('IMPERSONATION_NOT_ALLOWED');
    await completeCliLogin(deps, context, { loginCode, userId: found.user.id, sessionId: found.session.id });
    return answerSuccess(null);
  },
});

export const pollCliLoginRoute = defineRoute({
  method: 'POST',
  path: '/auth/cli/poll',
  access: clientAndUp,
  session: 'any',
  limit: 'cli-poll',
  errors: ['INVALID_POLLING_CODE', 'RESTRICTED_USER_NOT_ALLOWED'],
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
