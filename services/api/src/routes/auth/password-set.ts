import { setPassword } from '@gatebook/commands/password/password';
import { PasswordSet } from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';

/** Protocol, auth §1.3. */
export const passwordSetRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/password/set', {
      config: { needsUser: true, limitedAs: 'password-update' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Set the first password of the signed-in user',
        description: 'For users without one; who has one replaces it.',
        body: PasswordSet,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { position } = await setPassword(deps, contextOf(request, caller), {
          userId: ownUser(caller).id,
          password: request.body.password,
          config: caller.project.project.config,
          settings: caller.project.project.settings,
        });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
