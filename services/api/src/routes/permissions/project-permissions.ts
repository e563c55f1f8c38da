import { grantProjectPermission, revokeProjectPermission } from '@gatebook/commands/permission/grants';
import { Success } from '@gatebook/contract/common';
import {
  ProjectPermissionList,
  ProjectPermissionsQuery,
  ProjectPermissionView,
  permissionId,
} from '@gatebook/contract/permissions';
import { reject } from '@gatebook/domain/errors';
import { listProjectGrants, projectGrantKeys } from '@gatebook/readmodel/permissions/queries';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, ownUser, ownUserErrors, serverAndUp } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { pathUserId } from '../path-user.ts';
import { cutPermissions, grantsOf, groupByHolder, listHeldPermissionIds } from './held-permissions.ts';

const tags = ['Permissions'];
const params = z.strictObject({ user_id: pathUserId, permission_id: permissionId });

/** (protocol, resources §6.3) Sorted by user and ID. */
export const listProjectPermissionsRoute = defineRoute({
  method: 'GET',
  path: '/project-permissions',
  asOf: [],
  access: clientAndUp,
  replacesMe: true,
  errors: actOnUserErrors,
  tags,
  summary: 'List project permissions',
  description: 'Sorted by user and ID. `recursive` adds contained permissions. Client access must send `user_id=me`.',
  query: ProjectPermissionsQuery,
  response: { 200: ProjectPermissionList },
  handle: async ({ deps, request, caller, query }) => {
    const { user_id, permission_id: permissionId, recursive: isRecursive = false } = query;
    if (caller.accessType === 'client' && ownUser(caller).id !== user_id) reject('OTHER_USER_NOT_ALLOWED');
    const page = pageOf(request, query, [...projectGrantKeys, 'permission']);
    const { rows, next } = await listProjectGrants(deps.db, caller.projectId, user_id ?? null, grantsOf(page));
    const { permissions } = caller.project;
    const entries = groupByHolder(rows, ({ userId }) => userId).flatMap(({ holder, grants }) =>
      listHeldPermissionIds(permissions, grants, { permissionId, isRecursive }).map((id) => {
        return { id, user_id: holder.userId };
      }),
    );
    const keyOf = ({ user_id, id }: (typeof entries)[number]) => [user_id, id];
    return toPagedList(query, cutPermissions(entries, page, keyOf, next), (entry) => entry);
  },
});

export const grantProjectPermissionRoute = defineRoute({
  method: 'POST',
  path: '/project-permissions/:user_id/:permission_id',
  access: serverAndUp,
  role: 'developer',
  isPreviewable: true,
  errors: [...ownUserErrors, 'USER_NOT_FOUND', 'PERMISSION_NOT_FOUND', 'WRONG_PERMISSION_SCOPE'],
  tags,
  summary: 'Grant a project permission',
  description: 'Granting a permission again has no effect.',
  params,
  body: z.strictObject({}),
  response: { 201: ProjectPermissionView },
  handle: async ({ deps, caller, context, params }) => {
    const { user_id, permission_id: permissionId } = params;
    const userId = user_id === 'me' ? ownUser(caller).id : user_id;
    const input = { userId, permissionId };
    const { position } = await grantProjectPermission(deps, context, input);
    return { position, body: { id: permissionId, user_id: userId } };
  },
});

export const revokeProjectPermissionRoute = defineRoute({
  method: 'DELETE',
  path: '/project-permissions/:user_id/:permission_id',
  access: serverAndUp,
  role: 'developer',
  isPreviewable: true,
  errors: [...ownUserErrors, 'USER_NOT_FOUND', 'PERMISSION_NOT_FOUND'],
  tags,
  summary: 'Revoke a project permission',
  description: 'The user keeps permissions that another permission contains.',
  params,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) => {
    const { user_id, permission_id: permissionId } = params;
    const userId = user_id === 'me' ? ownUser(caller).id : user_id;
    const input = { userId, permissionId };
    const { position } = await revokeProjectPermission(deps, context, input);
    return answerSuccess(position);
  },
});
