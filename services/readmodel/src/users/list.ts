import type { ReadDb } from '../read-db.ts';
import { idIn, isIndexed, partOf, tellingPart, type UserListOptions } from './list-filters.ts';
import { defineShapes, keyShapes, largestWindow, nextUsers, orderOf, queryOf, shapeOf } from './list-shapes.ts';
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
/**
 * How many users a search looks through in order before it asks the index, and at most. `matches`: how many users found
 * by index are sorted.
 */
export type SearchWindow = { first: number; most: number; matches: number };
const usualWindow: SearchWindow = { first: 100, most: largestWindow - 1, matches: 10_000 };

/**
 * One page of a project's users by time of sign-up, name or address. In a large team, and for a text that is too short
 * for the index or found in too many users, the page ends where the search got to, so no page gets slower with more
 * users. The cursor is
 * `<milliseconds>.<user ID>`, or has a name or an address in hexadecimal digits: the place of a user who is deleted
 * between two pages. `window`: how many users to look through.
 */
export async function listUsers(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window = usualWindow,
): Promise<UserPage> {
  const { query, limit, teamId, cursor } = options;
  const shape = shapeOf(projectId, options);
  const { id, key } = placeOf(cursor, shape.sort);
  const values = [projectId, limit + 1, id, teamId, options.excluded ?? []] as const;
  if (!query && teamId === null) {
    return pageOf(await db.rows<ListedRow>(queryOf(listQueries, shape), [...values, key]), limit);
  }
  const sought = [partOf(query ?? ''), idIn(query ?? '')] as const;
  const telling = tellingPart(query ?? '');
  if (isIndexed(telling)) {
    const { first, most, matches } = window;
    const found = [...values, ...sought, partOf(telling), first, most, key, matches] as const;
    const rows = await db.rows<SearchRow>(queryOf(indexQueries, shape), found);
    if (!rows[0]?.areTooMany) return pageOf(rows.filter(isUser), limit);
  }
  return pageNear(
    await db.rows<SearchRow>(queryOf(nearQueries, shape), [...values, ...sought, window.most, key]),
    limit,
  );
}

/** An ID alone stands for the user's present place. */
export function placeOf(cursor: string | null, sort: ListSort = 'signedUp'): { id: string | null; key: string | null } {
  const [id = null, key = null] = cursor?.split('.').toReversed() ?? [];
  return { id, key: key === null || sort !== 'signedUp' ? key : new Date(Number(key)).toISOString() };
}

/** The page ends where the search got to. */
export function pageNear(rows: readonly SearchRow[], limit: number): UserPage {
  const page = pageOf(rows.filter(isUser), limit);
  return { ...page, nextCursor: page.nextCursor ?? rows[0]?.next ?? null };
}

type SearchEnd = {
  /** Place of the first user not looked at, if the page has room. */
  next?: string | null;
  /** Whether there are more matches by index than are sorted, so that the page is not known. */
  areTooMany?: boolean;
};
/** `place`: unless the list is sorted by time of sign-up. */
type ListedRow = UserRow & SearchEnd & { place?: string };
/** The user is null if nothing was found. */
export type SearchRow = ListedRow | (SearchEnd & { id: null });

export const isUser = <Row extends { id: string | null }>(row: Row): row is Extract<Row, { id: string }> =>
  row.id !== null;

/** The row that does not fit begins the next page. */
function pageOf(rows: readonly ListedRow[], limit: number): UserPage {
  const next = rows[limit];
  return {
    items: rows.slice(0, limit).map(({ place: _, next: __, areTooMany: ___, ...user }) => user),
    nextCursor: next ? `${next.place ?? next.signedUpAt}.${next.id}` : null,
  };
}

const listQueries = defineShapes(
  'list-users',
  (schema, shape) => `select ${listedColumns(schema, shape)} from (${nextUsers(schema, shape, '$2', '$6')}) u
    order by ${orderOf(shape)}`,
  keyShapes.filter(({ teamId }) => !teamId),
);
const nearQueries = defineShapes('search-users-near', foundNear);
const indexQueries = defineShapes('search-users', foundByIndex);
