import { defineQuery, type ReadDb } from '../read-db.ts';
import { primaryEmail } from './queries.ts';

export type UnverifiedUser = { id: string; displayName: string | null; primaryEmail: string | null };

const unverified = (schema: string) => `${schema}.users u
  where u.project_id = $1 and u.is_anonymous = false and not u.restricted_by_admin and not u.is_email_verified`;

const listQuery = defineQuery({
  name: 'list-unverified-users',
  sql: (schema: string) => `select u.id, u.display_name as "displayName", ${primaryEmail()} as "primaryEmail"
    from ${unverified(schema)} order by u.signed_up_at desc, u.id limit $2`,
});

const countQuery = defineQuery({
  name: 'count-unverified-users',
  sql: (schema: string) => `select count(*)::float8 as total from ${unverified(schema)}`,
});

/** Users without a verified primary email whom nothing else restricts, newest first, and how many there are. */
export async function findUnverifiedUsers(
  db: ReadDb,
  projectId: string,
  limit: number,
): Promise<{ users: UnverifiedUser[]; total: number }> {
  const users = await db.rows<UnverifiedUser>(listQuery, [projectId, limit]);
  const [count] = await db.rows<{ total: number }>(countQuery, [projectId]);
  return { users, total: count?.total ?? 0 };
}
