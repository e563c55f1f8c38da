import type { ReadDb } from '../read-db.ts';
import { idIn, isIndexed, partOf, tellingPart, type UserListOptions } from './list-filters.ts';
import { defineShapes, largestWindow, nextUsers, orderOf, queryOf, shapeOf } from './list-shapes.ts';
import type { ListSort } from './list-sorts.ts';
import type { UserRow } from './queries.ts';
import { foundByIndex, foundNear, listedColumns } from './search.ts';

/** `nextCursor`: place of the first user that did not fit, or of the first one that was not looked at. */
export type UserPage = { items: UserRow[]; nextCursor: string | null };

/**
 * Caps pages, so that no caller can read everything at once. The response then has a cursor without being asked
 * (protocol, resources §1.7).
 */
export const largestPage = 1_000;
/** How many users a search looks through in order: a few to estimate the number of matches, and at most. */
export const usualWindow = { first: 100, most: largestWindow - 1, byActivity: 1_000 };

/**
 * One page of a project's users by time of sign-up, name or address, in one statement. A text that is too short for the
 * index ends the page where the search got to, so no page gets slower with more users. The cursor is
 * `<milliseconds>.<user ID>`, or has a name or an address in hexadecimal digits: the place of a user who is deleted
 * between two pages. `window`: how many users to look through.
 */
export async function listUsers(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window: Pick<typeof usualWindow, 'first' | 'most'> = usualWindow,
): Promise<UserPage> {
  const { query, limit, teamId, cursor } = options;
  const shape = shapeOf(projectId, options);
  const { id, key } = placeOf(cursor, shape.sort);
  const values = [projectId, limit + 1, id, teamId, options.excluded ?? []] as const;
  if (!query) return pageOf(await db.rows<ListedRow>(queryOf(listQueries, shape), [...values, key]), limit);
  const sought = [partOf(query), idIn(query)] as const;
  const telling = tellingPart(query);
  if (isIndexed(telling)) {
    const found = [...values, ...sought, partOf(telling), window.first, window.most, key] as const;
    return pageOf(await db.rows<ListedRow>(queryOf(indexQueries, shape), found), limit);
  }
  return pageNear(await db.rows<NearRow>(queryOf(nearQueries, shape), [...values, ...sought, window.most, key]), limit);
}

/** An ID alone stands for the user's present place. */
export function placeOf(cursor: string | null, sort: ListSort = 'signedUp'): { id: string | null; key: string | null } {
  const [id = null, key = null] = cursor?.split('.').toReversed() ?? [];
  return { id, key: key === null || sort !== 'signedUp' ? key : new Date(Number(key)).toISOString() };
}

/** The page ends where the search got to. */
export function pageNear(rows: readonly NearRow[], limit: number): UserPage {
  const found = rows.flatMap(({ next: _, ...user }) => (user.id === null ? [] : [user as ListedRow]));
  const page = pageOf(found, limit);
  return { ...page, nextCursor: page.nextCursor ?? rows[0]?.next ?? null };
}

/** `place`: unless the list is sorted by time of sign-up. */
type ListedRow = UserRow & { place?: string };

/** The user is null if nothing was found. `next`: place of the first user not looked at, if the page has room. */
export type NearRow = Omit<ListedRow, 'id'> & { id: string | null; next: string | null };

/** The row that does not fit begins the next page. */
function pageOf(rows: ListedRow[], limit: number): UserPage {
  const next = rows[limit];
  return {
    items: rows.slice(0, limit).map(({ place: _, ...user }) => user),
    nextCursor: next ? `${next.place ?? next.signedUpAt}.${next.id}` : null,
  };
}

const listQueries = defineShapes(
  'list-users',
  (schema, shape) => `select ${listedColumns(schema, shape)} from (${nextUsers(schema, shape, '$2', '$6')}) u
    order by ${orderOf(shape)}`,
);
const nearQueries = defineShapes('search-users-near', foundNear);
const indexQueries = defineShapes('search-users', foundByIndex);
