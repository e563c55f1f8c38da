import { UserListView, UsersQuery } from '@gatebook/contract/users';
import type { ProjectSettings } from '@gatebook/domain/project/config';
import type { RestrictionType } from '@gatebook/domain/user/restriction';
import { largestPage, listUsers } from '@gatebook/readmodel/users/list';
import { listUsersByActivity } from '@gatebook/readmodel/users/list-by-activity';
import type { FastifyRequest } from 'fastify';
import { serverAndUp } from '../../access.ts';
import { anonymousLeftOutSince, isPublishedSince, restrictedLeftOutSince } from '../../http/client-version.ts';
import { defineRoute } from '../../http/define-route.ts';
import { omittedOfUsers, toServerUserView } from './wire.ts';

/** The restricted users that a list leaves out (protocol, resources §1.7). */
function excludedUsers(
  request: FastifyRequest,
  { include_anonymous, only_anonymous, include_restricted }: UsersQuery,
  { emailVerificationRequired }: ProjectSettings,
): RestrictionType[] {
  const asksForAnonymous = include_anonymous === true || only_anonymous === true;
  const withAnonymous = asksForAnonymous || (include_anonymous ?? !isPublishedSince(request, anonymousLeftOutSince));
  const withRestricted = include_restricted ?? (asksForAnonymous || !isPublishedSince(request, restrictedLeftOutSince));
  const restricted: RestrictionType[] = withRestricted
    ? []
    : ['restricted_by_administrator', ...(emailVerificationRequired ? (['email_not_verified'] as const) : [])];
  return withAnonymous ? restricted : ['anonymous', ...restricted];
}

/** Without the time: a cursor by sign-up is an ID (protocol, resources §1.7). */
const userIdIn = (cursor: string) => cursor.slice(cursor.indexOf('.') + 1);

export const listUsersRoute = defineRoute({
  method: 'GET',
  path: '/users',
  asOf: omittedOfUsers,
  access: serverAndUp,
  tags: ['Users'],
  summary: 'List users',
  description:
    'Oldest first, or newest first with `desc`, by sign-up or by the latest activity. A page has at most 1,000 users. Send `next_cursor` as `cursor` with the same filters to get the next page. `query` is a user ID, or part of a name or an email address. Newer client libraries get anonymous and restricted users only if they ask for them; other callers leave them out with `include_anonymous=false` and `include_restricted=false`.',
  query: UsersQuery,
  response: { 200: UserListView },
  handle: async ({ deps, request, caller, query: filters }) => {
    const { projectId, project } = caller;
    const { team_id, limit = largestPage, cursor = null, desc = false, query = '', order_by: orderBy } = filters;
    const options = {
      teamId: team_id ?? null,
      limit: Math.min(limit, largestPage),
      isDescending: desc,
      query,
      onlyAnonymous: filters.only_anonymous ?? false,
      excluded: excludedUsers(request, filters, project.settings),
    };
    const isByActivity = orderBy === 'last_active_at';
    const { items, nextCursor } = isByActivity
      ? await listUsersByActivity(deps.db, projectId, { ...options, cursor })
      : await listUsers(deps.db, projectId, { ...options, cursor: cursor && userIdIn(cursor) });
    return {
      items: items.map((user) => toServerUserView(request, user)),
      is_paginated: true as const,
      pagination: { next_cursor: isByActivity ? nextCursor : nextCursor && userIdIn(nextCursor) },
    };
  },
});
