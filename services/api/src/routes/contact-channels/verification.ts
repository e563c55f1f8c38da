import { sendPrimaryVerificationCode, sendVerificationCode, verifyEmail } from '@gatebook/commands/user/verification';
import { CodeBody } from '@gatebook/contract/auth';
import { Success, uuid } from '@gatebook/contract/common';
import { SendPrimaryVerificationCode, SendVerificationCode } from '@gatebook/contract/contact-channels';
import { z } from 'zod';
import { clientAndUp, ownUser } from '../../access.ts';
import { isPublishedClient } from '../../http/client-version.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { codeErrors } from '../auth/errors.ts';
import { pathUserId, userIdOf } from '../path-user.ts';

const tags = ['Contact channels'];

/** (protocol, auth §10) */
export const sendVerificationCodeRoute = defineRoute({
  method: 'POST',
  path: '/contact-channels/:user_id/:channel_id/send-verification-code',
  access: clientAndUp,
  session: 'own',
  limit: 'send-verification',
  errors: [
    'CANNOT_GET_OWN_USER_WITHOUT_USER',
    'CHANNEL_OF_ANOTHER_USER',
    'USER_ID_DOES_NOT_EXIST',
    'EMAIL_CHANNEL_NOT_FOUND',
    'EMAIL_ALREADY_VERIFIED',
    'REDIRECT_URL_NOT_WHITELISTED',
  ],
  tags,
  summary: 'Send a verification link',
  description: 'Sends the link to the address of the contact channel.',
  params: z.strictObject({ user_id: pathUserId, channel_id: uuid }),
  body: SendVerificationCode,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params, body }) => {
    const { project } = caller;
    const userId = userIdOf(caller, params.user_id, 'CHANNEL_OF_ANOTHER_USER');
    const { channel_id: channelId } = params;
    const { callback_url: callbackUrl } = body;
    await sendVerificationCode(deps, context, { userId, channelId, callbackUrl, project });
    return answerSuccess(null);
  },
});

/** The older form, only for the primary address. */
export const sendPrimaryVerificationCodeRoute = defineRoute({
  method: 'POST',
  path: '/contact-channels/send-verification-code',
  access: clientAndUp,
  session: 'own',
  needsUser: true,
  limit: 'send-verification',
  errors: ['EMAIL_IS_NOT_PRIMARY_EMAIL', 'EMAIL_ALREADY_VERIFIED', 'REDIRECT_URL_NOT_WHITELISTED'],
  tags,
  summary: 'Send a verification link to the primary address',
  description: 'The older form. `email` must be the primary address of the signed-in user.',
  body: SendPrimaryVerificationCode,
  response: { 200: Success },
  handle: async ({ deps, caller, context, body }) => {
    const { project } = caller;
    const { email, callback_url: callbackUrl } = body;
    const asked = { userId: ownUser(caller).id, email, callbackUrl, project };
    await sendPrimaryVerificationCode(deps, context, asked);
    return answerSuccess(null);
  },
});

export const verifyEmailRoute = defineRoute({
  method: 'POST',
  path: '/contact-channels/verify',
  access: clientAndUp,
  session: 'own',
  limit: 'code',
  errors: codeErrors,
  tags,
  summary: 'Verify an email address',
  description:
    'The code identifies the address. Send the user’s access token. Without it, the first verification of the primary address also removes the password and every other way to sign in, and ends all sessions.',
  body: CodeBody,
  response: { 200: Success },
  handle: async ({ deps, request, caller, context, body }) => {
    const { position } = await verifyEmail(deps, context, {
      code: body.code,
      signedInUserId: caller.user?.id ?? null,
      canSendSession: !isPublishedClient(request),
    });
    return answerSuccess(position);
  },
});
