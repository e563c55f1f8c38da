import { signUpAnonymously } from '@gatebook/commands/sign-in/anonymous';
import { TokensView } from '@gatebook/contract/auth';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { answerTokens } from './tokens-of-session.ts';

/** (protocol, auth §6) Ignores the body. */
export const anonymousSignUpRoute = defineRoute({
  method: 'POST',
  path: '/auth/anonymous/sign-up',
  access: clientAndUp,
  session: 'any',
  limit: 'anonymous-sign-up',
  errors: ['ANONYMOUS_ACCOUNTS_NOT_ENABLED'],
  tags: ['Sign-in'],
  summary: 'Sign up anonymously',
  description:
    'Creates a user who can’t sign in again. The user becomes a regular user by signing up with this access token. Off unless the project enables it. The body is ignored.',
  response: { 200: TokensView },
  handle: async ({ deps, request, caller }) => {
    const context = signedOutContext(request, caller);
    const started = await signUpAnonymously(deps, context, caller.project);
    return answerTokens(deps, request, started);
  },
});
