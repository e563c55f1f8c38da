import { deleteProject } from '@gatebook/commands/project/delete-project';
import { updateProject } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import { ProjectPatch, ProjectView } from '@gatebook/contract/projects';
import { findProject } from '@gatebook/readmodel/projects/queries';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { projectFieldErrors } from './errors.ts';
import { omittedOfProjects, toProjectInput, toProjectView, withProjectChanges } from './wire.ts';

const tags = ['Projects'];

export const getProjectRoute = defineRoute({
  method: 'GET',
  path: '/internal/projects/current',
  asOf: omittedOfProjects,
  access: adminOnly,
  tags,
  summary: 'Get the project with its configuration',
  description: 'Includes domains, sign-in methods, mail server and default permissions.',
  response: { 200: ProjectView },
  handle: async ({ deps, request, caller }) => toProjectView(request, await findProject(deps.db, caller.projectId)),
});

/**
 * Production mode is taken as sent; clients check `productionModeFaults` before they switch it on (protocol, projects
 * §5).
 */
const updateRoute = (place: { path: string; isForOlderClients?: boolean }) =>
  defineRoute({
    ...place,
    method: 'PATCH',
    bodySize: 'large',
    access: adminOnly,
    isPreviewable: true,
    errors: projectFieldErrors,
    tags,
    summary: 'Update the project',
    description: 'Omitted fields are unchanged.',
    body: ProjectPatch,
    response: { 200: ProjectView },
    handle: async ({ deps, request, caller: { projectId }, context, body }) => {
      const before = await findProject(deps.db, projectId);
      const { position } = await updateProject(deps, context, toProjectInput(body));
      await deps.projects.forget(projectId, position);
      return {
        position,
        body: async () => toProjectView(request, await findProject(deps.db, projectId)),
        stale: () => toProjectView(request, withProjectChanges(before, body)),
      };
    },
  });

const deleteRoute = (place: { path: string; isForOlderClients?: boolean }) =>
  defineRoute({
    ...place,
    method: 'DELETE',
    access: adminOnly,
    role: 'owner',
    isPreviewable: true,
    errors: ['INTERNAL_PROJECT_NOT_DELETABLE'],
    tags,
    summary: 'Delete the project',
    description:
      'Deletes its users, teams, keys and emails, and erases all personal data permanently; with the setting `project_deletion_grace_days`, only after these days, until which owners can restore it.',
    response: { 200: Success },
    handle: async ({ deps, caller, context }) => {
      const { projectDeletionGraceDays: graceDays } = caller.project.settings;
      const { position } = await deleteProject(deps, context, { graceDays });
      await deps.projects.forget(caller.projectId, position);
      return answerSuccess(position);
    },
  });

export const updateProjectRoute = updateRoute({ path: '/internal/projects/current' });
export const deleteProjectRoute = deleteRoute({ path: '/internal/projects/current' });
/** The first 2.8 libraries administer a project at the path where others only read it. */
export const oldUpdateProjectRoute = updateRoute({ path: '/projects/current', isForOlderClients: true });
export const oldDeleteProjectRoute = deleteRoute({ path: '/projects/current', isForOlderClients: true });
