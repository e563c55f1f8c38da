import { signInWithPassword } from '@gatebook/commands/password/password';
import { PasswordSignIn, TokensView } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerTokens } from './tokens-of-session.ts';

/** Protocol, auth §1.2. */
export const passwordSignInRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/password/sign-in', {
      config: { limitedAs: 'sign-in' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Sign in by e-mail and password',
        description:
          'Unknown addresses and wrong passwords are rejected alike. Whoever has a second factor is told so, with an `attempt_code` for `/auth/mfa/sign-in`.',
        body: PasswordSignIn,
        response: { 200: TokensView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { email, password } = request.body;
        const { config } = caller.project.project;
        const context = contextOf(request, { ...caller, user: null });
        return answerTokens(deps, request, reply, await signInWithPassword(deps, context, { email, password, config }));
      },
    });
  };
