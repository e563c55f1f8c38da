import { signUpWithPassword } from '@gatebook/commands/password/password';
import { PasswordSignUp, TokensView } from '@gatebook/contract/auth';
import { anonymousIdOf, clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { newPasswordErrors, sessionErrors } from './errors.ts';
import { answerTokens } from './tokens-of-session.ts';

/** (protocol, auth §1.1) */
export const passwordSignUpRoute = defineRoute({
  method: 'POST',
  path: '/auth/password/sign-up',
  bodySize: 'medium',
  access: clientAndUp,
  session: 'any',
  limit: 'sign-up',
  errors: [
    'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    'SIGN_UP_NOT_ENABLED',
    'REDIRECT_URL_NOT_WHITELISTED',
    ...newPasswordErrors,
    'USER_EMAIL_ALREADY_EXISTS',
    ...sessionErrors,
  ],
  tags: ['Sign-in'],
  summary: 'Sign up with email and password',
  description:
    'Sends an email with a verification link if the request contains a URL for it. An anonymous user who sends an access token keeps the user ID.',
  body: PasswordSignUp,
  response: { 200: TokensView },
  handle: async ({ deps, request, caller, body }) => {
    const { email, password, verification_callback_url: verificationCallbackUrl = null } = body;
    const context = signedOutContext(request, caller);
    const anonymousUserId = anonymousIdOf(caller);
    const signUp = { email, password, verificationCallbackUrl, project: caller.project, anonymousUserId };
    return answerTokens(deps, request, await signUpWithPassword(deps, context, signUp));
  },
});
