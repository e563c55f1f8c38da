import { TeamOverviewList, TeamSearchQuery } from '@gatebook/contract/teams';
import { searchTeams, teamSearchKeys } from '@gatebook/readmodel/teams/search';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';

const usualPage = 50;

export const searchTeamsRoute = defineRoute({
  method: 'GET',
  path: '/internal/teams',
  asOf: [],
  access: adminOnly,
  tags: ['Teams'],
  summary: 'Search teams',
  description:
    'Sorted by time of creation unless `order_by` says otherwise. Sorting by name ignores case and everything after the first 40 characters.',
  query: TeamSearchQuery,
  response: { 200: TeamOverviewList },
  handle: async ({ deps, request, caller, query: given }) => {
    const { order_by: orderBy = 'created_at', desc: isDescending = false, query: search = null } = given;
    const query = { ...given, limit: given.limit ?? usualPage };
    const page = pageOf(request, query, teamSearchKeys(orderBy));
    const found = await searchTeams(deps.db, caller.projectId, { orderBy, isDescending, query: search }, page);
    return toPagedList(query, found, ({ id, displayName, createdAt, memberCount }) => {
      return { id, display_name: displayName, created_at_millis: createdAt, member_count: memberCount };
    });
  },
});
