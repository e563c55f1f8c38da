import { ClientProjectView, ProjectView } from '@gatebook/contract/projects';
import { findProject } from '@gatebook/readmodel/projects/queries';
import { z } from 'zod';
import { clientAndUp } from '../../access.ts';
import { isOlderClient } from '../../http/client-version.ts';
import { defineRoute } from '../../http/define-route.ts';
import { omittedOfProjects, toClientProjectView, toProjectView } from './wire.ts';

/** Responds from the cached project of the caller. Older libraries read the whole project here. */
export const currentProjectRoute = defineRoute({
  method: 'GET',
  path: '/projects/current',
  asOf: omittedOfProjects,
  access: clientAndUp,
  tags: ['Projects'],
  summary: 'Get the current project',
  description: 'Returns the part of the configuration that clients need.',
  response: { 200: z.union([ProjectView, ClientProjectView]) },
  handle: async ({ deps, request, caller }) => {
    const { accessType, project, projectId } = caller;
    if (accessType !== 'admin' || !isOlderClient(request)) return toClientProjectView(request, project);
    return toProjectView(request, await findProject(deps.db, projectId));
  },
});
