import { isOwnerSetupOpen } from '@gatebook/commands/project/owner-setup';
import { SetupQuery, SetupView } from '@gatebook/contract/setup';
import { reject } from '@gatebook/domain/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import type { Deps } from '../../deps.ts';

/** Says whether the link is still good without using anything of it up. */
export const checkSetupRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/setup', {
      config: { limitedAs: 'set-up' },
      schema: {
        tags: ['Set-up'],
        summary: 'Whether a set-up link is still good',
        description: 'Uses nothing up.',
        querystring: SetupQuery,
        response: { 200: SetupView },
      },
      handler: async (request) => {
        if (callerOf(request).projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
        return { is_valid: await isOwnerSetupOpen(deps, request.query.token) };
      },
    });
  };
