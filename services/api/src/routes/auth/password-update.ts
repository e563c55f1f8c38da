import { updatePassword } from '@gatebook/commands/password/password';
import { PasswordUpdate } from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { stackHeader } from '../../http/conventions.ts';
import { waitFor } from '../../http/read-your-writes.ts';

/** Protocol, auth §1.4. The session of the sent refresh token lives on, if it is the user's own. */
export const passwordUpdateRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/password/update', {
      config: { needsUser: true, limitedAs: 'password-update' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Replace the password of the signed-in user',
        description: 'Ends all sessions but the one whose refresh token comes along as `x-stack-refresh-token`.',
        body: PasswordUpdate,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const user = ownUser(caller);
        const { position } = await updatePassword(deps, contextOf(request, caller), {
          userId: user.id,
          oldPassword: request.body.old_password,
          newPassword: request.body.new_password,
          keptSessionId: await sentSession(deps, request, caller.projectId, user.id),
          config: caller.project.project.config,
          settings: caller.project.project.settings,
        });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };

async function sentSession(
  { db }: Deps,
  request: FastifyRequest,
  projectId: string,
  userId: string,
): Promise<string | null> {
  const refreshToken = stackHeader(request, 'refresh-token');
  if (refreshToken === undefined) return null;
  const found = await findSessionByRefreshToken(db, projectId, sha256(refreshToken));
  return found?.user.id === userId ? found.session.id : null;
}
