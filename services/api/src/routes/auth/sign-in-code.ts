import { sendSignInCode, signInWithCode } from '@gatebook/commands/sign-in/sign-in-code';
import { CodeBody, SendSignInCode, SignInCodeSent, SignInView } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { anonymousIdOf, callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { inEvenTime } from '../../http/even-time.ts';
import { answerSignIn } from './tokens-of-session.ts';

/** Protocol, auth §3.1. */
export const sendSignInCodeRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/otp/send-sign-in-code', {
      config: { limitedAs: 'send-code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Mail a code and a link that sign in',
        description:
          'Whoever types the six characters of the mail puts the nonce of this answer behind them: both make the code for `/auth/otp/sign-in`. The link has the whole code. The time of the response does not tell a known address from an unknown one.',
        body: SendSignInCode,
        response: { 200: SignInCodeSent },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { email, callback_url: callbackUrl } = request.body;
        const { project } = caller.project;
        const context = contextOf(request, { ...caller, user: null });
        const { nonce } = await inEvenTime(sendSignInCode(deps, context, { email, callbackUrl, project }));
        return { nonce };
      },
    });
  };

/** Protocol, auth §3.2. */
export const signInWithCodeRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/otp/sign-in', {
      config: { limitedAs: 'code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Sign in by a mailed code',
        description:
          'Who is not known yet is signed up, where the project lets them. Somebody signed in anonymously, by their access token, keeps their id.',
        body: CodeBody,
        response: { 200: SignInView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { project } = caller.project;
        const context = contextOf(request, { ...caller, user: null });
        const redemption = { code: request.body.code, project, anonymousUserId: anonymousIdOf(caller) };
        return answerSignIn(deps, request, reply, await signInWithCode(deps, context, redemption));
      },
    });
  };
