import { actualProject } from './hidden-projects.ts';
import { defineCrossProjectQuery, type ReadDb } from './read-db.ts';

const dueRows = (kind: DueDeletion['kind'], table: string, projectId: string) =>
  `select '${kind}' as kind, d.id::text as id, ${projectId} as "projectId", d.delete_at from ${table} d
    where d.delete_at <= $1 and (d.delete_at, d.id::text) > ($2::timestamptz, $3)`;
const ofRow = actualProject('d.project_id');

const dueQuery = defineCrossProjectQuery({
  name: 'list-due-deletions',
  findsHidden: true,
  projects: 'deleted',
  sql: (schema) => `select d.kind, d.id, d."projectId", d.delete_at::text as "deleteAt"
    from (${dueRows('user', `${schema}.users`, ofRow)} union all ${dueRows('team', `${schema}.teams`, ofRow)}
      union all ${dueRows('project', `${schema}.projects`, 'd.id')}) d
    order by d.delete_at, d.id limit $4`,
});

/** Something whose grace period is over. `deleteAt`: a Postgres timestamp. */
export type DueDeletion = { kind: 'user' | 'team' | 'project'; id: string; projectId: string; deleteAt: string };
const beforeAll: Pick<DueDeletion, 'id' | 'deleteAt'> = {
  id: '',
  deleteAt: '-infinity',
};

/** Lists deletions of all projects whose grace period ended by `at` (ISO 8601), oldest first, from after `after`. */
export function listDueDeletions(
  db: ReadDb,
  at: string,
  { after = beforeAll, limit }: { after?: Pick<DueDeletion, 'id' | 'deleteAt'> | undefined; limit: number },
): Promise<DueDeletion[]> {
  return db.rowsOfAllProjects<DueDeletion>(dueQuery, [at, after.deleteAt, after.id, limit]);
}
