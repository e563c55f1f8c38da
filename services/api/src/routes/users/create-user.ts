import { createUser } from '@gatebook/commands/user/create-user';
import { NewUser, ServerUserView, UsersQuery } from '@gatebook/contract/users';
import { findUser } from '@gatebook/readmodel/users/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite } from '../../http/read-your-writes.ts';
import { decidedUser, toServerUserView, toUserInput } from './wire.ts';

export const createUserRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/users', {
      config: { isQueryIgnored: true },
      schema: {
        tags: ['Users'],
        summary: 'Create a user',
        description:
          'No mail is sent. The address is neither verified nor used for sign-in unless the body says so. Either a password or a bcrypt hash of one.',
        querystring: UsersQuery,
        body: NewUser,
        response: { 201: ServerUserView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { body } = request;
        const { userId, position } = await createUser(deps, contextOf(request, caller), {
          ...toUserInput(body),
          isAnonymous: body.is_anonymous,
          oauthAccounts: body.oauth_providers?.map(({ id, account_id, email }) => {
            return { provider: id, accountId: account_id, email: email ?? null };
          }),
          project: caller.project.project,
        });
        const user = await afterWrite(
          deps,
          reply,
          position,
          () => findUser(deps.db, caller.projectId, userId),
          () => decidedUser(caller.projectId, userId, body, deps.now()),
        );
        // As they were before the project gave them a team of their own (protocol, resources §1.4).
        return reply.code(201).send(toServerUserView(request, { ...user, selectedTeam: null }));
      },
    });
  };
