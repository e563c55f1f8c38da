import { signUpWithPassword } from '@gatebook/commands/password/password';
import { PasswordSignUp, TokensView } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { anonymousIdOf, callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerTokens } from './tokens-of-session.ts';

/** Protocol, auth §1.1. */
export const passwordSignUpRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/password/sign-up', {
      config: { limitedAs: 'sign-up' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Sign up by e-mail and password',
        description:
          'The address gets a mail with a link that verifies it. Somebody signed in anonymously, by their access token, keeps their id.',
        body: PasswordSignUp,
        response: { 200: TokensView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { email, password, verification_callback_url: verificationCallbackUrl } = request.body;
        // Whoever signs up is not yet who is signed in.
        const context = contextOf(request, { ...caller, user: null });
        const anonymousUserId = anonymousIdOf(caller);
        const signUp = { email, password, verificationCallbackUrl, project: caller.project.project, anonymousUserId };
        return answerTokens(deps, request, reply, await signUpWithPassword(deps, context, signUp));
      },
    });
  };
