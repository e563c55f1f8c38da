import type { Pool } from '@gatebook/runtime/postgres';

/** Users who were active since `since` (ISO time) and whose keys are destroyed: another process wrote it later. */
export async function listErasedActiveUsers(pool: Pool, since: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with recursive projects (id) as (
       select min(project_id) from activity.users
       union all
       select (select min(u.project_id) from activity.users u where u.project_id > p.id)
       from projects p where p.id is not null)
     select u.user_id as id from projects p
     join activity.users u on u.project_id = p.id and u.last_active_at >= $1
     join keys.subjects s on s.subject_id = u.user_id::text and s.wrapped is null`,
    [since],
  );
  return rows.map(({ id }) => id);
}

const written = ['sessions', 'users', 'days', 'api_keys'] as const;

/** Projects with activity whose keys are destroyed. */
export async function listErasedActiveProjects(pool: Pool): Promise<string[]> {
  const hasRows = written.map((table) => `exists (select from activity.${table} a where a.project_id = e.project_id)`);
  const { rows } = await pool.query<{ id: string }>(
    `select e.project_id as id from keys.erased_projects e where ${hasRows.join(' or ')}`,
  );
  return rows.map(({ id }) => id);
}
