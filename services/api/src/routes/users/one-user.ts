import { deleteUser } from '@gatebook/commands/user/delete-user';
import { updateUser } from '@gatebook/commands/user/update-user';
import { Success, uuid } from '@gatebook/contract/common';
import { ServerUserView, UserPatch, UsersQuery } from '@gatebook/contract/users';
import { findUser } from '@gatebook/readmodel/users/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite, waitFor } from '../../http/read-your-writes.ts';
import { checkPasskeySwitch } from './rules.ts';
import { toServerUserView, toUserInput, withChanges } from './wire.ts';

const params = z.strictObject({ user_id: uuid });
const shared = { tags: ['Users'], params, querystring: UsersQuery };

export const getUserRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/users/:user_id', {
      config: { isQueryIgnored: true },
      schema: {
        ...shared,
        summary: 'A user',
        description: 'With everything that servers may know.',
        response: { 200: ServerUserView },
      },
      handler: async (request) =>
        toServerUserView(request, await findUser(deps.db, callerOf(request).projectId, request.params.user_id)),
    });
  };

export const updateUserRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/users/:user_id', {
      config: { isQueryIgnored: true },
      schema: {
        ...shared,
        summary: 'Change a user',
        description:
          'What is left out stays. A password, a hash, or null in their place ends all sessions of the user.',
        body: UserPatch,
        response: { 200: ServerUserView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { projectId, project } = caller;
        const { body } = request;
        const user = await findUser(deps.db, projectId, request.params.user_id);
        checkPasskeySwitch(body);
        const input = { userId: user.id, project: project.project, ...toUserInput(body) };
        const { position } = await updateUser(deps, contextOf(request, caller), input);
        const after = await afterWrite(
          deps,
          reply,
          position,
          () => findUser(deps.db, projectId, user.id),
          () => withChanges(user, body),
        );
        return toServerUserView(request, after);
      },
    });
  };

export const deleteUserRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/users/:user_id', {
      config: { isQueryIgnored: true },
      schema: {
        ...shared,
        summary: 'Delete a user',
        description: 'Ends all sessions, and erases what is personal for good; teams stay.',
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const userId = request.params.user_id;
        const { position } = await deleteUser(deps, contextOf(request, callerOf(request)), { userId });
        await deps.activity.forgetUser(userId);
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
