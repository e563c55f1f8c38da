import { hiddenProject } from '../hidden-projects.ts';
import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import type { ReadDb } from '../read-db.ts';
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
