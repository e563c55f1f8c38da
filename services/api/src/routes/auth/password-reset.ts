import { resetPassword, sendResetCode } from '@gatebook/commands/password/password-reset';
import { PasswordReset, ResetCodeSent, SendResetCode } from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { withMinimumTime } from '../../http/minimum-time.ts';
import { codeErrors, newPasswordErrors } from './errors.ts';

/** (protocol, auth §1.5) The same response, after the same time, for known and unknown addresses. */
export const sendResetCodeRoute = defineRoute({
  method: 'POST',
  path: '/auth/password/send-reset-code',
  access: clientAndUp,
  session: 'any',
  limit: 'send-code',
  errors: ['PASSWORD_AUTHENTICATION_NOT_ENABLED', 'REDIRECT_URL_NOT_WHITELISTED'],
  tags: ['Sign-in'],
  summary: 'Send a password reset link',
  description: 'The response and its timing are the same for known and unknown addresses.',
  body: SendResetCode,
  response: { 200: ResetCodeSent },
  handle: async ({ deps, request, caller, body }) => {
    const { email, callback_url: callbackUrl } = body;
    const { project } = caller;
    const context = signedOutContext(request, caller);
    await withMinimumTime(sendResetCode(deps, context, { email, callbackUrl, project }));
    return { position: null, body: { success: 'maybe, only if user with e-mail exists' as const } };
  },
});

/** (protocol, auth §1.6) */
export const resetPasswordRoute = defineRoute({
  method: 'POST',
  path: '/auth/password/reset',
  access: clientAndUp,
  session: 'any',
  limit: 'code',
  errors: ['PASSWORD_AUTHENTICATION_NOT_ENABLED', ...newPasswordErrors, ...codeErrors],
  tags: ['Sign-in'],
  summary: 'Reset a password',
  description:
    'Redeems the code and ends all sessions. If the address was not verified before, it is verified now, and every other way to sign in to the account is removed.',
  body: PasswordReset,
  response: { 200: Success },
  handle: async ({ deps, request, caller, body }) => {
    const { code, password } = body;
    const { project } = caller;
    const context = signedOutContext(request, caller);
    const { userId, position } = await resetPassword(deps, context, { code, password, project });
    request.provenUserId = userId;
    return answerSuccess(position);
  },
});
