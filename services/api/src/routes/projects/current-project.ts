import { ClientProjectView } from '@gatebook/contract/projects';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { toClientProjectView } from './wire.ts';

/** Answered from what authenticating the request knows already. */
export const currentProjectRoute =
  (_deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/projects/current', {
      schema: { tags: ['Projects'], summary: 'The project of the call', response: { 200: ClientProjectView } },
      handler: async (request) => toClientProjectView(callerOf(request).project.project),
    });
  };
