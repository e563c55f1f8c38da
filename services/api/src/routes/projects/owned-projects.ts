import { createProject } from '@gatebook/commands/project/project';
import { NewProject, ProjectListView, ProjectView } from '@gatebook/contract/projects';
import { findProject, listOwnedProjects } from '@gatebook/readmodel/projects/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, signedInOwner } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite } from '../../http/read-your-writes.ts';
import { quotaFor } from '../../quotas.ts';
import { decidedProject, toProjectInput, toProjectView } from './wire.ts';

const tags = ['Projects'];

/** In the order in which the caller became owner (projects.md §2). */
export const listOwnedProjectsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/projects', {
      schema: {
        tags,
        summary: 'List the projects that the signed-in user owns',
        description: 'Through project `internal`, in the order of becoming owner.',
        response: { 200: ProjectListView },
      },
      handler: async (request) => {
        const owner = signedInOwner(callerOf(request));
        const projects = await listOwnedProjects(deps.db, owner.id);
        return { items: projects.map(toProjectView), is_paginated: false as const };
      },
    });
  };

export const createProjectRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/projects', {
      schema: {
        tags,
        summary: 'Create a project',
        description:
          'Through project `internal`; the signed-in user becomes its owner. Keys come with `/internal/api-keys`.',
        body: NewProject,
        response: { 201: ProjectView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const owner = signedInOwner(caller);
        const { body } = request;
        const { projectId, position } = await createProject(deps, contextOf(request, caller), {
          ...toProjectInput(body),
          displayName: body.display_name,
          ownerUserId: owner.id,
          limit: quotaFor(caller, 'projectsPerOwner'),
        });
        await deps.projects.forget(projectId, position);
        const view = await afterWrite(
          deps,
          reply,
          position,
          async () => toProjectView(await findProject(deps.db, projectId)),
          () => decidedProject(projectId, body, deps.now()),
        );
        return reply.code(201).send(view);
      },
    });
  };
