import { UserCountQuery, UserCountView, type UserOrder, UserSearchQuery } from '@gatebook/contract/user-search';
import { UserListView } from '@gatebook/contract/users';
import { findCountedPeople } from '@gatebook/readmodel/metrics/people';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import {
  countUsers,
  findUsers,
  isUserCursor,
  type UserFilterOptions,
  type UserSort,
} from '@gatebook/readmodel/users/find';
import { largestPage } from '@gatebook/readmodel/users/list';
import type { FastifyRequest } from 'fastify';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { rejectRequest } from '../../http/validation.ts';
import { omittedOfUsers, toServerUserView } from './wire.ts';

const tags = ['Users'];
const usualPage = 50;

const sorts: Readonly<Record<UserOrder, UserSort>> = {
  signed_up_at: 'signedUp',
  last_active_at: 'active',
  display_name: 'name',
  primary_email: 'email',
};

/** @throws DomainError SCHEMA_ERROR if activity is asked for as of a moment, because the log does not contain it */
async function filtersOf(
  db: ReadDb,
  projectId: string,
  request: FastifyRequest,
  query: UserCountQuery,
): Promise<UserFilterOptions> {
  const unknown = request.asOf ? (['active_on', 'active_in', 'counted'] as const).filter((name) => query[name]) : [];
  if (unknown.length > 0) {
    rejectRequest(
      request,
      unknown.map((name) => `query.${name}: not known as of a moment of the past`),
    );
  }
  return toFilters(db, projectId, query);
}

export const toFilters = async (db: ReadDb, projectId: string, query: UserCountQuery): Promise<UserFilterOptions> => ({
  teamId: query.team_id ?? null,
  query: query.query ?? null,
  filters: {
    methods: query.method ?? null,
    isVerified: query.verified ?? null,
    isRestricted: query.restricted ?? null,
    isAnonymous: query.anonymous ?? null,
    countries: query.country_code ?? null,
    activeOn: query.active_on ?? null,
    activeIn: query.active_in ?? null,
    among: query.counted ? await findCountedPeople(db, projectId, query.counted) : null,
    signedUp: {
      from: query.signed_up_from_millis ?? startOf(query, 'sign_ups'),
      until: query.signed_up_until_millis ?? null,
    },
    active: {
      from: query.active_from_millis ?? startOf(query, 'active_users'),
      until: query.active_until_millis ?? null,
    },
  },
});

/** Bounds what is looked through: the people of the point signed up, or were active, since then. */
const startOf = ({ counted }: UserCountQuery, kind: string) => (counted?.kind === kind ? counted.from : null);

export const searchUsersRoute = defineRoute({
  method: 'GET',
  path: '/internal/users',
  asOf: omittedOfUsers,
  access: adminOnly,
  tags,
  summary: 'Search users',
  description:
    'Users of all kinds who match all filters, also sorted by name or email address. A page can be short, or empty, and still have a next one: filters that few users match look at a limited number of users per page.',
  query: UserSearchQuery,
  response: { 200: UserListView },
  handle: async ({ deps, request, caller, query }) => {
    const { limit = usualPage, cursor = null, desc = false, order_by: orderBy = 'signed_up_at', ...filters } = query;
    const sortedBy = sorts[orderBy];
    if (cursor !== null && !isUserCursor(cursor, sortedBy)) {
      rejectRequest(request, ['query.cursor: must be the next_cursor of a page of this list']);
    }
    const { items, nextCursor } = await findUsers(deps.db, caller.projectId, {
      ...(await filtersOf(deps.db, caller.projectId, request, filters)),
      limit: Math.min(limit, largestPage),
      cursor,
      isDescending: desc,
      sortedBy,
    });
    return {
      items: items.map((user) => toServerUserView(request, user)),
      is_paginated: true as const,
      pagination: { next_cursor: nextCursor },
    };
  },
});

export const countUsersRoute = defineRoute({
  method: 'GET',
  path: '/internal/users/count',
  asOf: [],
  access: adminOnly,
  tags,
  summary: 'Count users',
  description: 'How many users match all filters, exactly up to 15,000 users, or else among the newest of them.',
  query: UserCountQuery,
  response: { 200: UserCountView },
  handle: async ({ deps, request, caller, query }) => {
    const filters = await filtersOf(deps.db, caller.projectId, request, query);
    const { count, isComplete } = await countUsers(deps.db, caller.projectId, filters);
    return { count, is_complete: isComplete };
  },
});
