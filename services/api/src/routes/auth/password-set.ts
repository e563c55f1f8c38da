import { setPassword } from '@gatebook/commands/password/password';
import { PasswordSet } from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import { clientAndUp, ownUser } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { newPasswordErrors } from './errors.ts';

/** (protocol, auth §1.3) */
export const passwordSetRoute = defineRoute({
  method: 'POST',
  path: '/auth/password/set',
  access: clientAndUp,
  session: 'recent',
  needsUser: true,
  limit: 'password-update',
  errors: [
    'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    'USER_ALREADY_HAS_PASSWORD',
    'PASSWORD_REQUIRES_PRIMARY_EMAIL',
    ...newPasswordErrors,
  ],
  tags: ['Sign-in'],
  summary: 'Set a first password',
  description: 'For users without a password. Users with a password change it instead.',
  body: PasswordSet,
  response: { 200: Success },
  handle: async ({ deps, caller, context, body }) => {
    const { position } = await setPassword(deps, context, {
      userId: ownUser(caller).id,
      password: body.password,
      config: caller.project.config,
      settings: caller.project.settings,
    });
    return answerSuccess(position);
  },
});
