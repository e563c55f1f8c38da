import { deleteProject, restoreProject } from '@gatebook/commands/project/delete-project';
import { Success } from '@gatebook/contract/common';
import { DeletedProjectListView } from '@gatebook/contract/deleted-projects';
import { listDeletedProjects } from '@gatebook/readmodel/projects/queries';
import { adminOnly, clientAndUp, ownerErrors, signedInOwner } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';

const tags = ['Projects'];

export const listDeletedProjectsRoute = defineRoute({
  method: 'GET',
  path: '/internal/deleted-projects',
  access: clientAndUp,
  errors: ownerErrors,
  tags,
  summary: 'List deleted projects',
  description:
    'Called on project `internal`. Projects of the user that can be restored, those first that are erased first.',
  response: { 200: DeletedProjectListView },
  handle: async ({ deps, caller }) => {
    const projects = await listDeletedProjects(deps.db, signedInOwner(caller).id);
    const items = projects.map((project) => ({
      id: project.id,
      display_name: project.displayName,
      created_at_millis: project.createdAt,
      deleted_at_millis: project.deletedAt,
      erased_at_millis: project.deleteAt,
    }));
    return { items, is_paginated: false as const };
  },
});

export const restoreProjectRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects/current/restore',
  access: adminOnly,
  role: 'owner',
  opensDeletedProject: true,
  tags,
  summary: 'Restore the deleted project',
  description:
    'Restores the project within the grace period, with everything in it. Its owners call it, because its keys are rejected. Does nothing to a project that is not deleted.',
  response: { 200: Success },
  handle: async ({ deps, caller, context }) => {
    const { position } = await restoreProject(deps, context);
    await deps.projects.forget(caller.projectId, position);
    return answerSuccess(position);
  },
});

export const eraseProjectRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects/current/erase',
  access: adminOnly,
  role: 'owner',
  opensDeletedProject: true,
  isPreviewable: true,
  errors: ['INTERNAL_PROJECT_NOT_DELETABLE'],
  tags,
  summary: 'Erase the project',
  description: 'Deletes the project without a grace period, or ends the grace period of a deleted project.',
  response: { 200: Success },
  handle: async ({ deps, caller, context }) => {
    const { position } = await deleteProject(deps, context);
    await deps.projects.forget(caller.projectId, position);
    return answerSuccess(position);
  },
});
