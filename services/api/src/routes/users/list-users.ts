import { UserListView, UsersQuery } from '@gatebook/contract/users';
import { listUsers } from '@gatebook/readmodel/users/list';
import { serverAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { toServerUserView } from './wire.ts';

/**
 * Caps pages, so that no caller can read everything at once. The response then has a cursor without being asked
 * (protocol, resources §1.7).
 */
const largestPage = 1000;

export const listUsersRoute = defineRoute({
  method: 'GET',
  path: '/users',
  access: serverAndUp,
  tags: ['Users'],
  summary: 'List users',
  description:
    'Oldest first, or newest first with `desc`. A page has at most 1,000 users. Send `next_cursor` as `cursor` with the same filters to get the next page. `query` is a user ID, or part of a name or an email address.',
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
