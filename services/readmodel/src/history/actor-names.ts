import { defineQuery, type ReadDb } from '../read-db.ts';
import { primaryEmail } from '../users/queries.ts';

const actorNamesQuery = defineQuery({
  name: 'find-actor-names',
  withOwners: true,
  sql: (schema) => `select u.id, coalesce(u.display_name, ${primaryEmail()}) as name from ${schema}.users u
      where u.id = any($2::uuid[]) and u.project_id in ($1, 'internal')
    union all
    select k.id, k.description from ${schema}.project_keys k where k.id = any($2::uuid[]) and k.project_id = $1`,
});

/** By ID: names or addresses of users of the project and of owners, and descriptions of the project's keys. */
export async function findActorNames(
  db: ReadDb,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<{ id: string; name: string | null }>(actorNamesQuery, [projectId, [...new Set(ids)]]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
