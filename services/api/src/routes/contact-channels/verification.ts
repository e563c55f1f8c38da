import { sendPrimaryVerificationCode, sendVerificationCode, verifyEmail } from '@gatebook/commands/user/verification';
import { CodeBody } from '@gatebook/contract/auth';
import { Success, uuid } from '@gatebook/contract/common';
import { SendPrimaryVerificationCode, SendVerificationCode } from '@gatebook/contract/contact-channels';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { isPublishedClient } from '../../http/client-version.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { pathUserId, userIdOf } from '../path-user.ts';

const tags = ['Contact channels'];

/** Protocol, auth §10. */
export const sendVerificationCodeRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/contact-channels/:user_id/:channel_id/send-verification-code', {
      config: { limitedAs: 'send-verification' },
      schema: {
        tags,
        summary: 'Mail a link that verifies an address',
        description: 'To the address itself.',
        params: z.strictObject({ user_id: pathUserId, channel_id: uuid }),
        body: SendVerificationCode,
        response: { 200: Success },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { project } = caller.project;
        const userId = userIdOf(caller, request.params.user_id, 'CHANNEL_OF_ANOTHER_USER');
        const { channel_id: channelId } = request.params;
        const { callback_url: callbackUrl } = request.body;
        await sendVerificationCode(deps, contextOf(request, caller), { userId, channelId, callbackUrl, project });
        return { success: true } as const;
      },
    });
  };

/** The older form, for the primary address alone. */
export const sendPrimaryVerificationCodeRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/contact-channels/send-verification-code', {
      config: { needsUser: true, limitedAs: 'send-verification' },
      schema: {
        tags,
        summary: 'Mail a link that verifies the primary address',
        description: 'The older form: `email` has to be the primary address of the signed-in user.',
        body: SendPrimaryVerificationCode,
        response: { 200: Success },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { project } = caller.project;
        const { email, callback_url: callbackUrl } = request.body;
        const asked = { userId: ownUser(caller).id, email, callbackUrl, project };
        await sendPrimaryVerificationCode(deps, contextOf(request, caller), asked);
        return { success: true } as const;
      },
    });
  };

export const verifyEmailRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/contact-channels/verify', {
      config: { limitedAs: 'code' },
      schema: {
        tags,
        summary: 'Verify an address by a mailed code',
        description:
          'The code tells whose address it is. Send the access token of the user: without it the first verification of the primary address also removes the password and all else that opened the account, and ends its sessions.',
        body: CodeBody,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { position } = await verifyEmail(deps, contextOf(request, caller), {
          code: request.body.code,
          signedInUserId: caller.user?.id ?? null,
          canSendSession: !isPublishedClient(request),
        });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
