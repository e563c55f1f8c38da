import { actualProject } from './hidden-projects.ts';
import { defineCrossProjectQuery, type ReadDb } from './read-db.ts';

const dueRows = (kind: DueDeletion['kind'], table: string) => `select '${kind}' as kind, d.id,
    ${actualProject('d.project_id')} as "projectId", d.delete_at from ${table} d
    where d.delete_at <= $1 and (d.delete_at, d.id) > ($2::timestamptz, $3::uuid)`;

const dueQuery = defineCrossProjectQuery({
  name: 'list-due-deletions',
  findsHidden: true,
  sql: (schema) => `select d.kind, d.id, d."projectId", d.delete_at::text as "deleteAt"
    from (${dueRows('user', `${schema}.users`)} union all ${dueRows('team', `${schema}.teams`)}) d
    order by d.delete_at, d.id limit $4`,
});

/** Something whose grace period is over. `deleteAt`: a Postgres timestamp. */
export type DueDeletion = { kind: 'user' | 'team'; id: string; projectId: string; deleteAt: string };
const beforeAll: Pick<DueDeletion, 'id' | 'deleteAt'> = {
  id: '00000000-0000-0000-0000-000000000000',
  deleteAt: '-infinity',
};

/** Of all projects, what a grace period ended for by `at` (ISO 8601), the longest ago first. Begins after `after`. */
export function listDueDeletions(
  db: ReadDb,
  at: string,
  { after = beforeAll, limit }: { after?: Pick<DueDeletion, 'id' | 'deleteAt'> | undefined; limit: number },
): Promise<DueDeletion[]> {
  return db.rowsOfAllProjects<DueDeletion>(dueQuery, [at, after.deleteAt, after.id, limit]);
}
