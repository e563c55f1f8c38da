import { createSession } from '@gatebook/commands/session/session';
import { NewSession, SessionTokens } from '@gatebook/contract/sessions';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerTokens } from '../auth/tokens-of-session.ts';

/** A server signs a user in (protocol, auth §9). No second factor is asked for. */
export const createSessionRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/sessions', {
      config: { replacesMe: true },
      schema: {
        tags: ['Sessions'],
        summary: 'Start a session for a user',
        description:
          'Signs the user in without asking for anything, not even a second factor. A session with `is_impersonation` is for somebody who acts for the user: it lasts an hour at most, whatever `expires_in_millis` says, its access tokens say who acts (`is_impersonation`, `act`), it changes no credentials, and the user’s history names both.',
        body: NewSession,
        response: { 200: SessionTokens },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { user_id: userId, expires_in_millis: lifeMs, is_impersonation: isImpersonation } = request.body;
        const input = { userId, lifeMs, isImpersonation };
        const started = await createSession(deps, contextOf(request, caller), input);
        const { access_token, refresh_token } = await answerTokens(deps, request, reply, {
          ...started,
          userId,
          isNewUser: false,
        });
        return { refresh_token, access_token };
      },
    });
  };
