import { isInTeam, nextUsers, notNarrowed, orderOf, type Shape, scope } from './list-shapes.ts';
import { listSorts } from './list-sorts.ts';
import { userColumns } from './queries.ts';
import { asSearched } from './search-text.ts';

/*
 * Searches of users for the pattern $6 or the ID $7. `search_text` has no statistics, because it is personal, so these
 * queries count for themselves and leave the planner no choice.
 */

const pattern = `(select ${asSearched('$6')})`;

/** `place`: of the user in a list that is not sorted by time. */
export const listedColumns = (schema: string, shape: Shape) =>
  `${userColumns(schema, shape)}${shape.sort === 'signedUp' ? '' : `, ${listSorts[shape.sort].textOf('u')} as place`}`;

const usersIn = (
  schema: string,
  shape: Shape,
  ids: string,
) => `select ${listedColumns(schema, shape)} from ${schema}.users u
  where u.project_id = $1 and u.id = any(array(${ids})) order by ${orderOf(shape)}`;

/** IDs of the page, from the first part that has them all. */
const pageOf = `(select id from near where is_match and (select is_near from plan) limit $2)
  union all (select id from further where (select count(*) from further) = $2)
  union all (select id from indexed)`;

/** Users `u` that match. */
export const isFound = `(u.search_text like ${pattern} or u.id = $7::uuid)`;

/** What users within a window have in common besides. */
export const ofTeam = (schema: string, { teamId }: Shape) => (teamId ? `and ${isInTeam(schema)}` : '');

/** Of the next `window` users, at most $2 that match. */
const matchingOf = (schema: string, shape: Shape, window: string, key: string) => `
  select u.id from (${nextUsers(schema, shape, window, key)}) u
  where ${isFound} ${ofTeam(schema, shape)}
  order by ${orderOf(shape)} limit $2`;

/**
 * Matches among the next $8 users, and the place of the next one if the page has room. $9: key of the cursor. For a
 * large team these are the next users of the project, because its members may be far between. Reads no further than
 * until the page is full.
 */
export const foundNear = (schema: string, shape: Shape, narrowing = notNarrowed): string => `
  with found as materialized (
    select u.id, u.is_rest, ${listSorts[shape.sort].textOf('u')} || '.' || u.id as place from (
      select u.*, row_number() over (order by ${orderOf(shape)}) > $8 as is_rest
      from (${nextUsers(schema, shape, '$8 + 1', '$9', { narrowing })}) u
    ) u
    where u.is_rest or (${isFound} ${narrowing.matches} ${ofTeam(schema, shape)})
    order by ${orderOf(shape)} limit $2
  )
  select (select place from found where is_rest) as next, listed.* from (select 1) one
  left join (${usersIn(schema, shape, 'select id from found where not is_rest')}) listed on true`;

/**
 * Looks through the next $9 users first. If they fill the page, or are all, nothing more is read. Otherwise the number
 * of matches among them tells what is faster: to look through at most $10 users until the page is full, or to find all
 * matches by index on $8, a part of $6, and sort them, unless these are more than $12. Reading a user by index takes
 * about three times as long as reading the next one. $11: key of the cursor.
 *
 * The matches are found before anything else is checked: Postgres would combine the index of the text with the one of
 * the order, and read all of that.
 */
export const foundByIndex = (schema: string, shape: Shape): string => `
  with near as materialized (
    select u.id, ${isFound} ${ofTeam(schema, shape)} as is_match
    from (${nextUsers(schema, shape, '$9', '$11')}) u
  ), counted as materialized (
    select count(*) as read, count(*) filter (where is_match) as matched from near
  ), plan as materialized (
    select read < $9 or matched >= $2 as is_near,
      matched::float8 * matched * 3 * coalesce((select p.user_count from ${schema}.projects p where p.id = $1), 0)
        > $2::float8 * $9 * $9 as is_frequent
    from counted
  ), further as materialized (
    ${matchingOf(schema, shape, '(select case when is_near or not is_frequent then 0 else $10 end from plan)', '$11')}
  ), matching as materialized (
    select u.* from ${schema}.users u
    where not (select is_near from plan) and (select count(*) from further) < $2
      and u.search_text like (select ${asSearched('$8')}) and (u.search_text || '') like ${pattern} limit $12 + 1
  ), found as materialized (select count(*) > $12 as "areTooMany" from matching
  ), indexed as materialized (
    select u.id, ${listSorts[shape.sort].of('u')} as key from matching u
    where not (select "areTooMany" from found) and ${scope(schema, shape, '$11')}
    union select u.id, ${listSorts[shape.sort].of('u')} from ${schema}.users u
    where not (select is_near from plan) and u.id = $7::uuid and ${scope(schema, shape, '$11')}
    order by key ${shape.isDescending ? 'desc' : 'asc'}, id ${shape.isDescending ? 'desc' : 'asc'} limit $2
  )
  select "areTooMany", listed.* from found left join (${usersIn(schema, shape, pageOf)}) listed on true`;
