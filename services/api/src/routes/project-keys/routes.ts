import type { Route } from '../../http/define-route.ts';
import { createProjectKeyRoute, rotateProjectKeyRoute } from './create-project-key.ts';
import { firstRequestRoute } from './first-request.ts';
import { getProjectKeyRoute, listProjectKeysRoute } from './list-project-keys.ts';
import { updateProjectKeyRoute } from './update-project-key.ts';

export const projectKeyRoutes: readonly Route[] = [
  listProjectKeysRoute,
  createProjectKeyRoute,
  rotateProjectKeyRoute,
  getProjectKeyRoute,
  updateProjectKeyRoute,
  firstRequestRoute,
];
