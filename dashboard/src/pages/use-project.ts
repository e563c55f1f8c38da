import type { AdminClient, Project } from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { useApp } from '../lib/app.ts';
import { useParam } from './parameters.ts';

/** The project of the current route, with admin access. */
export function useProject(): { admin: AdminClient; project: Resource<Project> } {
  const projectId = useParam('projectId');
  const admin = useApp().client.admin(projectId);
  return { admin, project: useResource(['project', projectId], admin.project.find) };
}
