import { updatePassword } from '@gatebook/commands/password/password';
import { PasswordUpdate } from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyRequest } from 'fastify';
import { clientAndUp, ownUser } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { stackHeader } from '../../http/conventions.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { newPasswordErrors } from './errors.ts';

/** (protocol, auth §1.4) Keeps the session of the sent refresh token if it belongs to the user. */
export const passwordUpdateRoute = defineRoute({
  method: 'POST',
  path: '/auth/password/update',
  access: clientAndUp,
  session: 'own',
  needsUser: true,
  limit: 'password-update',
  errors: [
    'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    'USER_DOES_NOT_HAVE_PASSWORD',
    'PASSWORD_CONFIRMATION_MISMATCH',
    ...newPasswordErrors,
  ],
  tags: ['Sign-in'],
  summary: 'Change the password',
  description:
    'Ends all other sessions. Send the refresh token of the current session as `x-stack-refresh-token` to keep it.',
  body: PasswordUpdate,
  response: { 200: Success },
  handle: async ({ deps, request, caller, context, body }) => {
    const user = ownUser(caller);
    const { position } = await updatePassword(deps, context, {
      userId: user.id,
      oldPassword: body.old_password,
      newPassword: body.new_password,
      keptSessionId: await sentSession(deps, request, caller.projectId, user.id),
      config: caller.project.config,
      settings: caller.project.settings,
    });
    return answerSuccess(position);
  },
});

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
