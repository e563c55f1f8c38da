import type { ProjectRole } from '@gatebook/domain/project/roles';
import { maxListed } from '../list-limits.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';
import { primaryEmail } from '../users/queries.ts';

export type ProjectMemberRow = {
  userId: string;
  displayName: string | null;
  primaryEmail: string | null;
  profileImageUrl: string | null;
  role: ProjectRole;
  /** Owns the project as a member of the team that owns it. */
  isThroughTeam: boolean;
};

const listMembersQuery = defineQuery({
  name: 'list-project-members',
  sql: (
    schema: string,
  ) => `select u.id as "userId", u.display_name as "displayName", ${primaryEmail()} as "primaryEmail",
      u.profile_image_url as "profileImageUrl", m.role, m.is_through_team as "isThroughTeam"
    from (
      select distinct on (held.user_id) held.* from (
        select o.user_id, o.role, false as is_through_team, o.since from ${schema}.project_members o
          where o.project_id = $2
        union all
        select t.user_id, 'owner', true, t.since from ${schema}.project_owner_teams o
          join ${schema}.team_members t on t.team_id = o.team_id where o.project_id = $2
      ) held order by held.user_id, held.role <> 'owner', held.is_through_team
    ) m join ${schema}.users u on u.id = m.user_id and u.project_id = $1 and not u.is_anonymous
    order by array_position(array['owner', 'developer', 'support', 'read_only'], m.role), m.since, u.id
    limit ${maxListed}`,
});

/** Owners first, then by role. */
export function listProjectMembers(db: ReadDb, projectId: string): Promise<ProjectMemberRow[]> {
  return db.rows<ProjectMemberRow>(listMembersQuery, ['internal', projectId]);
}
