import { signUpAnonymously } from '@gatebook/commands/sign-in/anonymous';
import { TokensView } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerTokens } from './tokens-of-session.ts';

/** Protocol, auth §6. Any body is taken and ignored. */
export const anonymousSignUpRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/anonymous/sign-up', {
      config: { limitedAs: 'anonymous-sign-up' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Sign up without an identity',
        description:
          'Makes a user without any way to sign in again, who becomes a normal one by signing up with this access token. Off unless the project switches it on. Any body is taken and ignored.',
        response: { 200: TokensView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const context = contextOf(request, { ...caller, user: null });
        const started = await signUpAnonymously(deps, context, caller.project.project);
        return answerTokens(deps, request, reply, started);
      },
    });
  };
