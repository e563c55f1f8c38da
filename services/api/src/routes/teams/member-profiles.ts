import { changeTeamProfile } from '@gatebook/commands/team/team';
import { ProfilePatch, ProfilesQuery } from '@gatebook/contract/teams';
import { ProfileList, ProfileView } from '@gatebook/contract/users';
import { reject } from '@gatebook/domain/errors';
import { findTeam, listProfiles, type ProfileRow } from '@gatebook/readmodel/teams/queries';
import { findUser } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, ownUser } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite } from '../../http/read-your-writes.ts';
import { userIdOf } from '../path-user.ts';
import { checkImage } from '../users/rules.ts';
import { toServerUserView } from '../users/wire.ts';
import { memberParams } from './memberships.ts';
import { mayReadTeam } from './rights.ts';

const tags = ['Teams'];

/** What is unset in the team reads as everywhere else (protocol, resources §4.2). */
export function toProfileView(request: FastifyRequest, { accessType }: Caller, row: ProfileRow) {
  const { teamId, teamDisplayName, teamImageUrl, user } = row;
  const view = {
    team_id: teamId,
    user_id: user.id,
    display_name: teamDisplayName ?? user.displayName,
    profile_image_url: teamImageUrl ?? user.profileImageUrl,
  };
  return accessType === 'client' ? view : { ...view, user: toServerUserView(request, user) };
}

/** Others than oneself take a right. */
const rightsToSee = ({ user }: Caller, userId: string | undefined) => (userId === user?.id ? [] : ['$read_members']);

/** @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND */
async function findProfile(deps: Deps, { projectId }: Caller, teamId: string, userId: string): Promise<ProfileRow> {
  const [row] = await listProfiles(deps.db, projectId, { teamId, userId });
  if (row) return row;
  await findUser(deps.db, projectId, userId);
  return reject('TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: userId });
}

export const listProfilesRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/team-member-profiles', {
      config: { replacesMe: true },
      schema: {
        tags,
        summary: 'Members as their teams know them, in order of joining',
        description: 'Client access names a team of its own; for others than itself it needs `$read_members`.',
        querystring: ProfilesQuery,
        response: { 200: ProfileList },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { team_id: teamId, user_id: userId } = request.query;
        if (caller.accessType === 'client') {
          ownUser(caller);
          const rights = rightsToSee(caller, userId);
          const rejection = 'CANNOT_GET_OWN_USER_WITHOUT_USER' as const;
          await mayReadTeam(deps, caller, { teamId: teamId ?? reject('TEAM_ID_MISSING'), rights, rejection });
        }
        if (teamId !== undefined) await findTeam(deps.db, caller.projectId, teamId);
        if (userId !== undefined) await findUser(deps.db, caller.projectId, userId);
        const filter = { teamId: teamId ?? null, userId: userId ?? null };
        const rows = await listProfiles(deps.db, caller.projectId, filter);
        return { items: rows.map((row) => toProfileView(request, caller, row)), is_paginated: false as const };
      },
    });
  };

export const getProfileRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/team-member-profiles/:team_id/:user_id', {
      schema: {
        tags,
        summary: 'A member as the team knows them',
        description: 'Client access sees itself; for others it needs `$read_members`.',
        params: memberParams,
        response: { 200: ProfileView },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { team_id: teamId, user_id } = request.params;
        const userId = user_id === 'me' ? ownUser(caller).id : user_id;
        const rights = rightsToSee(caller, userId);
        await mayReadTeam(deps, caller, { teamId, rights, rejection: 'CANNOT_GET_OWN_USER_WITHOUT_USER' });
        return toProfileView(request, caller, await findProfile(deps, caller, teamId, userId));
      },
    });
  };

export const updateProfileRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/team-member-profiles/:team_id/:user_id', {
      schema: {
        tags,
        summary: 'Change how a member goes by in a team',
        description: 'Null takes the image back to the user’s own. Client access changes itself alone.',
        params: memberParams,
        body: ProfilePatch,
        response: { 200: ProfileView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { team_id: teamId, user_id } = request.params;
        const { display_name: displayName, profile_image_url: profileImageUrl } = request.body;
        const userId = userIdOf(caller, user_id, 'ACTS_ON_ANOTHER_USER');
        checkImage(caller, profileImageUrl);
        const input = { teamId, userId, displayName, profileImageUrl };
        const { profile, position } = await changeTeamProfile(deps, contextOf(request, caller), input);
        const row = await afterWrite(
          deps,
          reply,
          position,
          () => findProfile(deps, caller, teamId, userId),
          async () => {
            const user = await findUser(deps.db, caller.projectId, userId);
            return { teamId, teamDisplayName: profile.displayName, teamImageUrl: profile.profileImageUrl, user };
          },
        );
        return toProfileView(request, caller, row);
      },
    });
  };
