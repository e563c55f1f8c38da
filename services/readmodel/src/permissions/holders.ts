import { defineQuery, type ReadDb } from '../read-db.ts';

export type Holder = { userId: string; teamId: string | null; displayName: string | null };
/** Holders with the same direct grants. `keys`: sorted. `holders`: the first ones, by team and user. */
export type HolderGroup = { keys: readonly string[]; count: number; holders: readonly Holder[] };

type Row = { keys: string[]; count: number; userId: string; teamId: string | null; displayName: string | null };

/** The first holders of each set of grants. `from` has team_id, user_id and permission. */
const groupHolders = (schema: string, from: string) => `with holders as (
    select g.team_id, g.user_id, array_agg(g.permission order by g.permission) as keys
    from (${from}) g group by g.team_id, g.user_id
  ), numbered as (
    select h.*, row_number() over (partition by h.keys order by h.team_id, h.user_id) as nth,
      (count(*) over (partition by h.keys))::int as count
    from holders h
  )
  select n.keys, n.count, n.user_id as "userId", n.team_id as "teamId", u.display_name as "displayName"
  from numbered n join ${schema}.users u on u.id = n.user_id
  where n.nth <= $2 order by n.keys, n.nth`;

const teamHoldersQuery = defineQuery({
  name: 'group-team-permission-holders',
  sql: (schema) =>
    groupHolders(
      schema,
      `select p.team_id, p.user_id, p.permission from ${schema}.team_permissions p
        join ${schema}.team_members m on m.team_id = p.team_id and m.user_id = p.user_id
        join ${schema}.teams t on t.id = p.team_id
        join ${schema}.users u on u.id = p.user_id
        where p.project_id = $1`,
    ),
});

const projectHoldersQuery = defineQuery({
  name: 'group-project-permission-holders',
  sql: (schema) =>
    groupHolders(
      schema,
      `select null::uuid as team_id, p.user_id, p.permission from ${schema}.project_permissions p
        join ${schema}.users u on u.id = p.user_id
        where p.project_id = $1`,
    ),
});

/** Everyone with permissions of a scope, grouped by their direct grants; of each group, `limit` people by name. */
export async function groupHoldersByGrants(
  db: ReadDb,
  projectId: string,
  { scope, limit }: { scope: 'team' | 'project'; limit: number },
): Promise<readonly HolderGroup[]> {
  const query = scope === 'team' ? teamHoldersQuery : projectHoldersQuery;
  const groups = new Map<string, { keys: string[]; count: number; holders: Holder[] }>();
  for (const { keys, count, ...holder } of await db.rows<Row>(query, [projectId, limit])) {
    const name = keys.join();
    const group = groups.get(name) ?? { keys, count, holders: [] };
    group.holders.push(holder);
    groups.set(name, group);
  }
  return [...groups.values()];
}
