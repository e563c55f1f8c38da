import { transferProject } from '@gatebook/commands/project/ownership';
import { createProject } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import { NewProject, ProjectListView, ProjectTransfer, ProjectView } from '@gatebook/contract/projects';
import { findProject, listOwnedProjects } from '@gatebook/readmodel/projects/queries';
import { clientAndUp, ownerErrors, signedInOwner } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';
import { projectFieldErrors } from './errors.ts';
import { decidedProject, toProjectInput, toProjectView } from './wire.ts';

const tags = ['Projects'];

/** In the order in which the caller became a member (protocol, projects §2). */
export const listOwnedProjectsRoute = defineRoute({
  method: 'GET',
  path: '/internal/projects',
  access: clientAndUp,
  errors: ownerErrors,
  tags,
  summary: 'List owned projects',
  description: 'Called on project `internal`. Projects in which the user has a role, oldest membership first.',
  response: { 200: ProjectListView },
  handle: async ({ deps, request, caller }) => {
    const owner = signedInOwner(caller);
    const projects = await listOwnedProjects(deps.db, owner.id);
    return {
      // Secrets would outlive the session of an impersonator.
      items: projects.map(({ role, ...project }) =>
        toProjectView(request, project, caller.token?.impersonator ? 'read_only' : role),
      ),
      is_paginated: false as const,
    };
  },
});

export const createProjectRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects',
  bodySize: 'large',
  access: clientAndUp,
  session: 'own',
  errors: [...ownerErrors, 'TEAM_MEMBERSHIP_NOT_FOUND', ...projectFieldErrors],
  tags,
  summary: 'Create a project',
  description:
    'Called on project `internal`. The signed-in user, or the team of `owner_team_id`, becomes the owner. Create keys with `/internal/api-keys`.',
  body: NewProject,
  response: { 201: ProjectView },
  handle: async ({ deps, request, caller, context, body }) => {
    const owner = signedInOwner(caller);
    const { projectId, position } = await createProject(deps, context, {
      ...toProjectInput(body),
      displayName: body.display_name,
      ownerUserId: owner.id,
      ownerTeamId: body.owner_team_id,
      limit: quotaFor(caller, 'projectsPerOwner'),
    });
    await deps.projects.forget(projectId, position);
    return {
      position,
      body: async () => toProjectView(request, await findProject(deps.db, projectId)),
      stale: () => decidedProject(request, projectId, body, deps.now()),
    };
  },
});

export const transferProjectRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects/transfer',
  access: clientAndUp,
  session: 'own',
  isPreviewable: 'by clients too',
  errors: [
    ...ownerErrors,
    'PROJECT_NOT_FOUND',
    'TEAM_MEMBERSHIP_NOT_FOUND',
    'TEAM_PERMISSION_REQUIRED',
    'INTERNAL_PROJECT_NOT_TRANSFERABLE',
  ],
  tags,
  summary: 'Transfer a project to a team',
  description: 'Called on project `internal`. The team becomes the only owner; the signed-in user is a member of it.',
  body: ProjectTransfer,
  response: { 200: Success },
  handle: async ({ deps, caller, context, body }) => {
    const { id: userId } = signedInOwner(caller);
    const { project_id: projectId, new_team_id: teamId } = body;
    const { position } = await transferProject(deps, context, { projectId, teamId, userId });
    return answerSuccess(position);
  },
});
