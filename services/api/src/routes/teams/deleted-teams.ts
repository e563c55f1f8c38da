import { eraseTeam, restoreTeam } from '@gatebook/commands/team/delete-team';
import { Success, uuid } from '@gatebook/contract/common';
import { DeletedTeamListView, DeletedTeamsQuery, type DeletedTeamView } from '@gatebook/contract/deleted-teams';
import { type DeletedTeamRow, deletedTeamKeys, listDeletedTeams } from '@gatebook/readmodel/teams/deleted-teams';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';

const tags = ['Teams'];
const params = z.strictObject({ team_id: uuid });

const toView = (team: DeletedTeamRow): DeletedTeamView => ({
  id: team.id,
  display_name: team.displayName,
  profile_image_url: team.profileImageUrl,
  created_at_millis: team.createdAt,
  deleted_at_millis: team.deletedAt,
  erased_at_millis: team.deleteAt,
});

export const listDeletedTeamsRoute = defineRoute({
  method: 'GET',
  path: '/internal/deleted-teams',
  access: adminOnly,
  tags,
  summary: 'List deleted teams',
  description: 'Teams that can be restored, those first that are erased first.',
  query: DeletedTeamsQuery,
  response: { 200: DeletedTeamListView },
  handle: async ({ deps, request, caller, query }) => {
    const page = pageOf(request, query, deletedTeamKeys);
    return toPagedList(query, await listDeletedTeams(deps.db, caller.projectId, page), toView);
  },
});

export const restoreTeamRoute = defineRoute({
  method: 'POST',
  path: '/internal/teams/:team_id/restore',
  access: adminOnly,
  role: 'support',
  isPreviewable: true,
  errors: ['TEAM_NOT_FOUND'],
  tags,
  summary: 'Restore a deleted team',
  description:
    'Restores a team within the grace period, with its members, permissions, invitations and API keys. Does nothing to a team that is not deleted.',
  params,
  response: { 200: Success },
  handle: async ({ deps, context, params }) =>
    answerSuccess((await restoreTeam(deps, context, { teamId: params.team_id })).position),
});

export const eraseTeamRoute = defineRoute({
  method: 'POST',
  path: '/internal/teams/:team_id/erase',
  access: adminOnly,
  isPreviewable: true,
  errors: ['TEAM_NOT_FOUND'],
  tags,
  summary: 'Erase a team',
  description: 'Deletes a team without a grace period, or ends the grace period of a deleted team.',
  params,
  response: { 200: Success },
  handle: async ({ deps, context, params }) =>
    answerSuccess((await eraseTeam(deps, context, { teamId: params.team_id })).position),
});
