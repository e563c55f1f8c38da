import { grantTeamPermission, revokeTeamPermission } from '@gatebook/commands/permission/grants';
import { Success, uuid } from '@gatebook/contract/common';
import {
  permissionId,
  TeamPermissionList,
  TeamPermissionsQuery,
  TeamPermissionView,
} from '@gatebook/contract/permissions';
import { reject } from '@gatebook/domain/errors';
import { listTeamGrants } from '@gatebook/readmodel/permissions/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { pathUserId } from '../path-user.ts';
import { byHolder, heldPermissionIds } from './held.ts';

const tags = ['Permissions'];
const params = z.strictObject({ team_id: uuid, user_id: pathUserId, permission_id: permissionId });

/** Protocol, resources §6.3: sorted by team, user and id. */
export const listTeamPermissionsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/team-permissions', {
      config: { replacesMe: true },
      schema: {
        tags,
        summary: 'Who may do what in teams',
        description:
          'By team, user and id. `recursive` adds what permissions contain. Client access sees its own, `user_id=me`.',
        querystring: TeamPermissionsQuery,
        response: { 200: TeamPermissionList },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { team_id, user_id, permission_id: permissionId, recursive: isRecursive = false } = request.query;
        if (caller.accessType === 'client' && ownUser(caller).id !== user_id) reject('ACTS_ON_ANOTHER_USER');
        const filter = { teamId: team_id ?? null, userId: user_id ?? null };
        const rows = await listTeamGrants(deps.db, caller.projectId, filter);
        const { permissions } = caller.project.project;
        const items = byHolder(rows, ({ teamId, userId }) => `${teamId}.${userId}`).flatMap(({ holder, grants }) =>
          heldPermissionIds(permissions, grants, { permissionId, isRecursive }).map((id) => {
            return { id, user_id: holder.userId, team_id: holder.teamId };
          }),
        );
        return { items, is_paginated: false as const };
      },
    });
  };

export const grantTeamPermissionRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/team-permissions/:team_id/:user_id/:permission_id', {
      schema: {
        tags,
        summary: 'Grant a permission in a team',
        description: 'Granting what is granted changes nothing.',
        params,
        body: z.strictObject({}),
        response: { 201: TeamPermissionView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { team_id: teamId, user_id, permission_id: permissionId } = request.params;
        const userId = user_id === 'me' ? ownUser(caller).id : user_id;
        const input = { teamId, userId, permissionId };
        const { position } = await grantTeamPermission(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return reply.code(201).send({ id: permissionId, user_id: userId, team_id: teamId });
      },
    });
  };

export const revokeTeamPermissionRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/team-permissions/:team_id/:user_id/:permission_id', {
      schema: {
        tags,
        summary: 'Take a permission in a team back',
        description: 'What the user has through another permission stays.',
        params,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { team_id: teamId, user_id, permission_id: permissionId } = request.params;
        const userId = user_id === 'me' ? ownUser(caller).id : user_id;
        const input = { teamId, userId, permissionId };
        const { position } = await revokeTeamPermission(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
