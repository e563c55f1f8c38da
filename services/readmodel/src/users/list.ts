import type { ReadDb } from '../read-db.ts';
import { idIn, isIndexed, partOf, tellingPart, type UserListOptions } from './list-filters.ts';
import { defineShapes, largestWindow, nextUsers, orderOf, queryOf, shapeOf } from './list-shapes.ts';
import { type UserRow, userColumns } from './queries.ts';
import { foundByIndex, foundNear } from './search.ts';

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
 * One page of a project's users by time of sign-up, in one statement. A text that is too short for the index ends the
 * page where the search got to, so no page gets slower with more users. The cursor is `<milliseconds>.<user ID>`: the
 * place of a user who is deleted between two pages. `window`: how many users to look through.
 */
export async function listUsers(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window: Pick<typeof usualWindow, 'first' | 'most'> = usualWindow,
): Promise<UserPage> {
  const { query, limit, teamId, cursor } = options;
  const shape = shapeOf(projectId, options);
  const { id, time } = placeOf(cursor);
  const values = [projectId, limit + 1, id, teamId, options.excluded ?? []] as const;
  if (!query) return pageOf(await db.rows<UserRow>(queryOf(listQueries, shape), [...values, time]), limit);
  const sought = [partOf(query), idIn(query)] as const;
  const telling = tellingPart(query);
  if (isIndexed(telling)) {
    const found = [...values, ...sought, partOf(telling), window.first, window.most, time] as const;
    return pageOf(await db.rows<UserRow>(queryOf(indexQueries, shape), found), limit);
  }
  return pageNear(
    await db.rows<NearRow>(queryOf(nearQueries, shape), [...values, ...sought, window.most, time]),
    limit,
  );
}

/** An ID alone stands for the user's present place. */
export function placeOf(cursor: string | null): { id: string | null; time: string | null } {
  const [id = null, millis] = cursor?.split('.').toReversed() ?? [];
  return { id, time: millis === undefined ? null : new Date(Number(millis)).toISOString() };
}

/** The page ends where the search got to. */
export function pageNear(rows: readonly NearRow[], limit: number): UserPage {
  const found = rows.flatMap(({ next: _, ...user }) => (user.id === null ? [] : [user as UserRow]));
  const page = pageOf(found, limit);
  return { ...page, nextCursor: page.nextCursor ?? rows[0]?.next ?? null };
}

/** The user is null if nothing was found. `next`: place of the first user not looked at, if the page has room. */
export type NearRow = Omit<UserRow, 'id'> & { id: string | null; next: string | null };

/** The row that does not fit begins the next page. */
function pageOf(rows: UserRow[], limit: number): UserPage {
  const next = rows[limit];
  return { items: rows.slice(0, limit), nextCursor: next ? `${next.signedUpAt}.${next.id}` : null };
}

const listQueries = defineShapes(
  'list-users',
  (schema, shape) => `select ${userColumns(schema, shape)} from (${nextUsers(schema, shape, '$2', '$6')}) u
    order by ${orderOf(shape)}`,
);
const nearQueries = defineShapes('search-users-near', foundNear);
const indexQueries = defineShapes('search-users', foundByIndex);
