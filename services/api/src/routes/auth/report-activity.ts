import { reportActivity } from '@gatebook/commands/email/activity-report';
import { ActivityReport, ActivityReported } from '@gatebook/contract/auth';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';

/** For the page that the link of a security notice leads to. The code says of which project it is. */
export const reportActivityRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/activity-reports', {
      config: { limitedAs: 'code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Report activity as not one’s own',
        description:
          'By the code of a security notice, once. Ends all sessions of the user. Where the user has a password and can sign in with the address of the notice, removes it and emails a link to choose a new one.',
        body: ActivityReport,
        response: { 200: ActivityReported },
      },
      handler: async (request, reply) => {
        const { ip, userAgent } = request.endUser;
        const actor = { kind: 'client', id: null } as const;
        const origin = { actor, requestId: request.id, ip, userAgent, once: request.once };
        const { code } = request.body;
        const { publicUrl } = deps.config.http;
        const { position, isResetEmailSent } = await reportActivity(deps, origin, { code, publicUrl });
        await waitFor(deps, reply, position);
        return { success: true as const, reset_email_sent: isResetEmailSent };
      },
    });
  };
