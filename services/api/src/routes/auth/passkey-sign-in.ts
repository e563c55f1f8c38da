import { signInWithPasskey, startPasskeySignIn } from '@gatebook/commands/sign-in/passkey';
import { authenticationOptions, newChallenge } from '@gatebook/commands/sign-in/passkey-options';
import { PasskeySignIn, PasskeyStart, SignInView } from '@gatebook/contract/auth';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { codeErrors, sessionErrors } from './errors.ts';
import { answerSignIn } from './tokens-of-session.ts';

/** (protocol, auth §5.3) Ignores the body. */
export const startPasskeySignInRoute = defineRoute({
  method: 'POST',
  path: '/auth/passkey/initiate-passkey-authentication',
  access: clientAndUp,
  session: 'any',
  limit: 'passkey-challenge',
  errors: ['PASSKEY_AUTHENTICATION_NOT_ENABLED'],
  tags: ['Sign-in'],
  summary: 'Start a passkey sign-in',
  description:
    'Returns options for `navigator.credentials.get` and the code that the sign-in must send back. The body is ignored.',
  response: { 200: PasskeyStart },
  handle: async ({ deps, request, caller }) => {
    const challenge = newChallenge();
    const { config } = caller.project;
    const context = signedOutContext(request, caller);
    const { code } = await startPasskeySignIn(deps, context, { challenge, config });
    return { position: null, body: { options_json: authenticationOptions(challenge), code } };
  },
});

/** (protocol, auth §5.4) */
export const signInWithPasskeyRoute = defineRoute({
  method: 'POST',
  path: '/auth/passkey/sign-in',
  access: clientAndUp,
  session: 'any',
  limit: 'passkey-sign-in',
  errors: ['PASSKEY_AUTHENTICATION_NOT_ENABLED', ...codeErrors, 'PASSKEY_AUTHENTICATION_FAILED', ...sessionErrors],
  tags: ['Sign-in'],
  summary: 'Sign in with a passkey',
  description: 'The passkey identifies the user, so no email address is needed.',
  body: PasskeySignIn,
  response: { 200: SignInView },
  handle: async ({ deps, request, caller, body }) => {
    const { code, authentication_response: response } = body;
    const { config } = caller.project;
    const context = signedOutContext(request, caller);
    return answerSignIn(deps, request, await signInWithPasskey(deps, context, { code, response, config }));
  },
});
