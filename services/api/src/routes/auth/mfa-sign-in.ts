import { signInWithTotp } from '@gatebook/commands/sign-in/second-factor';
import { SecondFactor, SignInView } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerSignIn } from './tokens-of-session.ts';

/** Protocol, auth §4. */
export const mfaSignInRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/mfa/sign-in', {
      config: { limitedAs: 'code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Finish a sign-in by the second factor',
        description: 'By the `attempt_code` of the first step, as `code`, and the six digits of the authenticator app.',
        body: SecondFactor,
        response: { 200: SignInView },
      },
      handler: async (request, reply) => {
        const context = contextOf(request, { ...callerOf(request), user: null });
        const { code: attemptCode, totp } = request.body;
        return answerSignIn(deps, request, reply, await signInWithTotp(deps, context, { attemptCode, totp }));
      },
    });
  };
