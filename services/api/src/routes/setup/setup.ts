import { completeOwnerSetup } from '@gatebook/commands/project/owner-setup';
import { TokensView } from '@gatebook/contract/auth';
import { CompleteSetup } from '@gatebook/contract/setup';
import { reject } from '@gatebook/domain/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { answerTokens } from '../auth/tokens-of-session.ts';

/** Makes the first owner, by the link that the first start printed. */
export const completeSetupRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/setup', {
      config: { limitedAs: 'set-up' },
      schema: {
        tags: ['Set-up'],
        summary: 'Make the first owner',
        description: 'By the link that the first start prints, once.',
        body: CompleteSetup,
        response: { 200: TokensView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        if (caller.projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
        const { token, email, password, display_name } = request.body;
        const displayName = display_name || null;
        const context = contextOf(request, { ...caller, user: null });
        const started = await completeOwnerSetup(deps, context, { token, email, password, displayName });
        await deps.projects.forget('internal', started.position);
        return answerTokens(deps, request, reply, started);
      },
    });
  };
