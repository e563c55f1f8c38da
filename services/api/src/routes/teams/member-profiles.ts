import { changeTeamProfile } from '@gatebook/commands/team/team';
import { ProfilePatch, ProfilesQuery } from '@gatebook/contract/teams';
import { ProfileList, ProfileView } from '@gatebook/contract/users';
import { reject } from '@gatebook/domain/errors';
import { findTeam, listProfiles, type ProfileRow, profileKeys } from '@gatebook/readmodel/teams/queries';
import { findUser } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import { actOnUserErrors, clientAndUp, ownUser, ownUserErrors } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { userIdOf } from '../path-user.ts';
import { checkImage } from '../users/rules.ts';
import { omittedOfUsers, toServerUserView } from '../users/wire.ts';
import { memberParams } from './memberships.ts';
import { requireTeamAccess, teamPermissionErrors } from './require-permission.ts';

const tags = ['Teams'];

/** Fields that are not set in the team fall back to the user's (protocol, resources §4.2). */
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

/** Other members require a permission. */
const permissionsToRead = ({ user }: Caller, userId: string | undefined) =>
  userId === user?.id ? [] : ['$read_members'];

/** @throws DomainError USER_NOT_FOUND, TEAM_MEMBERSHIP_NOT_FOUND */
async function findProfile(deps: Deps, { projectId }: Caller, teamId: string, userId: string): Promise<ProfileRow> {
  const { rows } = await listProfiles(deps.db, projectId, { teamId, userId });
  if (rows[0]) return rows[0];
  await findUser(deps.db, projectId, userId);
  return reject('TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: userId });
}

export const listProfilesRoute = defineRoute({
  method: 'GET',
  path: '/team-member-profiles',
  asOf: omittedOfUsers,
  access: clientAndUp,
  replacesMe: true,
  errors: [...ownUserErrors, 'TEAM_ID_MISSING', ...teamPermissionErrors, 'USER_NOT_FOUND'],
  tags,
  summary: 'List team member profiles',
  description:
    'In the order of joining. Client access must name a team of the signed-in user. It needs `$read_members` to see other members.',
  query: ProfilesQuery,
  response: { 200: ProfileList },
  handle: async ({ deps, request, caller, query }) => {
    const { team_id: teamId, user_id: userId } = query;
    if (caller.accessType === 'client') {
      ownUser(caller);
      const required = permissionsToRead(caller, userId);
      const rejection = 'CANNOT_GET_OWN_USER_WITHOUT_USER' as const;
      await requireTeamAccess(deps, caller, { teamId: teamId ?? reject('TEAM_ID_MISSING'), required, rejection });
    }
    if (teamId !== undefined) await findTeam(deps.db, caller.projectId, teamId);
    if (userId !== undefined) await findUser(deps.db, caller.projectId, userId);
    const filter = { teamId: teamId ?? null, userId: userId ?? null };
    const found = await listProfiles(deps.db, caller.projectId, filter, pageOf(request, query, profileKeys));
    return toPagedList(query, found, (row) => toProfileView(request, caller, row));
  },
});

export const getProfileRoute = defineRoute({
  method: 'GET',
  path: '/team-member-profiles/:team_id/:user_id',
  asOf: omittedOfUsers,
  access: clientAndUp,
  errors: [...ownUserErrors, ...teamPermissionErrors, 'USER_NOT_FOUND'],
  tags,
  summary: 'Get a team member profile',
  description: 'Client access needs `$read_members` to see other members.',
  params: memberParams,
  response: { 200: ProfileView },
  handle: async ({ deps, request, caller, params }) => {
    const { team_id: teamId, user_id } = params;
    const userId = user_id === 'me' ? ownUser(caller).id : user_id;
    const required = permissionsToRead(caller, userId);
    await requireTeamAccess(deps, caller, { teamId, required, rejection: 'CANNOT_GET_OWN_USER_WITHOUT_USER' });
    return toProfileView(request, caller, await findProfile(deps, caller, teamId, userId));
  },
});

export const updateProfileRoute = defineRoute({
  method: 'PATCH',
  path: '/team-member-profiles/:team_id/:user_id',
  bodySize: 'large',
  access: clientAndUp,
  isPreviewable: true,
  session: 'any',
  errors: [...actOnUserErrors, 'CLIENT_IMAGE_INVALID', 'USER_NOT_FOUND', 'TEAM_MEMBERSHIP_NOT_FOUND'],
  tags,
  summary: 'Update a team member profile',
  description: 'Null resets the image to the user’s image. Client access can only change the signed-in user’s profile.',
  params: memberParams,
  body: ProfilePatch,
  response: { 200: ProfileView },
  handle: async ({ deps, request, caller, context, params, body }) => {
    const { team_id: teamId, user_id } = params;
    const { display_name: displayName, profile_image_url: profileImageUrl } = body;
    const userId = userIdOf(caller, user_id, 'OTHER_USER_NOT_ALLOWED');
    checkImage(caller, profileImageUrl);
    const input = { teamId, userId, displayName, profileImageUrl };
    const { profile, position } = await changeTeamProfile(deps, context, input);
    return {
      position,
      body: async () => toProfileView(request, caller, await findProfile(deps, caller, teamId, userId)),
      stale: async () => {
        const user = await findUser(deps.db, caller.projectId, userId);
        const row = { teamId, teamDisplayName: profile.displayName, teamImageUrl: profile.profileImageUrl, user };
        return toProfileView(request, caller, row);
      },
    };
  },
});
