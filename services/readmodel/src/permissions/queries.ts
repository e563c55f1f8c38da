import { maxListed } from '../list-limits.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';

/** A direct grant. `permission` is the key of a definition. */
export type TeamGrantRow = { teamId: string; userId: string; permission: string };
export type ProjectGrantRow = { userId: string; permission: string };

const teamGrantsQuery = defineQuery({
  name: 'list-team-grants',
  sql: (schema: string) => `select p.team_id as "teamId", p.user_id as "userId", p.permission
    from ${schema}.team_permissions p
    join ${schema}.team_members m on m.team_id = p.team_id and m.user_id = p.user_id
    join ${schema}.teams t on t.id = p.team_id
    join ${schema}.users u on u.id = p.user_id
    where p.project_id = $1 and ($2::uuid is null or p.team_id = $2) and ($3::uuid is null or p.user_id = $3)
    order by p.team_id, p.user_id limit ${maxListed}`,
});

/** Direct grants by team and user, unsorted within a user. Without a filter, those of the whole project. */
export function listTeamGrants(
  db: ReadDb,
  projectId: string,
  { teamId, userId }: { teamId: string | null; userId: string | null },
): Promise<TeamGrantRow[]> {
  return db.rows<TeamGrantRow>(teamGrantsQuery, [projectId, teamId, userId]);
}

const projectGrantsQuery = defineQuery({
  name: 'list-project-grants',
  sql: (schema: string) => `select p.user_id as "userId", p.permission from ${schema}.project_permissions p
    join ${schema}.users u on u.id = p.user_id
    where p.project_id = $1 and ($2::uuid is null or p.user_id = $2) order by p.user_id limit ${maxListed}`,
});

/** Direct grants by user, unsorted within a user. Without a user, those of the whole project. */
export function listProjectGrants(db: ReadDb, projectId: string, userId: string | null): Promise<ProjectGrantRow[]> {
  return db.rows<ProjectGrantRow>(projectGrantsQuery, [projectId, userId]);
}
