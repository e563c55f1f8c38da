import { RefreshedSession } from '@gatebook/contract/sessions';
import { reject } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import { z } from 'zod';
import { clientAndUp } from '../../access.ts';
import { stackHeader } from '../../http/conventions.ts';
import { defineRoute } from '../../http/define-route.ts';
import { recordActivity } from '../auth/tokens-of-session.ts';
import { toTokenFacts } from '../users/wire.ts';

const headers = z.object({ 'x-stack-refresh-token': z.string().max(1_024) });

/** The refresh grant with the token in a header (protocol, auth §9). */
export const refreshSessionRoute = defineRoute({
  method: 'POST',
  path: '/auth/sessions/current/refresh',
  access: clientAndUp,
  session: 'any',
  ignoresEndedSession: true,
  limit: 'refresh',
  errors: ['REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED'],
  tags: ['Sessions'],
  summary: 'Refresh the current session',
  description: 'Returns a new access token for the refresh token in the `x-stack-refresh-token` header.',
  headers,
  response: { 200: RefreshedSession },
  handle: async ({ deps, request, caller }) => {
    const { projectId, project } = caller;
    const refreshToken = stackHeader(request, 'refresh-token') ?? '';
    const found = await findSessionByRefreshToken(deps.db, projectId, sha256(refreshToken));
    if (!found) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const facts = toTokenFacts(found.user, found.session, project.settings);
    const { token } = await deps.tokens.issue(facts);
    recordActivity(deps, request, facts);
    return { position: null, body: { access_token: token } };
  },
});
