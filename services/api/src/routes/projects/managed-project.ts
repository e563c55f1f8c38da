import { deleteProject, updateProject } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import { ProjectPatch, ProjectView } from '@gatebook/contract/projects';
import { findProject } from '@gatebook/readmodel/projects/queries';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { isOlderClient } from '../../http/client-version.ts';
import { afterWrite, waitFor } from '../../http/read-your-writes.ts';
import { answerOtherMethod } from '../../http/unknown-paths.ts';
import { toProjectInput, toProjectView, withProjectChanges } from './wire.ts';

const tags = ['Projects'];

export const getProjectRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/projects/current', {
      schema: {
        tags,
        summary: 'The project with its whole configuration',
        description: 'Its domains, ways to sign in, mail server and default permissions.',
        response: { 200: ProjectView },
      },
      handler: async (request) => toProjectView(await findProject(deps.db, callerOf(request).projectId)),
    });
  };

/**
 * The first 2.8 libraries administer a project at the path where others only read it. Nobody else is offered that.
 */
const alsoForOlderClients = [
  { url: '/internal/projects/current', route: { schema: { hide: false } } },
  {
    url: '/projects/current',
    route: {
      schema: { hide: true },
      onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
        isOlderClient(request) ? undefined : answerOtherMethod(request, reply),
    },
  },
];

/** Production mode is taken as sent; who switches it on asks `productionModeFaults` first (projects.md §5). */
export const updateProjectRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    for (const { url, route } of alsoForOlderClients) {
      app.patch(url, {
        ...route,
        schema: {
          ...route.schema,
          tags,
          summary: 'Change the project',
          description: 'What is left out stays.',
          body: ProjectPatch,
          response: { 200: ProjectView },
        },
        handler: async (request, reply) => {
          const caller = callerOf(request);
          const { projectId } = caller;
          const before = await findProject(deps.db, projectId);
          const { position } = await updateProject(deps, contextOf(request, caller), toProjectInput(request.body));
          await deps.projects.forget(projectId, position);
          const after = await afterWrite(
            deps,
            reply,
            position,
            () => findProject(deps.db, projectId),
            () => withProjectChanges(before, request.body),
          );
          return toProjectView(after);
        },
      });
    }
  };

export const deleteProjectRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    for (const { url, route } of alsoForOlderClients) {
      app.delete(url, {
        ...route,
        schema: {
          ...route.schema,
          tags,
          summary: 'Delete the project with everything in it',
          description: 'Users, teams, keys and mails: what is personal is erased for good.',
          response: { 200: Success },
        },
        handler: async (request, reply) => {
          const caller = callerOf(request);
          const { position } = await deleteProject(deps, contextOf(request, caller));
          await deps.projects.forget(caller.projectId, position);
          await waitFor(deps, reply, position);
          return { success: true } as const;
        },
      });
    }
  };
