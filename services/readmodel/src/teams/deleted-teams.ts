import { hiddenProject } from '../hidden-projects.ts';
import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import type { ReadDb } from '../read-db.ts';

/** A team that can be restored until `deleteAt`. Times are milliseconds since 1970. */
export type DeletedTeamRow = {
  id: string;
  displayName: string;
  profileImageUrl: string | null;
  createdAt: number;
  deletedAt: number;
  deleteAt: number;
};

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

const listQuery = definePagedQuery({
  name: 'list-deleted-teams',
  findsHidden: true,
  sortedBy: { 't.delete_at': 'time', 't.id': 'uuid' },
  values: 1,
  sql: (schema, page) => `select t.id, t.display_name as "displayName", t.profile_image_url as "profileImageUrl",
      ${millis('t.created_at')} as "createdAt", ${millis('t.deleted_at')} as "deletedAt",
      ${millis('t.delete_at')} as "deleteAt", ${page.key}
    from ${schema}.teams t
    where t.project_id = ${hiddenProject('$1')} and t.delete_at is not null and ${page.from} ${page.end}`,
});
export const { forms: deletedTeamKeys } = listQuery;

/** Deleted teams that can be restored, those first that are erased first. */
export function listDeletedTeams(
  db: ReadDb,
  projectId: string,
  page: Page = wholeList,
): Promise<Listed<DeletedTeamRow>> {
  return listPage<DeletedTeamRow>(db, listQuery, [projectId], page);
}
