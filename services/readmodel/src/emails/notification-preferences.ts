import type { NotificationCategory } from '@gatebook/domain/email/categories';
import { reject } from '@gatebook/domain/errors';
import { defineQuery, type ReadDb } from '../read-db.ts';

const disabledQuery = defineQuery({
  name: 'list-disabled-categories',
  sql: (schema: string) => `select p.category from ${schema}.users u
    left join ${schema}.notification_preferences p on p.user_id = u.id and not p.is_enabled
    where u.project_id = $1 and u.id = $2`,
});

/** Categories that a user turned off. @throws DomainError USER_NOT_FOUND, also for a user of another project */
export async function listDisabledCategories(
  db: ReadDb,
  projectId: string,
  userId: string,
): Promise<ReadonlySet<NotificationCategory>> {
  const rows = await db.rows<{ category: NotificationCategory | null }>(disabledQuery, [projectId, userId]);
  if (rows.length === 0) return reject('USER_NOT_FOUND');
  return new Set(rows.flatMap(({ category }) => (category === null ? [] : [category])));
}
