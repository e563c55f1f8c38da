import { endSession } from '@gatebook/commands/session/session';
import { Success } from '@gatebook/contract/common';
import { DomainError, reject } from '@gatebook/domain/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';

/** Ends the session that the access token names (protocol, conventions §4.2). Clients take "already gone" as signed out. */
export const signOutRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/auth/sessions/current', {
      config: { ignoresEndedSession: true },
      schema: {
        tags: ['Sessions'],
        summary: 'Sign out',
        description: 'Ends the session that the access token names.',
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        if (!caller.token) return reject('ACCESS_TOKEN_EXPIRED', { expired_at_millis: Date.parse(deps.now()) });
        if (!caller.user) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
        const { sessionId, userId } = caller.token;
        const { position } = await endSession(deps, contextOf(request, caller), {
          sessionId,
          userId,
          reason: 'sign_out',
        }).catch((error: unknown) => {
          const isGone = error instanceof DomainError && error.code === 'SESSION_NOT_FOUND';
          return isGone ? reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED') : Promise.reject(error);
        });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
