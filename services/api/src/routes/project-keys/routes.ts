import type { Route } from '../../http/define-route.ts';
import { createProjectKeyRoute } from './create-project-key.ts';
import { getProjectKeyRoute, listProjectKeysRoute } from './list-project-keys.ts';
import { updateProjectKeyRoute } from './update-project-key.ts';

export const projectKeyRoutes: readonly Route[] = [
  listProjectKeysRoute,
  createProjectKeyRoute,
  getProjectKeyRoute,
  updateProjectKeyRoute,
];
