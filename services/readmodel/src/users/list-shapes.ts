import { defineQuery, type ProjectQuery } from '../read-db.ts';
import { filtersOf, kindOf, type UserKind, type UserListOptions, userKinds } from './list-filters.ts';
import { type ListSort, listSorts } from './list-sorts.ts';

export type Shape = { sort: ListSort; isDescending: boolean; teamId: boolean; kind: UserKind; isInternal: boolean };

/** A search looks through at most this many users in order, and a page has fewer. */
export const largestWindow = 10_000;
/**
 * Members of teams up to this size are sorted. In a larger team, the next users by sign-up soon contain enough members:
 * both take the same time for 5,000 members among 500,000 users.
 */
export const smallTeam = 5_000;

/** Each form is prepared once. */
export const nameOf = ({ sort, isDescending, teamId, kind, isInternal }: Shape) =>
  [
    sort !== 'signedUp' && `by-${sort}`,
    isDescending ? 'desc' : 'asc',
    teamId && 'in-team',
    kind,
    isInternal && 'internal',
  ]
    .filter(Boolean)
    .join('-');

/** Before every place of a list, in its order. */
export const startOf = ({ sort, isDescending }: Pick<Shape, 'sort' | 'isDescending'>) =>
  isDescending
    ? { key: listSorts[sort].highest, id: `uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'` }
    : { key: listSorts[sort].lowest, id: `uuid '00000000-0000-0000-0000-000000000000'` };

export const orderOf = ({ sort, isDescending }: Pick<Shape, 'sort' | 'isDescending'>, user = 'u') => {
  const order = isDescending ? 'desc' : 'asc';
  return `${listSorts[sort].of(user)} ${order}, ${user}.id ${order}`;
};

/** SQL for times: from, inclusive, until, exclusive. */
export type SortedRange = { from: string; until: string };
/** More conditions: `range` of the time that a list is sorted by, and so of what is read; `matches` on users `u`. */
export type Narrowing = { range: SortedRange | null; matches: string };
export const notNarrowed: Narrowing = { range: null, matches: '' };

/**
 * SQL for `key` and `id` of the place where reading begins: that of the cursor, or the beginning of the range if that
 * comes later. Postgres would begin an index scan at one of two conditions and read all users up to the other.
 */
export function beginOf({ isDescending, sort }: Shape, { range }: Narrowing, key: string, id: string) {
  if (!range) return { key, id };
  const [isBefore, begin] = isDescending
    ? [`${key} >= ${range.until}`, `${range.until} - interval '1 microsecond'`]
    : [`${key} < ${range.from}`, range.from];
  const or = (other: string, own: string) => `case when ${isBefore} then ${other} else ${own} end`;
  return { key: or(begin, key), id: or(startOf({ sort, isDescending }).id, id) };
}

/** The condition on `time` where the range ends. */
export const untilEnd = ({ isDescending }: Shape, { range }: Narrowing, time: string) =>
  range === null ? '' : `and ${isDescending ? `${time} >= ${range.from}` : `${time} < ${range.until}`}`;

/**
 * Users `u` of project $1, from cursor $3 on; all if it is null. `key`: the parameter with the key of the cursor, or
 * SQL. Without a key, an unknown cursor has no place, so nothing is found.
 */
export function fromCursor(schema: string, shape: Shape, key: string, narrowing = notNarrowed): string {
  const start = startOf(shape);
  const { of, parse } = listSorts[shape.sort];
  const begin = beginOf(shape, narrowing, 'place.key', 'place.id');
  return `u.project_id = $1 ${filtersOf(shape.kind, '$5')} ${untilEnd(shape, narrowing, 'u.signed_up_at')}
    and (${of('u')}, u.id) ${shape.isDescending ? '<=' : '>='} (select ${begin.key}, ${begin.id} from (
      select ${of('f')} as key, f.id from ${schema}.users f
        where $3 = f.id and f.project_id = $1 and ${parse(key)} is null
      union all select coalesce(${parse(key)}, ${start.key}), coalesce($3::uuid, ${start.id})
        where $3::uuid is null or ${parse(key)} is not null) place)`;
}

/** Whether user `u` is a member of team $4: looked up for each user, where `exists` could read all members first. */
export const isInTeam = (schema: string) => `exists (select from ${schema}.teams tt where tt.id = $4)
  and (select tm.user_id from ${schema}.team_members tm where tm.team_id = $4 and tm.user_id = u.id) is not null`;

/** Users `u` of project $1, from cursor $3 at `key` on, in team $4. */
export const scope = (schema: string, shape: Shape, key: string, narrowing = notNarrowed) =>
  `${fromCursor(schema, shape, key, narrowing)} and ${shape.teamId ? isInTeam(schema) : '$4::uuid is null'}`;

/** The first members of team $4, one more than are sorted. */
export const membersOf = (schema: string, most: string | number = smallTeam + 1) => `
  select tm.user_id from ${schema}.team_members tm join ${schema}.teams tt on tt.id = tm.team_id
  where tm.team_id = $4 limit ${most}`;

export type NextUsers = { narrowing?: Narrowing; most?: number };

/**
 * The next users in scope, in order: for a large team, the next ones of the project, so check `isInTeam` for each.
 * `most` tells the planner how few are read, whatever `limit` is.
 */
export function nextUsers(
  schema: string,
  shape: Shape,
  limit: string,
  key: string,
  { narrowing = notNarrowed, most = largestWindow }: NextUsers = {},
): string {
  const inOrder = `order by ${orderOf(shape)} limit ${most}`;
  const inScope = (shape.teamId ? fromCursor : scope)(schema, shape, key, narrowing);
  const byIndex = `select u.* from ${schema}.users u where ${inScope}`;
  if (!shape.teamId) return `select u.* from (${byIndex} ${inOrder}) u order by ${orderOf(shape)} limit ${limit}`;
  return `with members as materialized (${membersOf(schema)}
    ), team as materialized (select count(*) <= ${smallTeam} as is_small from members)
    select u.* from (
      (select u.* from ${schema}.users u where ${fromCursor(schema, shape, key, narrowing)} and (select is_small from team)
        and u.id = any(array(select user_id from members)) ${inOrder})
      union all (${byIndex} and not (select is_small from team) ${inOrder})
    ) u order by ${orderOf(shape)} limit ${limit}`;
}

const either = [true, false];
/** By time of sign-up. */
export const shapes: readonly Shape[] = either.flatMap((isDescending) =>
  either.flatMap((teamId) =>
    either.flatMap((isInternal) =>
      userKinds.map((kind) => ({ sort: 'signedUp', isDescending, teamId, kind, isInternal })),
    ),
  ),
);
const shapesByText = (['name', 'email'] as const).flatMap((sort) =>
  shapes.filter(({ kind }) => kind === '').map((shape) => ({ ...shape, sort })),
);
/** By time of sign-up, name or address. */
export const keyShapes: readonly Shape[] = [...shapes, ...shapesByText];

type ShapeOptions = Omit<UserListOptions, 'limit' | 'cursor' | 'query'>;
export const shapeOf = (
  projectId: string,
  { sort = 'signedUp', isDescending, teamId, ...filters }: ShapeOptions,
): Shape => ({
  sort,
  isDescending,
  teamId: teamId !== null,
  kind: kindOf(filters),
  isInternal: projectId === 'internal',
});

/** Hot: planning takes longer than reading a page, and the values decide nothing that the plan does not. */
export function defineShapes(
  name: string,
  sql: (schema: string, shape: Shape) => string,
  among = keyShapes,
): ReadonlyMap<string, ProjectQuery> {
  return new Map(
    among.map((shape) => {
      const key = nameOf(shape);
      return [key, defineQuery({ name: `${name}-${key}`, isHot: true, sql: (schema) => sql(schema, shape) })] as const;
    }),
  );
}

export function queryOf(queries: ReadonlyMap<string, ProjectQuery>, shape: Shape): ProjectQuery {
  const query = queries.get(nameOf(shape));
  if (!query) throw new Error(`unknown list of users: ${nameOf(shape)}`);
  return query;
}
