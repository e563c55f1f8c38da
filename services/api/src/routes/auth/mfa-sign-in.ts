import { signInWithTotp } from '@gatebook/commands/sign-in/second-factor';
import { SecondFactor, SignInView } from '@gatebook/contract/auth';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { codeErrors } from './errors.ts';
import { answerSignIn } from './tokens-of-session.ts';

/** (protocol, auth §4) */
export const mfaSignInRoute = defineRoute({
  method: 'POST',
  path: '/auth/mfa/sign-in',
  access: clientAndUp,
  session: 'any',
  limit: 'code',
  errors: [...codeErrors, 'INVALID_TOTP_CODE', 'RESTRICTED_USER_NOT_ALLOWED'],
  tags: ['Sign-in'],
  summary: 'Complete a sign-in with a second factor',
  description: 'Send the `attempt_code` of the first step as `code`, with the six digits from the authenticator app.',
  body: SecondFactor,
  response: { 200: SignInView },
  handle: async ({ deps, request, caller, body }) => {
    const context = signedOutContext(request, caller);
    const { code: attemptCode, totp } = body;
    return answerSignIn(deps, request, await signInWithTotp(deps, context, { attemptCode, totp }));
  },
});
