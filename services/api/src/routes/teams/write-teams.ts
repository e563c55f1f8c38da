import { createTeam, deleteTeam, updateTeam } from '@gatebook/commands/team/team';
import { Success } from '@gatebook/contract/common';
import { NewTeam, OwnNewTeam, OwnTeamPatch, TeamPatch, TeamsQuery, TeamView } from '@gatebook/contract/teams';
import { reject } from '@gatebook/domain/errors';
import type { ActiveTeam } from '@gatebook/domain/team/state';
import { findTeam } from '@gatebook/readmodel/teams/queries';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite, waitFor } from '../../http/read-your-writes.ts';
import { quotaFor } from '../../quotas.ts';
import { checkImage } from '../users/rules.ts';
import { teamParams } from './read-teams.ts';
import { actingMember } from './rights.ts';
import { rowOfTeam, toTeamView } from './wire.ts';

const tags = ['Teams'];

function toTeamInput(body: TeamPatch) {
  return {
    displayName: body.display_name,
    profileImageUrl: body.profile_image_url,
    clientMetadata: body.client_metadata,
    clientReadOnlyMetadata: body.client_read_only_metadata,
    serverMetadata: body.server_metadata,
  };
}

async function answerTeam(
  deps: Deps,
  reply: FastifyReply,
  caller: Caller,
  { team, position }: { team: ActiveTeam; position: bigint | null },
) {
  const row = await afterWrite(
    deps,
    reply,
    position,
    () => findTeam(deps.db, caller.projectId, team.teamId),
    () => rowOfTeam(team),
  );
  return toTeamView(caller, row);
}

/** Who creates: the caller for client access; for a server whom it names, or nobody (protocol, resources §3.3). */
function creatorOf(caller: Caller, { creator_user_id: named }: NewTeam, addsCurrentUser: boolean): string | null {
  if (caller.accessType !== 'client') {
    if (addsCurrentUser) return (caller.user ?? reject('TEAM_CREATOR_NOT_SIGNED_IN')).id;
    return named ?? null;
  }
  const own = (caller.user ?? reject('USER_AUTHENTICATION_REQUIRED')).id;
  if (named !== undefined && named !== own) reject('ACTS_ON_ANOTHER_USER');
  return own;
}

export const createTeamRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/teams', {
      config: { replacesMe: true, bodyFor: { client: OwnNewTeam } },
      schema: {
        tags,
        summary: 'Create a team',
        description:
          'Client access becomes the creator, where the project lets users create teams; servers name one, or nobody. The creator gets the permissions that the project has for creators. It is not selected by that.',
        querystring: TeamsQuery,
        body: NewTeam,
        response: { 201: TeamView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { body } = request;
        const { project } = caller.project;
        const addsCurrentUser = request.query.add_current_user ?? false;
        if (body.creator_user_id !== undefined && addsCurrentUser) reject('TEAM_CREATOR_TWICE');
        if (caller.accessType === 'client') {
          if (!caller.user) reject('USER_AUTHENTICATION_REQUIRED');
          if (!project.config.clientTeamCreationEnabled) reject('CLIENT_TEAM_CREATION_IS_OFF');
          checkImage(caller, body.profile_image_url);
        }
        const creatorId = creatorOf(caller, body, addsCurrentUser);
        const limit = quotaFor(caller, 'teamsPerUser');
        const input = { ...toTeamInput(body), displayName: body.display_name, creatorId, project, limit };
        const created = await createTeam(deps, contextOf(request, caller), input);
        return reply.code(201).send(await answerTeam(deps, reply, caller, created));
      },
    });
  };

export const updateTeamRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/teams/:team_id', {
      config: { replacesMe: true, bodyFor: { client: OwnTeamPatch }, isQueryIgnored: true },
      schema: {
        tags,
        summary: 'Change a team',
        description: 'What is left out stays. Client access needs `$update_team`.',
        params: teamParams,
        querystring: TeamsQuery,
        body: TeamPatch,
        response: { 200: TeamView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        checkImage(caller, request.body.profile_image_url);
        const by = actingMember(caller, 'USER_AUTHENTICATION_REQUIRED');
        const input = { teamId: request.params.team_id, by, ...toTeamInput(request.body) };
        return answerTeam(deps, reply, caller, await updateTeam(deps, contextOf(request, caller), input));
      },
    });
  };

export const deleteTeamRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/teams/:team_id', {
      config: { replacesMe: true, isQueryIgnored: true },
      schema: {
        tags,
        summary: 'Delete a team with all that hangs on it',
        description: 'Memberships, permissions, invitations and API keys. Client access needs `$delete_team`.',
        params: teamParams,
        querystring: TeamsQuery,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const by = actingMember(caller, 'USER_AUTHENTICATION_REQUIRED');
        const input = { teamId: request.params.team_id, by };
        const { position } = await deleteTeam(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
