import { createProject } from '@gatebook/commands/project/project';
import { NewProject, ProjectListView, ProjectView } from '@gatebook/contract/projects';
import { findProject, listOwnedProjects } from '@gatebook/readmodel/projects/queries';
import { clientAndUp, ownerErrors, signedInOwner } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';
import { projectFieldErrors } from './errors.ts';
import { decidedProject, toProjectInput, toProjectView } from './wire.ts';

const tags = ['Projects'];

/** In the order in which the caller became an owner (protocol, projects §2). */
export const listOwnedProjectsRoute = defineRoute({
  method: 'GET',
  path: '/internal/projects',
  access: clientAndUp,
  errors: ownerErrors,
  tags,
  summary: 'List owned projects',
  description: 'Called on project `internal`. In the order in which the user became an owner.',
  response: { 200: ProjectListView },
  handle: async ({ deps, caller }) => {
    const owner = signedInOwner(caller);
    const projects = await listOwnedProjects(deps.db, owner.id);
    return { items: projects.map(toProjectView), is_paginated: false as const };
  },
});

export const createProjectRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects',
  access: clientAndUp,
  session: 'own',
  errors: [...ownerErrors, ...projectFieldErrors],
  tags,
  summary: 'Create a project',
  description:
    'Called on project `internal`. The signed-in user becomes the owner. Create keys with `/internal/api-keys`.',
  body: NewProject,
  response: { 201: ProjectView },
  handle: async ({ deps, caller, context, body }) => {
    const owner = signedInOwner(caller);
    const { projectId, position } = await createProject(deps, context, {
      ...toProjectInput(body),
      displayName: body.display_name,
      ownerUserId: owner.id,
      limit: quotaFor(caller, 'projectsPerOwner'),
    });
    await deps.projects.forget(projectId, position);
    return {
      position,
      body: async () => toProjectView(await findProject(deps.db, projectId)),
      stale: () => decidedProject(projectId, body, deps.now()),
    };
  },
});
