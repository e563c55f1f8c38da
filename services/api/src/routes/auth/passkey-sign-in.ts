import { signInWithPasskey, startPasskeySignIn } from '@gatebook/commands/sign-in/passkey';
import { PasskeySignIn, PasskeyStart, SignInView } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { authenticationOptions, newChallenge } from '../../webauthn.ts';
import { answerSignIn } from './tokens-of-session.ts';

/** Protocol, auth §5.3. Any body is taken and ignored. */
export const startPasskeySignInRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/passkey/initiate-passkey-authentication', {
      config: { limitedAs: 'passkey-challenge' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Begin to sign in by passkey',
        description:
          'Answers options for `navigator.credentials.get`, and the code to come back with. Any body is taken and ignored.',
        response: { 200: PasskeyStart },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const challenge = newChallenge();
        const { config } = caller.project.project;
        const context = contextOf(request, { ...caller, user: null });
        const { code } = await startPasskeySignIn(deps, context, { challenge, config });
        return { options_json: authenticationOptions(challenge), code };
      },
    });
  };

/** Protocol, auth §5.4. */
export const signInWithPasskeyRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/passkey/sign-in', {
      config: { limitedAs: 'code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Sign in by passkey',
        description: 'The passkey says who it is: nobody has to type an address.',
        body: PasskeySignIn,
        response: { 200: SignInView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { code, authentication_response: response } = request.body;
        const { config } = caller.project.project;
        const context = contextOf(request, { ...caller, user: null });
        return answerSignIn(deps, request, reply, await signInWithPasskey(deps, context, { code, response, config }));
      },
    });
  };
