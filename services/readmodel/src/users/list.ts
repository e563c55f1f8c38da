import type { ReadDb } from '../read-db.ts';
import { idIn, isIndexed, partOf, tellingPart, type UserListOptions } from './list-filters.ts';
import { defineShapes, largestWindow, nextUsers, orderOf, queryOf, shapeOf } from './list-shapes.ts';
import { type UserRow, userColumns } from './queries.ts';
import { foundByIndex, foundNear } from './search.ts';

/** `nextCursor`: ID of the first user that did not fit, or of the first one that was not looked at. */
export type UserPage = { items: UserRow[]; nextCursor: string | null };

/**
 * Caps pages, so that no caller can read everything at once. The response then has a cursor without being asked
 * (protocol, resources §1.7).
 */
export const largestPage = 1_000;
/** How many users a search looks through in order: a few to estimate the number of matches, and at most. */
export const usualWindow = { first: 100, most: largestWindow - 1, byActivity: 1_000 };

/**
 * One page of a project's users by time of sign-up, in one statement. A text that is too short for the index ends the
 * page where the search got to, so no page gets slower with more users. `window`: how many users to look through.
 */
export async function listUsers(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window: Pick<typeof usualWindow, 'first' | 'most'> = usualWindow,
): Promise<UserPage> {
  const { query, limit, teamId, cursor } = options;
  const shape = shapeOf(projectId, options);
  const values = [projectId, limit + 1, cursor, teamId, options.excluded ?? []] as const;
  if (!query) return pageOf(await db.rows<UserRow>(queryOf(listQueries, shape), values), limit);
  const sought = [partOf(query), idIn(query)] as const;
  const telling = tellingPart(query);
  if (isIndexed(telling)) {
    const found = [...values, ...sought, partOf(telling), window.first, window.most] as const;
    return pageOf(await db.rows<UserRow>(queryOf(indexQueries, shape), found), limit);
  }
  return pageNear(await db.rows<NearRow>(queryOf(nearQueries, shape), [...values, ...sought, window.most]), limit);
}

/** The page ends where the search got to. */
export function pageNear(rows: readonly NearRow[], limit: number): UserPage {
  const found = rows.flatMap(({ next: _, ...user }) => (user.id === null ? [] : [user as UserRow]));
  const page = pageOf(found, limit);
  return { ...page, nextCursor: page.nextCursor ?? rows[0]?.next ?? null };
}

/** The user is null if nothing was found. `next`: the first user that was not looked at, if the page has room. */
export type NearRow = Omit<UserRow, 'id'> & { id: string | null; next: string | null };

/** The row that does not fit begins the next page. */
const pageOf = (rows: UserRow[], limit: number): UserPage => ({
  items: rows.slice(0, limit),
  nextCursor: rows[limit]?.id ?? null,
});

const listQueries = defineShapes(
  'list-users',
  (schema, shape) => `select ${userColumns(schema, shape)} from (${nextUsers(schema, shape, '$2')}) u
    order by ${orderOf(shape)}`,
);
const nearQueries = defineShapes('search-users-near', foundNear);
const indexQueries = defineShapes('search-users', foundByIndex);
