import type { Route } from '../../http/define-route.ts';
import { permissionDefinitionRoutes } from './definitions.ts';
import { countPermissionHoldersRoute, listPermissionHoldersRoute } from './permission-holders.ts';
import {
  grantProjectPermissionRoute,
  listProjectPermissionsRoute,
  revokeProjectPermissionRoute,
} from './project-permissions.ts';
import { grantTeamPermissionRoute, listTeamPermissionsRoute, revokeTeamPermissionRoute } from './team-permissions.ts';

export const permissionRoutes: readonly Route[] = [
  ...permissionDefinitionRoutes,
  listPermissionHoldersRoute,
  countPermissionHoldersRoute,
  listTeamPermissionsRoute,
  grantTeamPermissionRoute,
  revokeTeamPermissionRoute,
  listProjectPermissionsRoute,
  grantProjectPermissionRoute,
  revokeProjectPermissionRoute,
];
