import { uuid } from '@gatebook/contract/common';
import { TeamList, TeamsListQuery, TeamsQuery, TeamView } from '@gatebook/contract/teams';
import { reject } from '@gatebook/domain/errors';
import { findTeam, listTeams, teamKeys } from '@gatebook/readmodel/teams/queries';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, ownUser } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { requireTeamAccess } from './require-permission.ts';
import { toTeamView } from './wire.ts';

const tags = ['Teams'];
export const teamParams = z.strictObject({ team_id: uuid });

export const listTeamsRoute = defineRoute({
  method: 'GET',
  path: '/teams',
  asOf: [],
  access: clientAndUp,
  replacesMe: true,
  errors: actOnUserErrors,
  tags,
  summary: 'List teams',
  description:
    'Oldest first, or newest first with `desc`. `query` is a team ID or part of a name. Client access must send `user_id=me`. For servers, the user is optional.',
  query: TeamsListQuery,
  response: { 200: TeamList },
  handle: async ({ deps, request, caller, query }) => {
    const { user_id: userId = null, desc: isDescending = false, query: search = null } = query;
    if (caller.accessType === 'client' && ownUser(caller).id !== userId) reject('OTHER_USER_NOT_ALLOWED');
    const page = pageOf(request, query, teamKeys);
    const found = await listTeams(deps.db, caller.projectId, { userId, isDescending, query: search }, page);
    return toPagedList(query, found, (row) => toTeamView(caller, row));
  },
});

export const getTeamRoute = defineRoute({
  method: 'GET',
  path: '/teams/:team_id',
  asOf: [],
  access: clientAndUp,
  replacesMe: true,
  isQueryIgnored: true,
  errors: ['USER_AUTHENTICATION_REQUIRED', 'TEAM_MEMBERSHIP_NOT_FOUND', 'TEAM_NOT_FOUND'],
  tags,
  summary: 'Get a team',
  description: 'For client access, the signed-in user must be a member.',
  params: teamParams,
  query: TeamsQuery,
  response: { 200: TeamView },
  handle: async ({ deps, caller, params }) => {
    const teamId = params.team_id;
    await requireTeamAccess(deps, caller, { teamId, required: [], rejection: 'USER_AUTHENTICATION_REQUIRED' });
    return toTeamView(caller, await findTeam(deps.db, caller.projectId, teamId));
  },
});
