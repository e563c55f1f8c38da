import { reportActivity } from '@gatebook/commands/email/activity-report';
import { ActivityReport, ActivityReported } from '@gatebook/contract/auth';
import { requestContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { codeErrors } from './errors.ts';

/** For the page behind the link of a security notice. The code identifies the project. */
export const reportActivityRoute = defineRoute({
  method: 'POST',
  path: '/auth/activity-reports',
  access: 'anyone',
  limit: 'code',
  errors: codeErrors,
  tags: ['Sign-in'],
  summary: 'Report unrecognized activity',
  description:
    'Redeems the code of a security notice and ends all sessions of the user. If the user has a password and can sign in with the address of the notice, also removes the password and emails a link to choose a new one.',
  body: ActivityReport,
  response: { 200: ActivityReported },
  handle: async ({ deps, request, body }) => {
    const by = { ...requestContext(request), actor: { kind: 'client', id: null } } as const;
    const { code } = body;
    const { publicUrl } = deps.config.http;
    const { position, isResetEmailSent } = await reportActivity(deps, by, { code, publicUrl });
    return { position, body: { success: true as const, reset_email_sent: isResetEmailSent } };
  },
});
