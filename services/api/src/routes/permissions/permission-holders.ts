import {
  PermissionHolderCounts,
  PermissionHolderCountsQuery,
  PermissionHolderList,
  PermissionHoldersQuery,
  permissionId,
} from '@gatebook/contract/permissions';
import { reject } from '@gatebook/domain/errors';
import {
  expandPermissions,
  findDefinition,
  idsOf,
  keysContaining,
  withSystemPermissions,
} from '@gatebook/domain/permission/effective';
import {
  countHolders,
  findHolders,
  holderKeys,
  listHolders,
  mostCounted,
} from '@gatebook/readmodel/permissions/holders';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';

const usualPage = 50;

export const listPermissionHoldersRoute = defineRoute({
  method: 'GET',
  path: '/internal/permissions/:permission_id/holders',
  asOf: [],
  access: adminOnly,
  errors: ['PERMISSION_NOT_FOUND'],
  tags: ['Permissions'],
  summary: 'List who has a permission',
  description:
    'Users with the permission, or with one that contains it, sorted by team and user. Members of several teams occur once per team.',
  params: z.strictObject({ permission_id: permissionId }),
  query: PermissionHoldersQuery,
  response: { 200: PermissionHolderList },
  handle: async ({ deps, request, caller, params, query: given }) => {
    const { scope } = given;
    const { permissions } = caller.project;
    const { permission_id: id } = params;
    const definition = findDefinition(permissions, scope, id) ?? reject('PERMISSION_NOT_FOUND', { permission_id: id });
    const keys = keysContaining(permissions, definition.key);
    const query = { ...given, limit: given.limit ?? usualPage };
    const sought = [{ having: keys, lacking: [] }];
    const [listed, [found]] = await Promise.all([
      listHolders(deps.db, caller.projectId, { scope, keys }, pageOf(request, query, holderKeys(scope))),
      findHolders(deps.db, caller.projectId, { scope, sought, limit: 0 }),
    ]);
    const list = toPagedList(query, listed, (row) => ({
      user_id: row.userId,
      user_display_name: row.userName,
      team_id: row.teamId,
      team_display_name: row.teamName,
      granted_permission_ids: idsOf(permissions, row.keys),
    }));
    return { ...list, count: found?.count ?? 0 };
  },
});

export const countPermissionHoldersRoute = defineRoute({
  method: 'GET',
  path: '/internal/permissions/holder-counts',
  asOf: [],
  access: adminOnly,
  tags: ['Permissions'],
  summary: 'Count the holders of each permission',
  description:
    'For each permission of the scope, the users with it or with one that contains it, up to 1,000. Members of several teams count once per team.',
  query: PermissionHolderCountsQuery,
  response: { 200: PermissionHolderCounts },
  handle: async ({ deps, caller, query: { scope } }) => {
    const { permissions } = caller.project;
    const known = scope === 'team' ? withSystemPermissions(permissions) : permissions;
    const definitions = known.filter((one) => one.scope === scope);
    const containing = new Map(definitions.map(({ key }): [string, string[]] => [key, []]));
    for (const { key } of definitions) {
      for (const contained of expandPermissions(permissions, [key])) containing.get(contained)?.push(key);
    }
    const counts = await countHolders(deps.db, caller.projectId, { scope, sought: [...containing.values()] });
    return {
      items: definitions.map(({ id }, nth) => {
        const count = counts[nth] ?? 0;
        return { permission_id: id, count: Math.min(count, mostCounted), is_complete: count <= mostCounted };
      }),
    };
  },
});
