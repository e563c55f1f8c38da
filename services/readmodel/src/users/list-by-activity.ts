import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';
import { placeOf, type UserPage, usualWindow } from './list.ts';
import type { UserListOptions } from './list-filters.ts';
import { filtersOf, idIn, isIndexed, partOf, tellingPart } from './list-filters.ts';
import {
  isInTeam,
  membersOf,
  type Narrowing,
  type NextUsers,
  nameOf as nameOfShape,
  notNarrowed,
  type Shape,
  shapeOf,
  shapes,
  smallTeam,
  startOf,
} from './list-shapes.ts';
import { millisOf, type UserRow, userColumns } from './queries.ts';
import { isFound, ofTeam } from './search.ts';
import { asSearched } from './search-text.ts';

/**
 * One page of a project's users by their latest activity, or by their sign-up if they were never active. The cursor is
 * `<milliseconds>.<user ID>`: users who become active between two pages move, so the ID alone would not tell the place.
 * A search looks through the next users first, and then asks the index if the text is long enough. `window`: how many
 * users to look through.
 */
export async function listUsersByActivity(
  db: ReadDb,
  projectId: string,
  options: UserListOptions,
  window = usualWindow.byActivity,
): Promise<UserPage> {
  const { limit, teamId, cursor, query } = options;
  const place = placeOf(cursor);
  const shape = shapeOf(projectId, options);
  const values = [projectId, limit + 1, place.id, teamId, options.excluded ?? []] as const;
  const read = (form: Form, more: readonly unknown[]) =>
    db.rows<FoundRow>(required(nameOf(form, shape)), [...values, ...more, place.key]);
  if (!query) return pageOf(await read('list-active-users', []), limit);
  const sought = [partOf(query), idIn(query)] as const;
  const near = pageOf(await read('search-active-near', [...sought, window]), limit);
  const isWhole = near.nextCursor === null || near.items.length === limit;
  return isWhole || !isIndexed(tellingPart(query))
    ? near
    : pageOf(await read('search-active', [...sought, partOf(tellingPart(query))]), limit);
}

/** `isRest`: not a match, but where the search got to. */
export type FoundRow = UserRow & { time: number; isRest?: boolean };

/** The row that does not fit, or the one that the search got to, begins the next page. */
export function pageOf(rows: readonly FoundRow[], limit: number): UserPage {
  const next = rows[limit] ?? rows.find(({ isRest }) => isRest);
  const items = rows.filter(({ isRest }) => !isRest).slice(0, limit);
  return {
    items: items.map(({ time: _, isRest: __, ...user }) => user),
    nextCursor: next ? `${next.time}.${next.id}` : null,
  };
}

const forms = ['list-active-users', 'search-active-near', 'search-active'] as const;
type Form = (typeof forms)[number];
const nameOf = (form: Form, shape: Shape) => `${form}-${nameOfShape(shape)}`;

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

const fromCursor = ({ isDescending, kind }: Shape, { time, id }: Key, { rangeOf }: Narrowing) =>
  `u.project_id = $1 ${filtersOf(kind, '$5')} ${rangeOf(time)}
  and (${time}, ${id}) ${isDescending ? '<=' : '>='} (select time, id from place)`;

/** `time`: the parameter with the time of the cursor. An unknown cursor has no place, so nothing is found. */
const placeOfCursor = (schema: string, shape: Shape, time: string) => `place as materialized (
    select case when $3::uuid is null then ${startOf(shape).key} else coalesce(${time}::timestamptz, (
      select coalesce(a.last_active_at, f.signed_up_at) from ${schema}.users f
      left join activity.users a on a.user_id = f.id where $3 = f.id and f.project_id = $1)) end as time,
      coalesce($3::uuid, ${startOf(shape).id}) as id
  )`;

/** Users with their activity, looked up for each. */
const withActivity = (schema: string, condition: string) => `
  select u.*, ${keys.either.time} as time
  from ${schema}.users u left join activity.users a on a.user_id = u.id
  where ${condition}`;

/**
 * The next users in scope, in order. Reads as many of the active users as needed, by index. Of the users who were never
 * active it needs only those who signed up before the last of them. The members of a small team are sorted instead.
 * Of `is not true`, the planner expects that many users match, and reads in order; of `is null`, that it can sort all.
 */
function nextUsers(
  schema: string,
  shape: Shape,
  limit: string,
  time: string,
  { narrowing = notNarrowed, isWindow = false }: Omit<NextUsers, 'most'> = {},
): string {
  const inScope = (of: Key) =>
    isWindow && shape.teamId ? fromCursor(shape, of, narrowing) : scope(schema, shape, of, narrowing);
  const inOrder = ({ time, id }: Key) => `${time} ${direction}, ${id} ${direction}`;
  const [direction, last, beyond, end] = shape.isDescending
    ? ['desc', 'min', '>=', '-infinity']
    : ['asc', 'max', '<=', 'infinity'];
  const isLarge = shape.teamId ? 'not (select is_small from team)' : 'true';
  return `with ${placeOfCursor(schema, shape, time)}, members as materialized (${membersOf(schema)}
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
      from (${nextUsers(schema, shape, '$8 + 1', '$9', { narrowing, isWindow: true })}) u
    )
    select ${columns(schema, shape)}, u.is_rest as "isRest" from next u where (${isFound} ${narrowing.matches} ${ofTeam(schema, shape)}) or u.is_rest
    order by ${orderOf(shape)} limit $2`;

/** All users in scope, matches among the next $8 users with the user after these, or all matches by index. */
const texts: Readonly<Record<Form, (schema: string, shape: Shape) => string>> = {
  'list-active-users': (
    schema,
    shape,
  ) => `select ${columns(schema, shape)} from (${nextUsers(schema, shape, '$2', '$6')}) u
    order by ${orderOf(shape)}`,
  'search-active-near': foundNearByActivity,
  'search-active': (schema, shape) => `with ${placeOfCursor(schema, shape, '$9')}, matching as materialized (
      select n.id from ${schema}.users n where n.project_id = $1 and n.search_text like (select ${asSearched('$8')})
        and (n.search_text || '') like (select ${asSearched('$6')})
      union select $7::uuid
    ), found as materialized (
      ${withActivity(schema, `u.id = any(array(select id from matching)) and ${scope(schema, shape, keys.either, notNarrowed)}`)}
      order by time ${shape.isDescending ? 'desc' : 'asc'}, id ${shape.isDescending ? 'desc' : 'asc'} limit $2
    )
    select ${columns(schema, shape)} from found u order by ${orderOf(shape)}`,
};

const queries = new Map<string, ProjectQuery>();
for (const form of forms) {
  for (const shape of shapes) {
    const name = nameOf(form, shape);
    queries.set(name, defineQuery({ name, isHot: true, sql: (schema) => texts[form](schema, shape) }));
  }
}

function required(name: string): ProjectQuery {
  const query = queries.get(name);
  if (!query) throw new Error(`unknown list of users: ${name}`);
  return query;
}
