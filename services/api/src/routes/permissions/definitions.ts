import { definePermission, deletePermission, redefinePermission } from '@gatebook/commands/permission/definitions';
import { Success } from '@gatebook/contract/common';
import {
  NewPermissionDefinition,
  PermissionDefinitionList,
  PermissionDefinitionPatch,
  PermissionDefinitionsQuery,
  PermissionDefinitionView,
  permissionId,
} from '@gatebook/contract/permissions';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import type { PermissionDefinition, PermissionScope } from '@gatebook/domain/permission/definition';
import { compareIds, type Definitions, idsOf, withSystemPermissions } from '@gatebook/domain/permission/effective';
import { findProject } from '@gatebook/readmodel/projects/queries';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute, type Route, type Written } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { cutPermissions } from './held-permissions.ts';

const tags = ['Permissions'];
const params = z.strictObject({ permission_id: permissionId });

export function toDefinitionView(
  { id, description, contained }: PermissionDefinition,
  definitions: Definitions,
): PermissionDefinitionView {
  const view = { id, contained_permission_ids: idsOf(definitions, contained) };
  return description === null ? view : { ...view, description };
}

/** Errors of naming a permission and the permissions that it contains. */
const containedErrors: readonly DomainErrorCode[] = [
  'CONTAINED_PERMISSION_NOT_FOUND',
  'PERMISSION_ID_ALREADY_EXISTS',
  'PERMISSION_CYCLE',
];

const order = {
  team: 'Sorted by ID. Includes the system permissions, whose IDs begin with `$`. `query` is part of an ID or a description.',
  project: 'Sorted by ID. `query` is part of an ID or a description.',
};

const matches = ({ id, description }: PermissionDefinition, query: string) =>
  [id, description ?? ''].some((text) => text.toLowerCase().includes(query.toLowerCase()));

type WrittenDefinition = {
  definition: PermissionDefinition;
  permissions: Definitions;
  position: bigint | null;
};

async function answerDefinition(
  deps: Deps,
  { projectId }: Caller,
  { definition, permissions, position }: WrittenDefinition,
): Promise<Written<PermissionDefinitionView>> {
  await deps.projects.forget(projectId, position);
  const toView = (known: Definitions) =>
    toDefinitionView(known.find(({ key }) => key === definition.key) ?? definition, known);
  return {
    position,
    body: async () => toView((await findProject(deps.db, projectId)).permissions),
    stale: () => toView(permissions),
  };
}

/**
 * Routes of one scope. The two scopes differ in their paths and in what the list contains (protocol, resources §6.2).
 */
function definitionRoutes(scope: PermissionScope, path: string): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path,
      asOf: [],
      access: adminOnly,
      tags,
      summary: `List ${scope} permission definitions`,
      description: order[scope],
      query: PermissionDefinitionsQuery,
      response: { 200: PermissionDefinitionList },
      handle: async ({ request, caller, query }) => {
        const { permissions } = caller.project;
        const page = pageOf(request, query, ['permission']);
        const found = withSystemPermissions(permissions)
          .filter((definition) => definition.scope === scope && matches(definition, query.query ?? ''))
          .toSorted((one, other) => compareIds(one.id, other.id));
        const listed = cutPermissions(found, page, ({ id }) => [id]);
        return toPagedList(query, listed, (definition) => toDefinitionView(definition, permissions));
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      bodySize: 'large',
      access: adminOnly,
      isPreviewable: true,
      errors: [...containedErrors, 'QUOTA_EXCEEDED'],
      tags,
      summary: `Create a ${scope} permission definition`,
      description:
        'IDs are unique across both scopes. A permission can contain other permissions of its scope and grants them too.',
      body: NewPermissionDefinition,
      response: { 201: PermissionDefinitionView },
      handle: async ({ deps, caller, context, body }) => {
        const { id, description = null, contained_permission_ids: contained = [] } = body;
        const input = { scope, id, description, contained };
        return answerDefinition(deps, caller, await definePermission(deps, context, input));
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/:permission_id`,
      bodySize: 'large',
      access: adminOnly,
      isPreviewable: true,
      errors: ['PERMISSION_NOT_FOUND', ...containedErrors],
      tags,
      summary: `Update a ${scope} permission definition`,
      description: 'Omitted fields are unchanged. Grants survive a change of the ID.',
      params,
      body: PermissionDefinitionPatch,
      response: { 200: PermissionDefinitionView },
      handle: async ({ deps, caller, context, params: { permission_id: current }, body }) => {
        const { id, description, contained_permission_ids: contained } = body;
        const input = { scope, id: current, change: { id, description, contained } };
        return answerDefinition(deps, caller, await redefinePermission(deps, context, input));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/:permission_id`,
      access: adminOnly,
      isPreviewable: true,
      errors: ['PERMISSION_NOT_FOUND'],
      tags,
      summary: `Delete a ${scope} permission definition`,
      description: 'Also removes all grants of the permission, and the permissions that users had only through it.',
      params,
      response: { 200: Success },
      handle: async ({ deps, caller, context, params: { permission_id: id } }) => {
        const { position } = await deletePermission(deps, context, { scope, id });
        await deps.projects.forget(caller.projectId, position);
        return answerSuccess(position);
      },
    }),
  ];
}

export const permissionDefinitionRoutes: readonly Route[] = [
  ...definitionRoutes('team', '/team-permission-definitions'),
  ...definitionRoutes('project', '/project-permission-definitions'),
];
