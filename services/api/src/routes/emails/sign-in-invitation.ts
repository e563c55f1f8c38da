import { inviteToSignIn } from '@gatebook/commands/sign-in/sign-in-invitation';
import { Success } from '@gatebook/contract/common';
import { SignInInvitation } from '@gatebook/contract/emails';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';

/** (protocol, projects §12.6) */
export const sendSignInInvitationRoute = defineRoute({
  method: 'POST',
  path: '/internal/send-sign-in-invitation',
  access: adminOnly,
  role: 'support',
  limit: 'send-code',
  errors: ['REDIRECT_URL_NOT_WHITELISTED'],
  tags: ['Emails'],
  summary: 'Send a sign-in invitation',
  description: 'Emails a link to the sign-in page at the callback URL. The link contains no code.',
  body: SignInInvitation,
  response: { 200: Success },
  handle: async ({ deps, caller, context, body }) => {
    const { email, callback_url: callbackUrl } = body;
    const { position } = await inviteToSignIn(deps, context, { email, callbackUrl, project: caller.project });
    return answerSuccess(position);
  },
});
