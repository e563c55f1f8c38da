import type { AdminClient, Project } from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { useApp } from '../lib/app.ts';
import { useMoment } from '../lib/moment.ts';
import { useParam } from './parameters.ts';

/** The project of the current route, with admin access, at the moment that pages show. */
export function useProject(): { admin: AdminClient; project: Resource<Project> } {
  const projectId = useParam('projectId');
  const moment = useMoment().value ?? undefined;
  const admin = useApp().client.admin(projectId, moment);
  return { admin, project: useResource(['project', projectId], admin.project.find) };
}
