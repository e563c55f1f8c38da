import { resetPassword, sendResetCode } from '@gatebook/commands/password/password-reset';
import { PasswordReset, ResetCodeSent, SendResetCode } from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { inEvenTime } from '../../http/even-time.ts';
import { waitFor } from '../../http/read-your-writes.ts';

/** Protocol, auth §1.5: the same answer, after the same time, for known and unknown addresses. */
export const sendResetCodeRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/password/send-reset-code', {
      config: { limitedAs: 'send-code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Mail a link that resets the password',
        description: 'The answer, and the time it takes, are the same for known and unknown addresses.',
        body: SendResetCode,
        response: { 200: ResetCodeSent },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { email, callback_url: callbackUrl } = request.body;
        const { project } = caller.project;
        const context = contextOf(request, { ...caller, user: null });
        await inEvenTime(sendResetCode(deps, context, { email, callbackUrl, project }));
        return { success: 'maybe, only if user with e-mail exists' } as const;
      },
    });
  };

/** Protocol, auth §1.6. */
export const resetPasswordRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/password/reset', {
      config: { limitedAs: 'code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Choose a password by the code of a reset mail',
        description:
          'Uses the code up, and ends all sessions. Where the address was never verified, it is from now on, and all else that opened the account is removed.',
        body: PasswordReset,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { code, password } = request.body;
        const { project } = caller.project;
        const context = contextOf(request, { ...caller, user: null });
        const { userId, position } = await resetPassword(deps, context, { code, password, project });
        request.provenUserId = userId;
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
