import { RefreshedSession } from '@gatebook/contract/sessions';
import { reject } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { stackHeader } from '../../http/conventions.ts';
import { recordActivity } from '../auth/tokens-of-session.ts';
import { toTokenFacts } from '../users/wire.ts';

const headers = z.object({ 'x-stack-refresh-token': z.string().max(1_024) });

/** The same as the refresh grant, for callers that speak in headers (protocol, auth §9). */
export const refreshSessionRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/sessions/current/refresh', {
      config: { ignoresEndedSession: true, limitedAs: 'refresh' },
      schema: {
        tags: ['Sessions'],
        summary: 'Get a new access token for the session',
        description: 'The refresh grant for callers that speak in headers.',
        headers,
        response: { 200: RefreshedSession },
      },
      handler: async (request) => {
        const { projectId } = callerOf(request);
        const refreshToken = stackHeader(request, 'refresh-token') ?? '';
        const found = await findSessionByRefreshToken(deps.db, projectId, sha256(refreshToken));
        if (!found) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
        const facts = toTokenFacts(found.user, found.session);
        const { token } = await deps.tokens.issue(facts);
        recordActivity(deps, request, facts);
        return { access_token: token };
      },
    });
  };
