import type { ReadDb } from '../read-db.ts';
import { isUser, placeOf, type SearchWindow, type UserPage } from './list.ts';
import type { UserListOptions } from './list-filters.ts';
import { filtersOf, idIn, isIndexed, partOf, tellingPart } from './list-filters.ts';
import {
  beginOf,
  defineShapes,
  isInTeam,
  membersOf,
  type Narrowing,
  notNarrowed,
  queryOf,
  type Shape,
  shapeOf,
  shapes,
  smallTeam,
  startOf,
  untilEnd,
} from './list-shapes.ts';
import { millisOf, type UserRow, userColumns } from './queries.ts';
import { isFound, ofTeam } from './search.ts';
import { asSearched } from './search-text.ts';

/** A user takes two lookups. */
const usualWindow: SearchWindow = { first: 1_000, most: 2_500, matches: 5_000 };

/**
 * One page of a project's users by their latest activity, or by their sign-up if they were never active. The cursor
 * is `<milliseconds>.<user ID>`: users who become active between two pages move, so the ID alone would not tell the
 * place. A list of a large team, or a search for a text that is too short for the index, ends the page where it got
 * to. Another search looks through a few users first, and then asks the index.
 */
export async function listUsersByActivity(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window = usualWindow,
): Promise<UserPage> {
  const { limit, teamId, cursor, query } = options;
  const place = placeOf(cursor);
  const shape = shapeOf(projectId, options);
  const values = [projectId, limit + 1, place.id, teamId, options.excluded ?? []] as const;
  if (!query && teamId === null) {
    return pageOf(await db.rows<FoundRow>(queryOf(lists, shape), [...values, place.key]), limit);
  }
  const sought = [...values, partOf(query ?? ''), idIn(query ?? '')] as const;
  const lookThrough = async (size: number) =>
    pageOf(await db.rows<FoundRow>(queryOf(nearSearches, shape), [...sought, size, place.key]), limit);
  const telling = tellingPart(query ?? '');
  if (!isIndexed(telling)) return lookThrough(window.most);
  const near = await lookThrough(window.first);
  if (near.nextCursor === null || near.items.length === limit) return near;
  const found = [...sought, partOf(telling), place.key, window.matches] as const;
  const rows = await db.rows<IndexRow>(queryOf(indexSearches, shape), found);
  return rows[0]?.areTooMany ? lookThrough(window.most) : pageOf(rows.filter(isUser), limit);
}

/**
 * `isRest`: not a match, but where the search got to. `areTooMany`: more matches by index than are sorted, so that the
 * page is not known.
 */
export type FoundRow = UserRow & { time: number; isRest?: boolean; areTooMany?: boolean };
/** The user is null if nothing was found. */
type IndexRow = FoundRow | { id: null; areTooMany: boolean };

/** The row that does not fit, or the one that the search got to, begins the next page. */
export function pageOf(rows: readonly FoundRow[], limit: number): UserPage {
  const next = rows[limit] ?? rows.find(({ isRest }) => isRest);
  const items = rows.filter(({ isRest }) => !isRest).slice(0, limit);
  return {
    items: items.map(({ time: _, isRest: __, areTooMany: ___, ...user }) => user),
    nextCursor: next ? `${next.time}.${next.id}` : null,
  };
}

const orderOf = ({ isDescending }: Shape) => (isDescending ? 'u.time desc, u.id desc' : 'u.time, u.id');
const columns = (schema: string, shape: Shape) => `${userColumns(schema, shape)}, ${millisOf('u.time')} as time`;

/** SQL for the time and the ID that users `u` are sorted by. An index helps if both are of the same table. */
type Key = { time: string; id: string };
const keys = {
  active: { time: 'a.last_active_at', id: 'a.user_id' },
  idle: { time: 'u.signed_up_at', id: 'u.id' },
  either: { time: 'coalesce(a.last_active_at, u.signed_up_at)', id: 'u.id' },
} as const satisfies Record<string, Key>;

/** Conditions on users `u`: in project $1 and team $4, from the cursor on. */
const scope = (schema: string, shape: Shape, key: Key, narrowing: Narrowing) =>
  `${fromCursor(shape, key, narrowing)} and ${shape.teamId ? isInTeam(schema) : '$4::uuid is null'}`;

const fromCursor = (shape: Shape, { time, id }: Key, narrowing: Narrowing) =>
  `u.project_id = $1 ${filtersOf(shape.kind, '$5')} ${untilEnd(shape, narrowing, time)}
  and (${time}, ${id}) ${shape.isDescending ? '<=' : '>='} (select time, id from place)`;

/** `time`: the parameter with the time of the cursor. An unknown cursor has no place, so nothing is found. */
function placeOfCursor(schema: string, shape: Shape, time: string, narrowing = notNarrowed): string {
  const begin = beginOf(shape, narrowing, 'c.time', 'c.id');
  return `place as materialized (select ${begin.key} as time, ${begin.id} as id from (
    select case when $3::uuid is null then ${startOf(shape).key} else coalesce(${time}::timestamptz, (
      select coalesce(a.last_active_at, f.signed_up_at) from ${schema}.users f
      left join activity.users a on a.user_id = f.id where $3 = f.id and f.project_id = $1)) end as time,
      coalesce($3::uuid, ${startOf(shape).id}) as id
  ) c)`;
}

/** Users with their activity, looked up for each. */
const withActivity = (schema: string, condition: string) => `
  select u.*, ${keys.either.time} as time
  from ${schema}.users u left join activity.users a on a.user_id = u.id
  where ${condition}`;

/**
 * The next users in scope, in order: for a large team, the next ones of the project. Reads as many of the active
 * users as needed, by index. Of the users who were never active it needs only those who signed up before the last of
 * them. The members of a small team are sorted instead. Of `is not true`, the planner expects that many users match,
 * and reads in order; of `is null`, that it can sort all.
 */
function nextUsers(schema: string, shape: Shape, limit: string, time: string, narrowing = notNarrowed): string {
  const inScope = (of: Key) => (shape.teamId ? fromCursor(shape, of, narrowing) : scope(schema, shape, of, narrowing));
  const inOrder = ({ time, id }: Key) => `${time} ${direction}, ${id} ${direction}`;
  const [direction, last, beyond, end] = shape.isDescending
    ? ['desc', 'min', '>=', '-infinity']
    : ['asc', 'max', '<=', 'infinity'];
  const isLarge = shape.teamId ? 'not (select is_small from team)' : 'true';
  return `with ${placeOfCursor(schema, shape, time, narrowing)}, members as materialized (${membersOf(schema)}
  ), team as materialized (select count(*) <= ${smallTeam} as is_small from members
  ), active as materialized (
    select u.*, a.last_active_at as time from activity.users a join ${schema}.users u on u.id = a.user_id
    where a.project_id = $1 and ${isLarge} and ${inScope(keys.active)}
    order by ${inOrder(keys.active)} limit ${limit}
  ), idle as materialized (
    select u.*, u.signed_up_at as time from ${schema}.users u
    where ${isLarge} and ${inScope(keys.idle)}
      and (select true from activity.users a where a.user_id = u.id) is not true
      and u.signed_up_at ${beyond} (
        select case when count(*) < ${limit} then '${end}' else ${last}(time) end from active)
    order by ${inOrder(keys.idle)} limit ${limit}
  ), of_team as materialized (${
    shape.teamId
      ? `${withActivity(schema, `not ${isLarge} and u.id = any(array(select user_id from members)) and ${fromCursor(shape, keys.either, narrowing)}`)}
         order by ${inOrder(keys.either)} limit ${limit}`
      : 'table idle limit 0'
  })
  select u.* from (table active union all table idle union all table of_team) u
  order by ${orderOf(shape)} limit ${limit}`;
}

/** Matches among the next $8 users, of the project for a large team, with the user after these. */
export const foundNearByActivity = (
  schema: string,
  shape: Shape,
  narrowing = notNarrowed,
): string => `with next as materialized (
      select u.*, row_number() over (order by ${orderOf(shape)}) > $8 as is_rest
      from (${nextUsers(schema, shape, '$8 + 1', '$9', narrowing)}) u
    )
    select ${columns(schema, shape)}, u.is_rest as "isRest" from next u where (${isFound} ${narrowing.matches} ${ofTeam(schema, shape)}) or u.is_rest
    order by ${orderOf(shape)} limit $2`;

const lists = defineShapes(
  'list-active-users',
  (schema, shape) => `select ${columns(schema, shape)} from (${nextUsers(schema, shape, '$2', '$6')}) u
    order by ${orderOf(shape)}`,
  shapes.filter(({ teamId }) => !teamId),
);
const nearSearches = defineShapes('search-active-near', foundNearByActivity, shapes);
/** All matches by index, unless these are more than $10. */
const indexSearches = defineShapes(
  'search-active',
  (schema, shape) => `with ${placeOfCursor(schema, shape, '$9')}, matching as materialized (
      select n.id from ${schema}.users n where n.project_id = $1 and n.search_text like (select ${asSearched('$8')})
        and (n.search_text || '') like (select ${asSearched('$6')}) limit $10 + 1
    ), counted as materialized (select count(*) > $10 as "areTooMany" from matching
    ), found as materialized (
      ${withActivity(
        schema,
        `u.id = any(array(select id from matching union select $7::uuid)) and not (select "areTooMany" from counted)
        and ${scope(schema, shape, keys.either, notNarrowed)}`,
      )}
      order by time ${shape.isDescending ? 'desc' : 'asc'}, id ${shape.isDescending ? 'desc' : 'asc'} limit $2
    )
    select "areTooMany", listed.* from counted left join (
      select ${columns(schema, shape)} from found u order by ${orderOf(shape)}) listed on true`,
  shapes,
);
