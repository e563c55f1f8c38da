import { definePagedQuery, type Listed, listPage, type Page, type SortKey, wholeList } from '../list-pages.ts';
import type { ReadDb } from '../read-db.ts';

/** A direct grant. `permission` is the key of a definition. */
export type TeamGrantRow = { teamId: string; userId: string; permission: string };
export type ProjectGrantRow = { userId: string; permission: string };

const teamGrantsQuery = definePagedQuery({
  name: 'list-team-grants',
  sortedBy: { 'p.team_id': 'uuid', 'p.user_id': 'uuid' },
  values: 3,
  sql: (schema, page) => `select p.team_id as "teamId", p.user_id as "userId", p.permission, ${page.key}
    from ${schema}.team_permissions p
    join ${schema}.team_members m on m.team_id = p.team_id and m.user_id = p.user_id
    join ${schema}.teams t on t.id = p.team_id
    join ${schema}.users u on u.id = p.user_id
    where p.project_id = $1 and ($2::uuid is null or p.team_id = $2) and ($3::uuid is null or p.user_id = $3)
      and ${page.from} ${page.end}`,
});

export const { forms: teamGrantKeys } = teamGrantsQuery;

/**
 * Direct grants by team and user, unsorted within a user, whose grants are all on one page. Without a filter, those of
 * the whole project.
 */
export async function listTeamGrants(
  db: ReadDb,
  projectId: string,
  { teamId, userId }: { teamId: string | null; userId: string | null },
  page: Page = wholeList,
): Promise<Listed<TeamGrantRow>> {
  const listed = await listPage<TeamGrantRow>(db, teamGrantsQuery, [projectId, teamId, userId], page);
  return withWholeHolders(listed, (grant) => [grant.teamId, grant.userId]);
}

const projectGrantsQuery = definePagedQuery({
  name: 'list-project-grants',
  sortedBy: { 'p.user_id': 'uuid' },
  values: 2,
  sql: (schema, page) => `select p.user_id as "userId", p.permission, ${page.key} from ${schema}.project_permissions p
    join ${schema}.users u on u.id = p.user_id
    where p.project_id = $1 and ($2::uuid is null or p.user_id = $2) and ${page.from} ${page.end}`,
});

export const { forms: projectGrantKeys } = projectGrantsQuery;

/** Direct grants by user, otherwise as `listTeamGrants`. */
export async function listProjectGrants(
  db: ReadDb,
  projectId: string,
  userId: string | null,
  page: Page = wholeList,
): Promise<Listed<ProjectGrantRow>> {
  const listed = await listPage<ProjectGrantRow>(db, projectGrantsQuery, [projectId, userId], page);
  return withWholeHolders(listed, (grant) => [grant.userId]);
}

/** Moves the grants of a holder that did not all fit to the next page. */
function withWholeHolders<Grant>({ rows, next }: Listed<Grant>, holderOf: (grant: Grant) => SortKey): Listed<Grant> {
  if (next === null) return { rows, next };
  const cut = next.join();
  return { rows: rows.filter((grant) => holderOf(grant).join() !== cut), next };
}
