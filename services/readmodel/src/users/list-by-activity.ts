import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';
import type { UserListOptions, UserPage } from './list.ts';
import { filtersOf, idIn, kindOf, partOf, type UserKind, userKinds } from './list-filters.ts';
import { type UserRow, userColumns, userJoins } from './queries.ts';

/**
 * One page of a project's users by their latest activity, or by their sign-up if they were never active. The cursor is
 * `<milliseconds>.<user ID>`: users who become active between two pages move, so the ID alone would not tell the place.
 */
export async function listUsersByActivity(
  db: ReadDb,
  projectId: string,
  options: UserListOptions & { limit: number },
): Promise<UserPage> {
  const { limit, teamId, cursor, query, isDescending } = options;
  const kind = kindOf(options);
  const key = shapeOf({ isDescending, kind, teamId: teamId !== null, cursor: cursor !== null, query: Boolean(query) });
  const place = cursor === null ? { id: null, time: null } : placeOf(cursor);
  const found = await db.rows<{ id: string; time: number }>(required(key), [
    projectId,
    limit + 1,
    place.id,
    teamId,
    options.excluded ?? [],
    query ? partOf(query) : null,
    query ? idIn(query) : null,
    place.time,
  ]);
  const ids = found.slice(0, limit).map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await db.rows<UserRow>(byIdsQuery, [projectId, ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const next = found[limit];
  return {
    items: ids.flatMap((id) => byId.get(id) ?? []),
    nextCursor: next === undefined ? null : `${next.time}.${next.id}`,
  };
}

/** An ID alone stands for the user's present place. */
function placeOf(cursor: string): { id: string | null; time: string | null } {
  const [id = null, millis] = cursor.split('.').toReversed();
  return { id, time: millis === undefined ? null : new Date(Number(millis)).toISOString() };
}

type Shape = { isDescending: boolean; kind: UserKind; teamId: boolean; cursor: boolean; query: boolean };
const shapeOf = ({ isDescending, kind, teamId, cursor, query }: Shape) =>
  [isDescending ? 'desc' : 'asc', kind, teamId && 'in-team', cursor && 'from', query && 'search']
    .filter(Boolean)
    .join('-');

const byIdsQuery = defineQuery({
  name: 'list-active-users-by-ids',
  isHot: true,
  sql: (schema: string) => `select ${userColumns(schema)} from ${schema}.users u ${userJoins(schema)}
    where u.project_id = $1 and u.id = any($2::uuid[])`,
});

/**
 * Reads as many of the active users as the page needs, by index. Of the users who were never active it needs only those
 * who signed up before the last of them, in the order of the list.
 */
function pageOf(schema: string, { isDescending, kind, teamId, cursor, query }: Shape): string {
  const [direction, upTo, last, beyond] = isDescending ? ['desc', '<=', 'min', '>='] : ['asc', '>=', 'max', '<='];
  const from = (time: string) => (cursor ? `and (${time}, u.id) ${upTo} (select time, id from place)` : '');
  const conditions = `u.project_id = $1 ${filtersOf(schema, { kind, teamId, excluded: '$5' })}
    ${query ? 'and u.id in (select id from matching)' : ''}`;
  return `with place as materialized (
    select coalesce($8::timestamptz, (
      select coalesce(a.last_active_at, f.signed_up_at) from ${schema}.users f
      left join activity.users a on a.user_id = f.id where f.id = $3 and f.project_id = $1)) as time, $3::uuid as id
  ), matching as materialized (
    select n.id from ${schema}.users n where n.project_id = $1 and n.display_name ilike $6
    union select m.user_id from ${schema}.contact_channels m where m.project_id = $1 and m.value ilike $6
    union select $7::uuid
  ), active as materialized (
    select u.id, a.last_active_at as time from activity.users a join ${schema}.users u on u.id = a.user_id
    where a.project_id = $1 and ${conditions} ${from('a.last_active_at')}
    order by a.last_active_at ${direction}, u.id ${direction} limit $2
  ), idle as materialized (
    select u.id, u.signed_up_at as time from ${schema}.users u
    where ${conditions} ${from('u.signed_up_at')}
      and not exists (select from activity.users a where a.user_id = u.id)
      and ((select count(*) from active) < $2 or u.signed_up_at ${beyond} (select ${last}(time) from active))
    order by u.signed_up_at ${direction}, u.id ${direction} limit $2
  )
  select id, (extract(epoch from time) * 1000)::float8 as time from (table active union all table idle) found
  order by found.time ${direction}, id ${direction} limit $2`;
}

const queries = new Map<string, ProjectQuery>();
for (const isDescending of [true, false])
  for (const kind of userKinds)
    for (const teamId of [true, false])
      for (const cursor of [true, false])
        for (const query of [true, false]) {
          const shape = { isDescending, kind, teamId, cursor, query };
          const key = shapeOf(shape);
          queries.set(key, defineQuery({ name: `list-active-users-${key}`, sql: (schema) => pageOf(schema, shape) }));
        }

function required(key: string): ProjectQuery {
  const query = queries.get(key);
  if (!query) throw new Error(`unknown list of users: ${key}`);
  return query;
}
