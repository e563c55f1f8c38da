import { signUpWithPassword } from '@gatebook/commands/password';
import { PasswordSignUp, TokensView } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerSignIn } from './tokens-of-session.ts';

/** Protocol, auth §1.1. Everything that the tokens say was decided here, so nothing has to be read. */
export const passwordSignUpRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/password/sign-up', {
      config: { limitedAs: 'sign-up' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Sign up by e-mail and password',
        body: PasswordSignUp,
        response: { 200: TokensView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { email, password } = request.body;
        const { config } = caller.project.project;
        const signedUpAtMillis = Date.parse(deps.now());
        // Whoever signs up is not yet who is signed in.
        const context = contextOf(request, { ...caller, user: null });
        const started = await signUpWithPassword(deps, context, { email, password, config });
        return answerSignIn(deps, request, reply, started, () => ({
          projectId: caller.projectId,
          userId: started.userId,
          sessionId: started.sessionId,
          displayName: null,
          email,
          isEmailVerified: false,
          isAnonymous: false,
          requiresTotpMfa: false,
          signedUpAtMillis,
        }));
      },
    });
  };
