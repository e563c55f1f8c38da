import { definePagedQuery, type Listed, listPage, type Page } from '../list-pages.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';

export type Holder = { userId: string; teamId: string | null; displayName: string | null };
/** Holders with a direct grant of one of the keys `having`, and of none of `lacking`. */
export type SoughtHolders = { having: readonly string[]; lacking: readonly string[] };
/** `count`: exact. `holders`: the first ones, by team and user. */
export type FoundHolders = { count: number; holders: readonly Holder[] };

type Scope = 'team' | 'project';
type Row = { nth: number; count: number; userId: string | null; teamId: string | null; displayName: string | null };

/** Direct grants that count: of existing users, and members of existing teams. */
const grants: Readonly<Record<Scope, (schema: string) => string>> = {
  team: (schema) => `select p.team_id, p.user_id, p.permission from ${schema}.team_permissions p
    join ${schema}.team_members m on m.team_id = p.team_id and m.user_id = p.user_id
    join ${schema}.teams t on t.id = p.team_id
    join ${schema}.users u on u.id = p.user_id
    where p.project_id = $1`,
  project: (schema) => `select null::uuid as team_id, p.user_id, p.permission from ${schema}.project_permissions p
    join ${schema}.users u on u.id = p.user_id
    where p.project_id = $1`,
};

/** Reads each grant of a sought key once. Holders with equal grants are counted together. */
const findHoldersSql = (schema: string, from: string) => `with sought as (
    select (s.sought ->> 'nth')::int as nth,
      array(select jsonb_array_elements_text(s.sought -> 'having')) as having_keys,
      array(select jsonb_array_elements_text(s.sought -> 'lacking')) as lacking_keys
    from jsonb_array_elements($2::jsonb) s (sought)
  ), holders as materialized (
    select g.team_id, g.user_id, array_agg(g.permission order by g.permission) as keys
    from (${from}) g
    where exists (select from sought s where g.permission = any(s.having_keys) or g.permission = any(s.lacking_keys))
    group by g.team_id, g.user_id
  ), counted as (
    select h.keys, count(*)::int as count from holders h group by h.keys
  )
  select s.nth, c.count, p.user_id as "userId", p.team_id as "teamId", u.display_name as "displayName"
  from sought s
  cross join lateral (
    select coalesce(sum(c.count), 0)::int as count from counted c
    where c.keys && s.having_keys and not c.keys && s.lacking_keys
  ) c
  left join lateral (
    select h.team_id, h.user_id from holders h
    where h.keys && s.having_keys and not h.keys && s.lacking_keys
    order by h.team_id, h.user_id limit $3
  ) p on true
  left join ${schema}.users u on u.id = p.user_id
  order by s.nth, p.team_id, p.user_id`;

const findQueries = {
  team: defineQuery({
    name: 'find-team-permission-holders',
    sql: (schema) => findHoldersSql(schema, grants.team(schema)),
  }),
  project: defineQuery({
    name: 'find-project-permission-holders',
    sql: (schema) => findHoldersSql(schema, grants.project(schema)),
  }),
};

/** For each of `sought`, who has permissions of a scope by direct grants; at most `limit` people by name. */
export async function findHolders(
  db: ReadDb,
  projectId: string,
  { scope, sought, limit }: { scope: Scope; sought: readonly SoughtHolders[]; limit: number },
): Promise<FoundHolders[]> {
  const numbered = sought.map((one, nth) => ({ nth, ...one }));
  const rows = await db.rows<Row>(findQueries[scope], [projectId, JSON.stringify(numbered), limit]);
  return sought.map((_, wanted) => {
    const found = rows.filter(({ nth }) => nth === wanted);
    const holders = found.flatMap(({ userId, teamId, displayName }) =>
      userId === null ? [] : [{ userId, teamId, displayName }],
    );
    return { count: found[0]?.count ?? 0, holders };
  });
}

const countSql = (from: string) =>
  `select count(*)::int as count from (${from}) g where g.permission = any($2::text[])`;
const countQueries = {
  team: defineQuery({ name: 'count-team-grants', sql: (schema) => countSql(grants.team(schema)) }),
  project: defineQuery({ name: 'count-project-grants', sql: (schema) => countSql(grants.project(schema)) }),
};

/** The number of direct grants of these keys. */
export async function countGrants(
  db: ReadDb,
  projectId: string,
  { scope, keys }: { scope: Scope; keys: readonly string[] },
): Promise<number> {
  const [row] = await db.rows<{ count: number }>(countQueries[scope], [projectId, keys]);
  return row?.count ?? 0;
}

/** More holders of one permission are not counted. */
export const mostCounted = 1_000;

/** Reads at most `mostCounted` + 1 grants of each key, by index: if there are more, so are their holders. */
const countHoldersSql = (from: string) => `with held as materialized (
    select k.key, h.team_id, h.user_id from (select distinct unnest($3::text[]) as key) k
    cross join lateral (
      select g.team_id, g.user_id from (${from}) g where g.permission = k.key limit ${mostCounted + 1}
    ) h
  )
  select least(c.count, ${mostCounted + 1})::int as count
  from jsonb_array_elements($2::jsonb) with ordinality s (keys, nth)
  cross join lateral (
    select count(*) from (
      select distinct h.team_id, h.user_id from held h where s.keys ? h.key
    ) h
  ) c
  order by s.nth`;
const countHoldersQueries = {
  team: defineQuery({ name: 'count-team-holders', isHot: true, sql: (schema) => countHoldersSql(grants.team(schema)) }),
  project: defineQuery({
    name: 'count-project-holders',
    isHot: true,
    sql: (schema) => countHoldersSql(grants.project(schema)),
  }),
};

/** For each list of keys, how many have one of them by direct grants; `mostCounted` + 1 stands for more. */
export async function countHolders(
  db: ReadDb,
  projectId: string,
  { scope, sought }: { scope: Scope; sought: readonly (readonly string[])[] },
): Promise<number[]> {
  const values = [projectId, JSON.stringify(sought), sought.flat()] as const;
  const rows = await db.rows<{ count: number }>(countHoldersQueries[scope], values);
  return rows.map(({ count }) => count);
}

/** Who has one of the sought keys by direct grants; `keys` are those of the sought ones that are granted. */
export type HolderRow = {
  userId: string;
  teamId: string | null;
  userName: string | null;
  teamName: string | null;
  keys: string[];
};

const keysOf = (table: string, holder: string) =>
  `array(select g.permission from ${table} g where ${holder} and g.permission = any($2::text[]))`;

const listQueries = {
  team: definePagedQuery({
    name: 'list-team-permission-holders',
    sortedBy: { 'h.team_id': 'uuid', 'h.user_id': 'uuid' },
    values: 2,
    sql: (schema, page) => `select h.user_id as "userId", h.team_id as "teamId", u.display_name as "userName",
        t.display_name as "teamName", ${keysOf(`${schema}.team_permissions`, 'g.team_id = h.team_id and g.user_id = h.user_id')} as keys,
        ${page.key}
      from (
        select distinct p.team_id, p.user_id from ${schema}.team_permissions p
        where p.project_id = $1 and p.permission = any($2::text[])
      ) h
      join ${schema}.team_members m on m.team_id = h.team_id and m.user_id = h.user_id
      join ${schema}.teams t on t.id = h.team_id and t.project_id = $1
      join ${schema}.users u on u.id = h.user_id and u.project_id = $1
      where ${page.from} ${page.end}`,
  }),
  project: definePagedQuery({
    name: 'list-project-permission-holders',
    sortedBy: { 'h.user_id': 'uuid' },
    values: 2,
    sql: (schema, page) => `select h.user_id as "userId", null as "teamId", u.display_name as "userName",
        null as "teamName", ${keysOf(`${schema}.project_permissions`, 'g.user_id = h.user_id')} as keys, ${page.key}
      from (
        select distinct p.user_id from ${schema}.project_permissions p
        where p.project_id = $1 and p.permission = any($2::text[])
      ) h
      join ${schema}.users u on u.id = h.user_id and u.project_id = $1
      where ${page.from} ${page.end}`,
  }),
};

/** Forms of the texts in sort keys of a scope. */
export const holderKeys = (scope: Scope) => listQueries[scope].forms;

/** Who has permissions of a scope by direct grants of these keys, by team and user. */
export function listHolders(
  db: ReadDb,
  projectId: string,
  { scope, keys }: { scope: Scope; keys: readonly string[] },
  page: Page,
): Promise<Listed<HolderRow>> {
  return listPage<HolderRow>(db, listQueries[scope], [projectId, keys], page);
}
