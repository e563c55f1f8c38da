import type { Project } from '@gatebook/js/admin';
import type { AdminClient } from '@gatebook/js/owner-client';
import { type Resource, useResource } from '@gatebook/react';
import { useApp } from '../lib/app.ts';
import { subjectOf, useMoment } from '../lib/moment.ts';
import { useLocation } from '../router/router-view.tsx';
import { useParam } from './parameters.ts';

/** The project of the current route, with admin access, at the moment that the page shows. */
export function useProject(): { admin: AdminClient; project: Resource<Project> } {
  const projectId = useParam('projectId');
  const { value: moment } = useMoment();
  const { hasPast } = subjectOf(useLocation().pathname);
  const asOf = hasPast ? moment : null;
  const admin = useApp().client.admin(projectId, moment === null ? undefined : asOf);
  return { admin, project: useResource(['project', projectId], admin.project.find) };
}
