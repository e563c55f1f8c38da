import { grantProjectPermission, revokeProjectPermission } from '@gatebook/commands/permission/grants';
import { Success } from '@gatebook/contract/common';
import {
  ProjectPermissionList,
  ProjectPermissionsQuery,
  ProjectPermissionView,
  permissionId,
} from '@gatebook/contract/permissions';
import { reject } from '@gatebook/domain/errors';
import { listProjectGrants } from '@gatebook/readmodel/permissions/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { pathUserId } from '../path-user.ts';
import { byHolder, heldPermissionIds } from './held.ts';

const tags = ['Permissions'];
const params = z.strictObject({ user_id: pathUserId, permission_id: permissionId });

/** Protocol, resources §6.3: sorted by user and id. */
export const listProjectPermissionsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/project-permissions', {
      config: { replacesMe: true },
      schema: {
        tags,
        summary: 'Who may do what in the project',
        description:
          'By user and id. `recursive` adds what permissions contain. Client access sees its own, `user_id=me`.',
        querystring: ProjectPermissionsQuery,
        response: { 200: ProjectPermissionList },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { user_id, permission_id: permissionId, recursive: isRecursive = false } = request.query;
        if (caller.accessType === 'client' && ownUser(caller).id !== user_id) reject('ACTS_ON_ANOTHER_USER');
        const rows = await listProjectGrants(deps.db, caller.projectId, user_id ?? null);
        const { permissions } = caller.project.project;
        const items = byHolder(rows, ({ userId }) => userId).flatMap(({ holder, grants }) =>
          heldPermissionIds(permissions, grants, { permissionId, isRecursive }).map((id) => {
            return { id, user_id: holder.userId };
          }),
        );
        return { items, is_paginated: false as const };
      },
    });
  };

export const grantProjectPermissionRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/project-permissions/:user_id/:permission_id', {
      schema: {
        tags,
        summary: 'Grant a permission in the project',
        description: 'Granting what is granted changes nothing.',
        params,
        body: z.strictObject({}),
        response: { 201: ProjectPermissionView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { user_id, permission_id: permissionId } = request.params;
        const userId = user_id === 'me' ? ownUser(caller).id : user_id;
        const input = { userId, permissionId };
        const { position } = await grantProjectPermission(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return reply.code(201).send({ id: permissionId, user_id: userId });
      },
    });
  };

export const revokeProjectPermissionRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/project-permissions/:user_id/:permission_id', {
      schema: {
        tags,
        summary: 'Take a permission in the project back',
        description: 'What the user has through another permission stays.',
        params,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { user_id, permission_id: permissionId } = request.params;
        const userId = user_id === 'me' ? ownUser(caller).id : user_id;
        const input = { userId, permissionId };
        const { position } = await revokeProjectPermission(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
