import type { RestrictionType } from '@gatebook/domain/user/restriction';
import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';
import { filtersOf, idIn, kindOf, partOf, type UserKind, userKinds } from './list-filters.ts';
import { type UserRow, userColumns, userJoins } from './queries.ts';

export type UserListOptions = {
  /** Only members of this team. */
  teamId: string | null;
  /** ID of the first user of the page, inclusive. */
  cursor: string | null;
  /** null: all users in one page. */
  limit: number | null;
  /** Newest first. */
  isDescending: boolean;
  /** Part of the name or of any contact channel, or a whole ID; null or empty for no filter. */
  query: string | null;
  onlyAnonymous?: boolean;
  /** Users who are restricted for one of these reasons are left out. */
  excluded?: readonly RestrictionType[];
};
/** `nextCursor`: ID of the first user that did not fit, or of the first one that was not looked at. */
export type UserPage = { items: UserRow[]; nextCursor: string | null };

/** How many users to look through in order before using an index. */
const usualWindow = 2_000;
/** The part of the window that is searched first, to estimate the number of matches. */
const probe = 1 / 4;
/** The index finds nothing shorter. */
const trigram = 3;

/**
 * One page of a project's users by time of sign-up. A search looks through the next users first, which fills the page
 * for a frequent text. A rare text is found by index, and a text too short for the index ends the page where the search
 * got to, so no page gets slower with more users. `window`: how many users to look through.
 */
export async function listUsers(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window = usualWindow,
): Promise<UserPage> {
  const { query, limit, teamId, cursor } = options;
  const values = [projectId, limit === null ? null : limit + 1, cursor, teamId, options.excluded ?? []] as const;
  if (!query) {
    const next = await db.rows<{ id: string }>(queryOf(nextQueries, options), values);
    const ids = next.map(({ id }) => id);
    return withIds(db, projectId, options, ids);
  }
  const sought = [partOf(query), idIn(query)] as const;
  const lookNear = async (count: number): Promise<Near> => {
    const [found] = await db.rows<Near>(queryOf(nearQueries, options), [...values, ...sought, count]);
    return found ?? { matched: [], next: null };
  };
  if (limit !== null) {
    const isIndexed = query.length >= trigram;
    let near = await lookNear(isIndexed ? Math.ceil(window * probe) : window);
    const isCommon = near.next !== null && near.matched.length >= limit * probe && near.matched.length <= limit;
    if (isIndexed && isCommon) near = await lookNear(window);
    if (near.matched.length > limit || near.next === null || !isIndexed) {
      const page = await withIds(db, projectId, options, near.matched);
      return { ...page, nextCursor: page.nextCursor ?? near.next };
    }
  }
  const found = await db.rows<{ id: string }>(queryOf(searchQueries, options), [
    ...values,
    ...sought,
    partOf(tellingPart(query)),
  ]);
  return withIds(
    db,
    projectId,
    options,
    found.map(({ id }) => id),
  );
}

/** All addresses may have the same domain, so search the index for the part before it if that is long enough. */
function tellingPart(query: string): string {
  const [name = ''] = query.split('@', 1);
  return name.length >= trigram ? name : query;
}

/** The next users that match, and the user after them. */
type Near = { matched: string[]; next: string | null };

/** Users with these IDs, in order. The extra ID begins the next page. */
async function withIds(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  ids: readonly string[],
): Promise<UserPage> {
  const { limit } = options;
  const wanted = limit === null ? ids : ids.slice(0, limit);
  const items =
    wanted.length === 0
      ? []
      : await db.rows<UserRow>(byIdsQueries[options.isDescending ? 'desc' : 'asc'], [projectId, wanted]);
  return { items, nextCursor: limit === null ? null : (ids[limit] ?? null) };
}

type Shape = { isDescending: boolean; cursor: boolean; teamId: boolean; kind: UserKind };
/** Each form is prepared once. */
const shapeOf = ({ isDescending, cursor, teamId, kind }: Shape) =>
  `${isDescending ? 'desc' : 'asc'}${cursor ? '-from' : ''}${teamId ? '-in-team' : ''}${kind ? `-${kind}` : ''}`;
const orderOf = ({ isDescending }: Pick<Shape, 'isDescending'>, user = 'u') => {
  const order = isDescending ? 'desc' : 'asc';
  return `${user}.signed_up_at ${order}, ${user}.id ${order}`;
};

/** Users `u` of project $1, from cursor $3 on, in team $4. */
const scope = (schema: string, { isDescending, cursor, teamId, kind }: Shape) => `
  u.project_id = $1 ${filtersOf(schema, { kind, teamId, excluded: '$5' })}
  ${
    cursor
      ? `and (u.signed_up_at, u.id) ${isDescending ? '<=' : '>='} (
           select f.signed_up_at, f.id from ${schema}.users f where f.id = $3 and f.project_id = $1)`
      : 'and $3::uuid is null'
  }`;

const shapes: readonly Shape[] = [true, false].flatMap((isDescending) =>
  [true, false].flatMap((cursor) =>
    [true, false].flatMap((teamId) => userKinds.map((kind) => ({ isDescending, cursor, teamId, kind }))),
  ),
);

function defineShapes(name: string, sql: (schema: string, shape: Shape) => string): ReadonlyMap<string, ProjectQuery> {
  return new Map(
    shapes.map((shape) => {
      const key = shapeOf(shape);
      return [key, defineQuery({ name: `${name}-${key}`, sql: (schema) => sql(schema, shape) })] as const;
    }),
  );
}

function queryOf(
  queries: ReadonlyMap<string, ProjectQuery>,
  { isDescending, cursor, teamId, ...filters }: UserListOptions,
): ProjectQuery {
  const kind = kindOf(filters);
  const key = shapeOf({ isDescending, cursor: Boolean(cursor), teamId: Boolean(teamId), kind });
  const query = queries.get(key);
  if (!query) throw new Error(`unknown list of users: ${key}`);
  return query;
}

/**
 * Of the next $8 users, those that match, and the user after them. `offset 0` makes Postgres look up their channels one
 * by one instead of reading the whole table.
 */
const nearby = (schema: string, options: Shape) => `
  with matching as materialized (
    select n.id from (
      select u.id, u.signed_up_at, u.display_name from ${schema}.users u
      where ${scope(schema, options)} order by ${orderOf(options)} limit $8
    ) n
    where n.display_name ilike $6 or n.id = $7::uuid or exists (
      select from ${schema}.contact_channels m where m.user_id = n.id and m.value ilike $6 offset 0)
    order by ${orderOf(options, 'n')} limit $2
  )
  select array(select id from matching) as matched, case when (select count(*) from matching) < $2 then (
    select u.id from ${schema}.users u where ${scope(schema, options)} order by ${orderOf(options)} limit 1 offset $8
  ) end as next`;

const byIdsQuery = (direction: 'asc' | 'desc') =>
  defineQuery({
    name: `list-users-by-ids-${direction}`,
    isHot: true,
    sql: (schema: string) => `select ${userColumns(schema)} from ${schema}.users u ${userJoins(schema)}
    where u.project_id = $1 and u.id = any($2::uuid[]) order by ${orderOf({ isDescending: direction === 'desc' })}`,
  });
const byIdsQueries = { asc: byIdsQuery('asc'), desc: byIdsQuery('desc') };

/** All users that match $6 or have the ID $7, by index on $8, a part of $6. */
const everywhere = (schema: string, options: Shape) => `
  with matching as materialized (
    select n.id from ${schema}.users n where n.project_id = $1 and n.display_name ilike $8 and (n.display_name || '') ilike $6
    union select m.user_id from ${schema}.contact_channels m where m.project_id = $1 and m.value ilike $8 and (m.value || '') ilike $6
    union select $7::uuid
  )
  select u.id from matching join ${schema}.users u on u.id = matching.id
  where ${scope(schema, options)} order by ${orderOf(options)} limit $2`;

const nextQueries = defineShapes(
  'list-users',
  (schema, shape) => `select u.id from ${schema}.users u
    where ${scope(schema, shape)} order by ${orderOf(shape)} limit $2`,
);
const nearQueries = defineShapes('search-users-near', nearby);
const searchQueries = defineShapes('search-users', everywhere);
