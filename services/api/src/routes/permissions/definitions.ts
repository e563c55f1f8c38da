import { definePermission, deletePermission, redefinePermission } from '@gatebook/commands/permission/definitions';
import { Success } from '@gatebook/contract/common';
import {
  NewPermissionDefinition,
  PermissionDefinitionList,
  PermissionDefinitionPatch,
  PermissionDefinitionView,
  permissionId,
} from '@gatebook/contract/permissions';
import type { PermissionDefinition, PermissionScope } from '@gatebook/domain/permission/definition';
import { allOf, byUpperCase, type Definitions, idsOf } from '@gatebook/domain/permission/effective';
import { findProject } from '@gatebook/readmodel/projects/queries';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite, waitFor } from '../../http/read-your-writes.ts';

const tags = ['Permissions'];
const params = z.strictObject({ permission_id: permissionId });

function toDefinitionView(
  { id, description, contained }: PermissionDefinition,
  definitions: Definitions,
): PermissionDefinitionView {
  const view = { id, contained_permission_ids: idsOf(definitions, contained) };
  return description === null ? view : { ...view, description };
}

const listed = {
  team: 'Those that every project has, whose ids begin with `$`, and the project’s own.',
  project: 'The project’s own.',
};

/** Calls of one scope: the two differ in their path and in what stands in the list (protocol, resources §6.2). */
function definitionRoutes(scope: PermissionScope, path: string) {
  const what = `of ${scope} scope`;

  async function answerDefinition(
    deps: Deps,
    reply: FastifyReply,
    { projectId }: Caller,
    written: { definition: PermissionDefinition; permissions: Definitions; position: bigint | null },
  ): Promise<PermissionDefinitionView> {
    const { definition, permissions, position } = written;
    await deps.projects.forget(projectId, position);
    const known = await afterWrite(
      deps,
      reply,
      position,
      async () => (await findProject(deps.db, projectId)).permissions,
      () => permissions,
    );
    return toDefinitionView(known.find(({ key }) => key === definition.key) ?? definition, known);
  }

  const list =
    (_deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.get(path, {
        schema: {
          tags,
          summary: `Permissions ${what}, by id`,
          description: listed[scope],
          response: { 200: PermissionDefinitionList },
        },
        handler: async (request) => {
          const { permissions } = callerOf(request).project.project;
          const ofScope = allOf(permissions).filter((definition) => definition.scope === scope);
          const sorted = ofScope.toSorted((one, other) => byUpperCase(one.id, other.id));
          const items = sorted.map((definition) => toDefinitionView(definition, permissions));
          return { items, is_paginated: false as const };
        },
      });
    };

  const create =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.post(path, {
        schema: {
          tags,
          summary: `Define a permission ${what}`,
          description:
            'Ids are unique over both scopes. A permission may contain others of its scope: who has it has those.',
          body: NewPermissionDefinition,
          response: { 201: PermissionDefinitionView },
        },
        handler: async (request, reply) => {
          const caller = callerOf(request);
          const { id, description = null, contained_permission_ids: contained = [] } = request.body;
          const input = { scope, id, description, contained };
          const written = await definePermission(deps, contextOf(request, caller), input);
          return reply.code(201).send(await answerDefinition(deps, reply, caller, written));
        },
      });
    };

  const update =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.patch(`${path}/:permission_id`, {
        schema: {
          tags,
          summary: `Change a permission ${what}`,
          description: 'What is left out stays. A new id keeps all grants.',
          params,
          body: PermissionDefinitionPatch,
          response: { 200: PermissionDefinitionView },
        },
        handler: async (request, reply) => {
          const caller = callerOf(request);
          const { id, description, contained_permission_ids: contained } = request.body;
          const input = { scope, id: request.params.permission_id, change: { id, description, contained } };
          const written = await redefinePermission(deps, contextOf(request, caller), input);
          return answerDefinition(deps, reply, caller, written);
        },
      });
    };

  const remove =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.delete(`${path}/:permission_id`, {
        schema: {
          tags,
          summary: `Delete a permission ${what}`,
          description: 'Nobody has it any more, nor what they had through it alone.',
          params,
          response: { 200: Success },
        },
        handler: async (request, reply) => {
          const caller = callerOf(request);
          const input = { scope, id: request.params.permission_id };
          const { position } = await deletePermission(deps, contextOf(request, caller), input);
          await deps.projects.forget(caller.projectId, position);
          await waitFor(deps, reply, position);
          return { success: true } as const;
        },
      });
    };

  return [list, create, update, remove];
}

export const permissionDefinitionRoutes = [
  ...definitionRoutes('team', '/team-permission-definitions'),
  ...definitionRoutes('project', '/project-permission-definitions'),
];
