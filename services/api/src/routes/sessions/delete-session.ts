import { endSession } from '@gatebook/commands/session/session';
import { Success, uuid } from '@gatebook/contract/common';
import { DeleteSessionQuery } from '@gatebook/contract/sessions';
import { reject } from '@gatebook/domain/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { rejectRequest } from '../../http/validation.ts';

/** People end their own sessions, servers anybody's (protocol, auth §9). */
export const deleteSessionRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/auth/sessions/:session_id', {
      config: { replacesMe: true },
      schema: {
        tags: ['Sessions'],
        summary: 'End a session',
        description: 'Client access ends its own and says `user_id=me`; the one it calls with ends by signing out.',
        params: z.strictObject({ session_id: uuid }),
        querystring: DeleteSessionQuery,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const sessionId = request.params.session_id;
        const isClient = caller.accessType === 'client';
        if (isClient && request.query.user_id === undefined) rejectRequest(request, ['query.user_id is required']);
        const userId = isClient ? ownUser(caller).id : null;
        if (caller.token?.sessionId === sessionId) reject('CANNOT_DELETE_CURRENT_SESSION');
        const context = contextOf(request, caller);
        const { position } = await endSession(deps, context, { sessionId, userId, reason: 'revoked' });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
