import { UserListView, UsersQuery } from '@gatebook/contract/users';
import { listUsers } from '@gatebook/readmodel/users/list';
import { serverAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { toServerUserView } from './wire.ts';

/** Pages are capped here, so that no caller can ask for everything at once; then a cursor comes unasked (resources §1.7). */
const largestPage = 1000;

export const listUsersRoute = defineRoute({
  method: 'GET',
  path: '/users',
  access: serverAndUp,
  tags: ['Users'],
  summary: 'List users, oldest first unless `desc`',
  description:
    'At most 1,000 a page: `next_cursor` is the `cursor` of the next, with the same filters. `query` is a user’s id, or part of a name or an address.',
  query: UsersQuery,
  response: { 200: UserListView },
  handle: async ({ deps, request, caller, query: filters }) => {
    const { projectId } = caller;
    const { team_id, limit = largestPage, cursor = null, desc = false, query = '' } = filters;
    const { items, nextCursor } = await listUsers(deps.db, projectId, {
      teamId: team_id ?? null,
      cursor,
      limit: Math.min(limit, largestPage),
      isDescending: desc,
      query,
    });
    return {
      items: items.map((user) => toServerUserView(request, user)),
      is_paginated: true as const,
      pagination: { next_cursor: nextCursor },
    };
  },
});
