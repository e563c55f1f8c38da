import type { ReadDb } from '../read-db.ts';
import { type UserRow, userColumns, userJoins } from './queries.ts';

export type UserListOptions = {
  /** Members of this team alone. */
  teamId: string | null;
  /** Id of the first user of the page, itself included. */
  cursor: string | null;
  /** null: everybody, in one page. */
  limit: number | null;
  /** Newest first. */
  isDescending: boolean;
  /** Part of the name or of any contact channel, or a whole id; null or empty: no filter. */
  query: string | null;
};
/** `nextCursor` is the id of the first user that did not fit, or of the first one that was not looked at. */
export type UserPage = { items: UserRow[]; nextCursor: string | null };

/** So many users are looked through in order, before an index is asked. */
const usualWindow = 2_000;
/** The index knows nothing shorter. */
const trigram = 3;

/**
 * One page of a project's users by time of sign-up. A search looks through the next users first: a text that many have fills the
 * page from these. One that few have is found by index, and one too short for an index ends the page where it has got to, so
 * that no page costs more with more users. `window`: how many it looks through.
 */
export async function listUsers(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window = usualWindow,
): Promise<UserPage> {
  const { query, limit, teamId, cursor } = options;
  const find = async (name: string, sql: (schema: string) => string, values: readonly unknown[]) =>
    pageOf(
      await db.rows<UserRow>({ name, sql }, [projectId, limit === null ? null : limit + 1, cursor, teamId, ...values]),
      limit,
    );
  if (!query) return find(`list-users-${shapeOf(options)}`, (schema) => everybody(schema, options), []);
  const pattern = `%${query.replace(/[\\%_]/g, '\\$&')}%`;
  const id = idIn(query);
  if (limit !== null) {
    const [near] = await db.rows<{ matched: string[]; next: string | null }>(
      { name: `search-users-near-${shapeOf(options)}`, sql: (schema) => nearby(schema, options) },
      [projectId, limit + 1, cursor, teamId, pattern, id, window],
    );
    const { matched = [], next = null } = near ?? {};
    const isFull = matched.length > limit;
    if (isFull || next === null || query.length < trigram) {
      const rows = await db.rows<UserRow>(byIdsQuery(options), [projectId, matched.slice(0, limit)]);
      return { items: rows, nextCursor: isFull ? (matched[limit] ?? null) : next };
    }
  }
  return find(`search-users-${shapeOf(options)}`, (schema) => everywhere(schema, options), [pattern, id]);
}

function pageOf(rows: UserRow[], limit: number | null): UserPage {
  if (limit === null || rows.length <= limit) return { items: rows, nextCursor: null };
  return { items: rows.slice(0, limit), nextCursor: rows[limit]?.id ?? null };
}

/** An id is found in any spelling, with what stands around it (protocol, resources §1.7). */
function idIn(query: string): string | null {
  const text = query.replace(/[^a-zA-Z0-9\-_.]/g, '').toLowerCase();
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : null;
}

/** Each form is prepared once. */
const shapeOf = ({ isDescending, cursor, teamId }: UserListOptions) =>
  `${isDescending ? 'desc' : 'asc'}${cursor ? '-from' : ''}${teamId ? '-in-team' : ''}`;
const orderOf = ({ isDescending }: UserListOptions, user = 'u') => {
  const order = isDescending ? 'desc' : 'asc';
  return `${user}.signed_up_at ${order}, ${user}.id ${order}`;
};

/** Users `u` of the project $1, from the cursor $3 on, in the team $4. */
const scope = (schema: string, { isDescending, cursor, teamId }: UserListOptions) => `
  u.project_id = $1
  ${
    cursor
      ? `and (u.signed_up_at, u.id) ${isDescending ? '<=' : '>='} (
           select f.signed_up_at, f.id from ${schema}.users f where f.id = $3 and f.project_id = $1)`
      : 'and $3::uuid is null'
  }
  ${
    teamId
      ? `and exists (select from ${schema}.team_members tm where tm.team_id = $4 and tm.user_id = u.id)`
      : 'and $4::uuid is null'
  }`;

const everybody = (schema: string, options: UserListOptions) => `
  select ${userColumns(schema)} from ${schema}.users u ${userJoins(schema)}
  where ${scope(schema, options)} order by ${orderOf(options)} limit $2`;

/** The next $7 users, which of them match, and the one after them. */
const nearby = (schema: string, options: UserListOptions) => `
  with near as materialized (
    select u.id, u.display_name, row_number() over (order by ${orderOf(options)}) as place
    from ${schema}.users u where ${scope(schema, options)} order by ${orderOf(options)} limit $7::int + 1
  ), matching as (
    select n.id, n.place from near n
    where n.place <= $7 and (n.display_name ilike $5 or n.id = $6::uuid or exists (
      select from ${schema}.contact_channels m where m.user_id = n.id and m.value ilike $5))
    order by n.place limit $2
  )
  select coalesce((select array_agg(id order by place) from matching), '{}') as matched,
    (select id from near where place = $7::int + 1) as next`;

const byIdsQuery = (options: UserListOptions) => ({
  name: `list-users-by-ids-${options.isDescending ? 'desc' : 'asc'}`,
  sql: (schema: string) => `select ${userColumns(schema)} from ${schema}.users u ${userJoins(schema)}
    where u.project_id = $1 and u.id = any($2::uuid[]) order by ${orderOf(options)}`,
});

/** All that match $5, or have the id $6, by index. */
const everywhere = (schema: string, options: UserListOptions) => `
  with matching as materialized (
    select n.id from ${schema}.users n where n.project_id = $1 and n.display_name ilike $5
    union select m.user_id from ${schema}.contact_channels m where m.project_id = $1 and m.value ilike $5
    union select $6::uuid
  )
  select ${userColumns(schema)} from matching join ${schema}.users u on u.id = matching.id ${userJoins(schema)}
  where ${scope(schema, options)} order by ${orderOf(options)} limit $2`;
