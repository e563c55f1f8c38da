import { deleteTeam } from '@gatebook/commands/team/delete-team';
import { createTeam, updateTeam } from '@gatebook/commands/team/team';
import { Success } from '@gatebook/contract/common';
import { NewTeam, OwnNewTeam, OwnTeamPatch, TeamPatch, TeamsQuery, TeamView } from '@gatebook/contract/teams';
import { reject } from '@gatebook/domain/errors';
import type { ActiveTeam } from '@gatebook/domain/team/state';
import { findTeam } from '@gatebook/readmodel/teams/queries';
import type { z } from 'zod';
import { clientAndUp } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute, type Written } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';
import { checkImage } from '../users/rules.ts';
import { teamParams } from './read-teams.ts';
import { requireActingUserId, teamPermissionErrors } from './require-permission.ts';
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

function answerTeam(
  deps: Deps,
  caller: Caller,
  { team, position }: { team: ActiveTeam; position: bigint | null },
): Written<z.infer<typeof TeamView>> {
  return {
    position,
    body: async () => toTeamView(caller, await findTeam(deps.db, caller.projectId, team.teamId)),
    stale: () => toTeamView(caller, rowOfTeam(team)),
  };
}

/**
 * The creator: the caller for client access; for a server, the user that it names, or nobody
 * (protocol, resources §3.3).
 */
function creatorOf(caller: Caller, { creator_user_id: named }: NewTeam, addsCurrentUser: boolean): string | null {
  if (caller.accessType !== 'client') {
    if (addsCurrentUser) return (caller.user ?? reject('TEAM_CREATOR_NOT_SIGNED_IN')).id;
    return named ?? null;
  }
  const own = (caller.user ?? reject('USER_AUTHENTICATION_REQUIRED')).id;
  if (named !== undefined && named !== own) reject('OTHER_USER_NOT_ALLOWED');
  return own;
}

export const createTeamRoute = defineRoute({
  method: 'POST',
  path: '/teams',
  bodySize: 'large',
  access: clientAndUp,
  isPreviewable: true,
  session: 'any',
  replacesMe: true,
  bodyFor: { client: OwnNewTeam },
  errors: [
    'TEAM_CREATOR_AMBIGUOUS',
    'USER_AUTHENTICATION_REQUIRED',
    'CLIENT_TEAM_CREATION_DISABLED',
    'CLIENT_IMAGE_INVALID',
    'CANNOT_GET_OWN_USER_WITHOUT_USER',
    'OTHER_USER_NOT_ALLOWED',
    'TEAM_CREATOR_NOT_SIGNED_IN',
    'USER_NOT_FOUND',
    'QUOTA_EXCEEDED',
  ],
  tags,
  summary: 'Create a team',
  description:
    'With client access, the signed-in user is the creator, if the project allows users to create teams. Servers can name a creator. The creator gets the project’s default permissions for creators. The team doesn’t become the creator’s selected team.',
  query: TeamsQuery,
  body: NewTeam,
  response: { 201: TeamView },
  handle: async ({ deps, caller, context, query, body }) => {
    const { project } = caller;
    const addsCurrentUser = query.add_current_user ?? false;
    if (body.creator_user_id !== undefined && addsCurrentUser) reject('TEAM_CREATOR_AMBIGUOUS');
    if (caller.accessType === 'client') {
      if (!caller.user) reject('USER_AUTHENTICATION_REQUIRED');
      if (!project.config.clientTeamCreationEnabled) reject('CLIENT_TEAM_CREATION_DISABLED');
      checkImage(caller, body.profile_image_url);
    }
    const creatorId = creatorOf(caller, body, addsCurrentUser);
    const limit = quotaFor(caller, 'teamsPerUser');
    const input = { ...toTeamInput(body), displayName: body.display_name, creatorId, project, limit };
    const created = await createTeam(deps, context, input);
    return answerTeam(deps, caller, created);
  },
});

export const updateTeamRoute = defineRoute({
  method: 'PATCH',
  path: '/teams/:team_id',
  bodySize: 'large',
  access: clientAndUp,
  isPreviewable: true,
  session: 'any',
  limit: 'team-update',
  replacesMe: true,
  bodyFor: { client: OwnTeamPatch },
  isQueryIgnored: true,
  errors: ['CLIENT_IMAGE_INVALID', 'USER_AUTHENTICATION_REQUIRED', ...teamPermissionErrors],
  tags,
  summary: 'Update a team',
  description: 'Omitted fields are unchanged. Client access needs `$update_team`.',
  params: teamParams,
  query: TeamsQuery,
  body: TeamPatch,
  response: { 200: TeamView },
  handle: async ({ deps, caller, context, params, body }) => {
    checkImage(caller, body.profile_image_url);
    const by = requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
    const input = { teamId: params.team_id, by, ...toTeamInput(body) };
    return answerTeam(deps, caller, await updateTeam(deps, context, input));
  },
});

export const deleteTeamRoute = defineRoute({
  method: 'DELETE',
  path: '/teams/:team_id',
  access: clientAndUp,
  role: 'developer',
  isPreviewable: true,
  session: 'any',
  replacesMe: true,
  isQueryIgnored: true,
  errors: ['USER_AUTHENTICATION_REQUIRED', ...teamPermissionErrors],
  tags,
  summary: 'Delete a team',
  description:
    'Also deletes its memberships, permissions, invitations and API keys. Client access needs `$delete_team`. With the setting `team_deletion_grace_days`, the team can be restored.',
  params: teamParams,
  query: TeamsQuery,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) => {
    const by = requireActingUserId(caller, 'USER_AUTHENTICATION_REQUIRED');
    // Read models of an earlier version lack the setting.
    const { teamDeletionGraceDays: graceDays = 0 } = caller.project.settings;
    const { position } = await deleteTeam(deps, context, { teamId: params.team_id, by, graceDays });
    if (graceDays > 0) await deps.idempotencyRecords.forget(params.team_id);
    return answerSuccess(position);
  },
});
