import { deleteUser } from '@gatebook/commands/user/delete-user';
import { updateUser } from '@gatebook/commands/user/update-user';
import { Success } from '@gatebook/contract/common';
import { ClientUserView, OwnUserPatch, ServerUserView, UserPatch, UsersQuery } from '@gatebook/contract/users';
import { reject } from '@gatebook/domain/errors';
import { findOwnUser, findUser, type OwnUserRow, type UserRow } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, ownUser } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite, waitFor } from '../../http/read-your-writes.ts';
import { checkImage, checkPasskeySwitch } from './rules.ts';
import { toClientUserView, toServerUserView, toUserInput, withChanges } from './wire.ts';

/** The caller's access type alone decides what is seen; the larger view comes first, as the smaller one fits both. */
const OwnUserView = z.union([ServerUserView, ClientUserView]);
const toView = (request: FastifyRequest, user: OwnUserRow | UserRow) =>
  'serverMetadata' in user ? toServerUserView(request, user) : toClientUserView(user);

/** A client gets along with the row that authenticating the request has read; servers see more and pay another read. */
async function rowFor(
  { db }: Deps,
  { accessType, projectId }: Caller,
  user: OwnUserRow,
): Promise<OwnUserRow | UserRow> {
  return accessType === 'client' ? user : findUser(db, projectId, user.id);
}
const tags = ['Users'];

export const getOwnUserRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/users/me', {
      config: { isQueryIgnored: true },
      schema: {
        tags,
        summary: 'The signed-in user',
        description: 'Servers see more of them than client access does.',
        querystring: UsersQuery,
        response: { 200: OwnUserView },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        return toView(request, await rowFor(deps, caller, ownUser(caller)));
      },
    });
  };

export const updateOwnUserRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/users/me', {
      config: { bodyFor: { client: OwnUserPatch }, isQueryIgnored: true },
      schema: {
        tags,
        summary: 'Change the signed-in user',
        description: 'What is left out stays. A base64 secret switches the second factor on, null switches it off.',
        querystring: UsersQuery,
        body: UserPatch,
        response: { 200: OwnUserView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { body } = request;
        checkImage(caller, body.profile_image_url);
        const user = ownUser(caller);
        checkPasskeySwitch(body);
        const { project } = caller;
        const before = await rowFor(deps, caller, user);
        const input = { userId: user.id, project: project.project, ...toUserInput(body) };
        const { position } = await updateUser(deps, contextOf(request, caller), input);
        const after = await afterWrite(
          deps,
          reply,
          position,
          () => (caller.accessType === 'client' ? findOwnUser : findUser)(deps.db, caller.projectId, user.id),
          () => withChanges(before, body),
        );
        return toView(request, after);
      },
    });
  };

export const deleteOwnUserRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/users/me', {
      config: { isQueryIgnored: true },
      schema: {
        tags,
        summary: 'Delete the signed-in user',
        description:
          'Ends all sessions, and erases what is personal for good. Client access may where the project lets users delete themselves.',
        querystring: UsersQuery,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { clientUserDeletionEnabled } = caller.project.project.config;
        if (caller.accessType === 'client' && !clientUserDeletionEnabled) reject('CLIENT_USER_DELETION_IS_OFF');
        const user = ownUser(caller);
        const { position } = await deleteUser(deps, contextOf(request, caller), { userId: user.id });
        await deps.activity.forgetUser(user.id);
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
