import { actualProject, hiddenProject } from '../hidden-projects.ts';
import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import { defineCrossProjectQuery, type ReadDb } from '../read-db.ts';
import { primaryEmail } from './queries.ts';

/** A user who can be restored until `deleteAt`. Times are milliseconds since 1970. */
export type DeletedUserRow = {
  id: string;
  displayName: string | null;
  primaryEmail: string | null;
  profileImageUrl: string | null;
  signedUpAt: number;
  deletedAt: number;
  deleteAt: number;
  /** The user asked for the deletion. */
  isByUser: boolean;
};

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const listQuery = definePagedQuery({
  name: 'list-deleted-users',
  findsHidden: true,
  sortedBy: { 'u.delete_at': 'time', 'u.id': 'uuid' },
  values: 1,
  sql: (schema, page) => `select u.id, u.display_name as "displayName", ${primaryEmail()} as "primaryEmail",
      u.profile_image_url as "profileImageUrl", ${millis('u.signed_up_at')} as "signedUpAt",
      ${millis('u.deleted_at')} as "deletedAt", ${millis('u.delete_at')} as "deleteAt",
      u.is_deleted_by_user as "isByUser", ${page.key}
    from ${schema}.users u
    where u.project_id = ${hiddenProject('$1')} and u.delete_at is not null and ${page.from} ${page.end}`,
});
export const { forms: deletedUserKeys } = listQuery;

/** Deleted users who can be restored, those first who are erased first. */
export function listDeletedUsers(
  db: ReadDb,
  projectId: string,
  page: Page = wholeList,
): Promise<Listed<DeletedUserRow>> {
  return listPage<DeletedUserRow>(db, listQuery, [projectId], page);
}

const dueQuery = defineCrossProjectQuery({
  name: 'list-due-deletions',
  findsHidden: true,
  sql: (schema: string) => `select u.id as "userId", ${actualProject('u.project_id')} as "projectId",
      u.delete_at::text as "deleteAt"
    from ${schema}.users u where u.delete_at <= $1 and (u.delete_at, u.id) > ($2::timestamptz, $3::uuid)
    order by u.delete_at, u.id limit $4`,
});

/** `deleteAt`: a Postgres timestamp. */
export type DueDeletion = { userId: string; projectId: string; deleteAt: string };
const beforeAll: Pick<DueDeletion, 'userId' | 'deleteAt'> = {
  userId: '00000000-0000-0000-0000-000000000000',
  deleteAt: '-infinity',
};

/** Users of all projects whose grace period ended by `at` (ISO 8601), the longest ago first. Begins after `after`. */
export function listDueDeletions(
  db: ReadDb,
  at: string,
  { after = beforeAll, limit }: { after?: Pick<DueDeletion, 'userId' | 'deleteAt'> | undefined; limit: number },
): Promise<DueDeletion[]> {
  return db.rowsOfAllProjects<DueDeletion>(dueQuery, [at, after.deleteAt, after.userId, limit]);
}
