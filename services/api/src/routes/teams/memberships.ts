import { addTeamMember, removeTeamMember } from '@gatebook/commands/team/team';
import { Success, uuid } from '@gatebook/contract/common';
import { MembershipView } from '@gatebook/contract/teams';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { pathUserId } from '../path-user.ts';
import { actingMember } from './rights.ts';

const tags = ['Teams'];
export const memberParams = z.strictObject({ team_id: uuid, user_id: pathUserId });

export const addTeamMemberRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/team-memberships/:team_id/:user_id', {
      schema: {
        tags,
        summary: 'Add a user to a team',
        description: 'With the permissions that the project has for members.',
        params: memberParams,
        body: z.strictObject({}),
        response: { 201: MembershipView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { team_id: teamId, user_id } = request.params;
        const userId = user_id === 'me' ? ownUser(caller).id : user_id;
        const input = { teamId, userId, project: caller.project.project };
        const { position } = await addTeamMember(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return reply.code(201).send({ team_id: teamId, user_id: userId });
      },
    });
  };

/** Members may leave; to remove others takes a right (protocol, resources §4.1). */
export const removeTeamMemberRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/team-memberships/:team_id/:user_id', {
      schema: {
        tags,
        summary: 'Remove a user from a team',
        description: 'Client access may leave; for others it needs `$remove_members`. A team may be left empty.',
        params: memberParams,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const by = actingMember(caller, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
        const { team_id: teamId, user_id } = request.params;
        const userId = user_id === 'me' ? ownUser(caller).id : user_id;
        const { position } = await removeTeamMember(deps, contextOf(request, caller), { teamId, userId, by });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
