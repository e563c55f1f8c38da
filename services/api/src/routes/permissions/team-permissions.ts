import { grantTeamPermission, revokeTeamPermission } from '@gatebook/commands/permission/grants';
import { Success, uuid } from '@gatebook/contract/common';
import {
  permissionId,
  TeamPermissionList,
  TeamPermissionsQuery,
  TeamPermissionView,
} from '@gatebook/contract/permissions';
import { reject } from '@gatebook/domain/errors';
import { listTeamGrants, teamGrantKeys } from '@gatebook/readmodel/permissions/queries';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, ownUser, ownUserErrors, serverAndUp } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { pathUserId } from '../path-user.ts';
import { cutPermissions, grantsOf, groupByHolder, listHeldPermissionIds } from './held-permissions.ts';

const tags = ['Permissions'];
const params = z.strictObject({ team_id: uuid, user_id: pathUserId, permission_id: permissionId });

/** (protocol, resources §6.3) Sorted by team, user and ID. */
export const listTeamPermissionsRoute = defineRoute({
  method: 'GET',
  path: '/team-permissions',
  asOf: [],
  access: clientAndUp,
  replacesMe: true,
  errors: actOnUserErrors,
  tags,
  summary: 'List team permissions',
  description:
    'Sorted by team, user and ID. `recursive` adds contained permissions. Client access must send `user_id=me`.',
  query: TeamPermissionsQuery,
  response: { 200: TeamPermissionList },
  handle: async ({ deps, request, caller, query }) => {
    const { team_id, user_id, permission_id: permissionId, recursive: isRecursive = false } = query;
    if (caller.accessType === 'client' && ownUser(caller).id !== user_id) reject('OTHER_USER_NOT_ALLOWED');
    const filter = { teamId: team_id ?? null, userId: user_id ?? null };
    const page = pageOf(request, query, [...teamGrantKeys, 'permission']);
    const { rows, next } = await listTeamGrants(deps.db, caller.projectId, filter, grantsOf(page));
    const { permissions } = caller.project;
    const entries = groupByHolder(rows, ({ teamId, userId }) => `${teamId}.${userId}`).flatMap(({ holder, grants }) =>
      listHeldPermissionIds(permissions, grants, { permissionId, isRecursive }).map((id) => {
        return { id, user_id: holder.userId, team_id: holder.teamId };
      }),
    );
    const keyOf = ({ team_id, user_id, id }: (typeof entries)[number]) => [team_id, user_id, id];
    return toPagedList(query, cutPermissions(entries, page, keyOf, next), (entry) => entry);
  },
});

export const grantTeamPermissionRoute = defineRoute({
  method: 'POST',
  path: '/team-permissions/:team_id/:user_id/:permission_id',
  access: serverAndUp,
  role: 'developer',
  isPreviewable: true,
  errors: [
    ...ownUserErrors,
    'USER_NOT_FOUND',
    'TEAM_MEMBERSHIP_NOT_FOUND',
    'PERMISSION_NOT_FOUND',
    'WRONG_PERMISSION_SCOPE',
  ],
  tags,
  summary: 'Grant a team permission',
  description: 'Granting a permission again has no effect.',
  params,
  body: z.strictObject({}),
  response: { 201: TeamPermissionView },
  handle: async ({ deps, caller, context, params }) => {
    const { team_id: teamId, user_id, permission_id: permissionId } = params;
    const userId = user_id === 'me' ? ownUser(caller).id : user_id;
    const input = { teamId, userId, permissionId };
    const { position } = await grantTeamPermission(deps, context, input);
    return { position, body: { id: permissionId, user_id: userId, team_id: teamId } };
  },
});

export const revokeTeamPermissionRoute = defineRoute({
  method: 'DELETE',
  path: '/team-permissions/:team_id/:user_id/:permission_id',
  access: serverAndUp,
  role: 'developer',
  isPreviewable: true,
  errors: [...ownUserErrors, 'USER_NOT_FOUND', 'TEAM_MEMBERSHIP_NOT_FOUND', 'TEAM_PERMISSION_NOT_FOUND'],
  tags,
  summary: 'Revoke a team permission',
  description: 'The user keeps permissions that another permission contains.',
  params,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) => {
    const { team_id: teamId, user_id, permission_id: permissionId } = params;
    const userId = user_id === 'me' ? ownUser(caller).id : user_id;
    const input = { teamId, userId, permissionId };
    const { position } = await revokeTeamPermission(deps, context, input);
    return answerSuccess(position);
  },
});
