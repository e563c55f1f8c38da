import { defineQuery, type ProjectQuery } from '../read-db.ts';
import { filtersOf, kindOf, type UserKind, type UserListOptions, userKinds } from './list-filters.ts';

export type Shape = { isDescending: boolean; teamId: boolean; kind: UserKind; isInternal: boolean };

/** A search looks through at most this many users in order, and a page has fewer. */
export const largestWindow = 10_000;
/**
 * Members of teams up to this size are sorted. In a larger team, the next users by sign-up soon contain enough members:
 * both take the same time for 5,000 members among 500,000 users.
 */
export const smallTeam = 5_000;

/** Each form is prepared once. */
export const nameOf = ({ isDescending, teamId, kind, isInternal }: Shape) =>
  [isDescending ? 'desc' : 'asc', teamId && 'in-team', kind, isInternal && 'internal'].filter(Boolean).join('-');

/** Before every place of a list, in its order. */
export const startOf = ({ isDescending }: Pick<Shape, 'isDescending'>) =>
  isDescending
    ? { time: `timestamptz 'infinity'`, id: `uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'` }
    : { time: `timestamptz '-infinity'`, id: `uuid '00000000-0000-0000-0000-000000000000'` };

export const orderOf = ({ isDescending }: Pick<Shape, 'isDescending'>, user = 'u') => {
  const order = isDescending ? 'desc' : 'asc';
  return `${user}.signed_up_at ${order}, ${user}.id ${order}`;
};

/** More conditions: `rangeOf` on the time that a list is sorted by, and so on what is read; `matches` on users `u`. */
export type Narrowing = { rangeOf: (time: string) => string; matches: string };
export const notNarrowed: Narrowing = { rangeOf: () => '', matches: '' };

/**
 * Users `u` of project $1, from cursor $3 on; all if it is null. `time`: the parameter with the time of the cursor, or
 * SQL. Without a time, an unknown cursor has no place, so nothing is found.
 */
function fromCursor(schema: string, shape: Shape, time: string, { rangeOf }: Narrowing): string {
  const start = startOf(shape);
  return `u.project_id = $1 ${filtersOf(shape.kind, '$5')} ${rangeOf('u.signed_up_at')}
    and (u.signed_up_at, u.id) ${shape.isDescending ? '<=' : '>='} (
      select f.signed_up_at, f.id from ${schema}.users f
        where $3 = f.id and f.project_id = $1 and ${time}::timestamptz is null
      union all select coalesce(${time}::timestamptz, ${start.time}), coalesce($3::uuid, ${start.id})
        where $3::uuid is null or ${time}::timestamptz is not null)`;
}

/** Whether user `u` is a member of team $4: looked up for each user, where `exists` could read all members first. */
export const isInTeam = (schema: string) => `exists (select from ${schema}.teams tt where tt.id = $4)
  and (select tm.user_id from ${schema}.team_members tm where tm.team_id = $4 and tm.user_id = u.id) is not null`;

/** Users `u` of project $1, from cursor $3 at `time` on, in team $4. */
export const scope = (schema: string, shape: Shape, time: string, narrowing = notNarrowed) =>
  `${fromCursor(schema, shape, time, narrowing)} and ${shape.teamId ? isInTeam(schema) : '$4::uuid is null'}`;

/** The next users in scope, in order. `most` tells the planner how few are read, whatever `limit` is. */
export function nextUsers(
  schema: string,
  shape: Shape,
  limit: string,
  time: string,
  narrowing = notNarrowed,
  most = largestWindow,
): string {
  const inOrder = `order by ${orderOf(shape)} limit ${most}`;
  const byIndex = `select u.* from ${schema}.users u where ${scope(schema, shape, time, narrowing)}`;
  if (!shape.teamId) return `select u.* from (${byIndex} ${inOrder}) u order by ${orderOf(shape)} limit ${limit}`;
  return `with members as materialized (
      select tm.user_id from ${schema}.team_members tm join ${schema}.teams tt on tt.id = tm.team_id
      where tm.team_id = $4 limit ${smallTeam + 1}
    ), team as materialized (select count(*) <= ${smallTeam} as is_small from members)
    select u.* from (
      (select u.* from ${schema}.users u where ${fromCursor(schema, shape, time, narrowing)} and (select is_small from team)
        and u.id = any(array(select user_id from members)) ${inOrder})
      union all (${byIndex} and not (select is_small from team) ${inOrder})
    ) u order by ${orderOf(shape)} limit ${limit}`;
}

const either = [true, false];
export const shapes: readonly Shape[] = either.flatMap((isDescending) =>
  either.flatMap((teamId) =>
    either.flatMap((isInternal) => userKinds.map((kind) => ({ isDescending, teamId, kind, isInternal }))),
  ),
);

export const shapeOf = (projectId: string, { isDescending, teamId, ...filters }: UserListOptions): Shape => ({
  isDescending,
  teamId: teamId !== null,
  kind: kindOf(filters),
  isInternal: projectId === 'internal',
});

/** Hot: planning takes longer than reading a page, and the values decide nothing that the plan does not. */
export function defineShapes(
  name: string,
  sql: (schema: string, shape: Shape) => string,
): ReadonlyMap<string, ProjectQuery> {
  return new Map(
    shapes.map((shape) => {
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
