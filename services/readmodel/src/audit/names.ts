import { defineQuery, type ProjectQuery, type ReadDb } from '../read-db.ts';
import { primaryEmail } from '../users/queries.ts';

/** IDs of things that events name. */
export type NamedIds = {
  users: readonly string[];
  teams: readonly string[];
  projectKeys: readonly string[];
  apiKeys: readonly string[];
  webhookEndpoints: readonly string[];
};
/** Current names by ID, of things that exist. */
export type Names = Readonly<Record<keyof NamedIds, ReadonlyMap<string, string>>>;

type NameRow = { id: string; name: string | null };
const queries: Readonly<Record<keyof NamedIds, ProjectQuery>> = {
  users: defineQuery({
    name: 'list-names-of-users',
    withOwners: true,
    sql: (schema) => `select u.id::text as id, coalesce(u.display_name, ${primaryEmail()}) as name
      from ${schema}.users u where u.project_id in ($1, 'internal') and u.id = any($2::uuid[])`,
  }),
  teams: defineQuery({
    name: 'list-names-of-teams',
    sql: (schema) => `select t.id::text as id, t.display_name as name from ${schema}.teams t
      where t.project_id = $1 and t.id = any($2::uuid[])`,
  }),
  projectKeys: defineQuery({
    name: 'list-names-of-project-keys',
    sql: (schema) => `select k.id::text as id, k.description as name from ${schema}.project_keys k
      where k.project_id = $1 and k.id = any($2::uuid[])`,
  }),
  apiKeys: defineQuery({
    name: 'list-names-of-api-keys',
    sql: (schema) => `select k.id::text as id, k.description as name from ${schema}.api_keys k
      where k.project_id = $1 and k.id = any($2::uuid[])`,
  }),
  webhookEndpoints: defineQuery({
    name: 'list-names-of-webhook-endpoints',
    // Paths and queries of URLs can contain tokens.
    sql: (schema) => `select e.id::text as id, substring(e.url from '^https?://[^/?#]+') as name
      from ${schema}.webhook_endpoints e
      where e.project_id = $1 and e.id = any($2::uuid[])`,
  }),
};

export async function findNames(db: ReadDb, projectId: string, ids: NamedIds): Promise<Names> {
  const find = async (kind: keyof NamedIds): Promise<ReadonlyMap<string, string>> => {
    if (ids[kind].length === 0) return new Map();
    const rows = await db.rows<NameRow>(queries[kind], [projectId, [...new Set(ids[kind])]]);
    return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
  };
  const [users, teams, projectKeys, apiKeys, webhookEndpoints] = await Promise.all([
    find('users'),
    find('teams'),
    find('projectKeys'),
    find('apiKeys'),
    find('webhookEndpoints'),
  ]);
  return { users, teams, projectKeys, apiKeys, webhookEndpoints };
}
