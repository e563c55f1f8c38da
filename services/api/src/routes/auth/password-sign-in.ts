import { signInWithPassword } from '@gatebook/commands/password/password';
import { PasswordSignIn, TokensView } from '@gatebook/contract/auth';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { sessionErrors } from './errors.ts';
import { answerTokens } from './tokens-of-session.ts';

/** (protocol, auth §1.2) */
export const passwordSignInRoute = defineRoute({
  method: 'POST',
  path: '/auth/password/sign-in',
  access: clientAndUp,
  session: 'any',
  limit: 'sign-in',
  errors: ['PASSWORD_AUTHENTICATION_NOT_ENABLED', 'EMAIL_PASSWORD_MISMATCH', ...sessionErrors],
  tags: ['Sign-in'],
  summary: 'Sign in with email and password',
  description:
    'Unknown addresses and wrong passwords get the same error. If the user has a second factor, the error contains an `attempt_code` for `/auth/mfa/sign-in`.',
  body: PasswordSignIn,
  response: { 200: TokensView },
  handle: async ({ deps, request, caller, body }) => {
    const { email, password } = body;
    const { config } = caller.project;
    const context = signedOutContext(request, caller);
    return answerTokens(deps, request, await signInWithPassword(deps, context, { email, password, config }));
  },
});
