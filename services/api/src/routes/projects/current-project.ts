import { ClientProjectView, ProjectView } from '@gatebook/contract/projects';
import { findProject } from '@gatebook/readmodel/projects/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { isOlderClient } from '../../http/client-version.ts';
import { toClientProjectView, toProjectView } from './wire.ts';

/** Answered from what authenticating the request knows already. Older libraries read their whole project here. */
export const currentProjectRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/projects/current', {
      schema: {
        tags: ['Projects'],
        summary: 'The project of the call',
        description: 'What clients may know of it.',
        response: { 200: z.union([ProjectView, ClientProjectView]) },
      },
      handler: async (request) => {
        const { accessType, project, projectId } = callerOf(request);
        if (accessType !== 'admin' || !isOlderClient(request)) return toClientProjectView(project.project);
        return toProjectView(await findProject(deps.db, projectId));
      },
    });
  };
