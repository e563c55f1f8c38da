import { sendSignInCode, signInWithCode } from '@gatebook/commands/sign-in/sign-in-code';
import { CodeBody, SendSignInCode, SignInCodeSent, SignInView } from '@gatebook/contract/auth';
import { anonymousIdOf, clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { withMinimumTime } from '../../http/minimum-time.ts';
import { codeErrors, sessionErrors } from './errors.ts';
import { answerSignIn } from './tokens-of-session.ts';

/** (protocol, auth §3.1) */
export const sendSignInCodeRoute = defineRoute({
  method: 'POST',
  path: '/auth/otp/send-sign-in-code',
  bodySize: 'medium',
  access: clientAndUp,
  session: 'any',
  limit: 'send-code',
  errors: ['OTP_SIGN_IN_DISABLED', 'REDIRECT_URL_NOT_WHITELISTED', 'SIGN_UP_NOT_ENABLED', 'USER_EMAIL_ALREADY_EXISTS'],
  tags: ['Sign-in'],
  summary: 'Send a sign-in code and link',
  description:
    'The code for `/auth/otp/sign-in` is the six characters of the email followed by the nonce of this response. The link contains the whole code. The timing of the response doesn’t reveal whether the address is known.',
  body: SendSignInCode,
  response: { 200: SignInCodeSent },
  handle: async ({ deps, request, caller, body }) => {
    const { email, callback_url: callbackUrl } = body;
    const { project } = caller;
    const context = signedOutContext(request, caller);
    const { nonce } = await withMinimumTime(sendSignInCode(deps, context, { email, callbackUrl, project }));
    return { position: null, body: { nonce } };
  },
});

/** (protocol, auth §3.2) */
export const signInWithCodeRoute = defineRoute({
  method: 'POST',
  path: '/auth/otp/sign-in',
  access: clientAndUp,
  session: 'any',
  limit: 'code',
  errors: [...codeErrors, 'OTP_SIGN_IN_DISABLED', 'SIGN_UP_NOT_ENABLED', 'USER_EMAIL_ALREADY_EXISTS', ...sessionErrors],
  tags: ['Sign-in'],
  summary: 'Sign in with an emailed code',
  description:
    'Signs up a new user if the project allows sign-up. An anonymous user who sends an access token keeps the user ID.',
  body: CodeBody,
  response: { 200: SignInView },
  handle: async ({ deps, request, caller, body }) => {
    const { project } = caller;
    const context = signedOutContext(request, caller);
    const redemption = { code: body.code, project, anonymousUserId: anonymousIdOf(caller) };
    return answerSignIn(deps, request, await signInWithCode(deps, context, redemption));
  },
});
