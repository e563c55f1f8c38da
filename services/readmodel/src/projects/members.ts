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

/** Who has a project: direct members, and the members of a team of `internal`. */
export type Holders = { userIds: readonly string[]; teamId: string | null };
/** `count`: exact. `people`: the first ones, by ID. */
export type ComparedHolders = { count: number; people: readonly { userId: string; displayName: string | null }[] };

const heldBy = (schema: string, users: string, team: string) =>
  `(select unnest(${users}::uuid[]) as user_id
    union select t.user_id from ${schema}.team_members t where t.team_id = ${team})`;

const compareQuery = defineQuery({
  name: 'compare-project-holders',
  sql: (schema: string) => `select u.id as "userId", u.display_name as "displayName", (count(*) over ())::int as count
    from (${heldBy(schema, '$2', '$3')} except ${heldBy(schema, '$4', '$5')}) h
      join ${schema}.users u on u.id = h.user_id and u.project_id = $1 and not u.is_anonymous
    order by u.id limit $6`,
});

/** Who is among `these` and not among `those`; at most `limit` people by name. */
export async function findHoldersOnlyIn(
  db: ReadDb,
  { these, those, limit }: { these: Holders; those: Holders; limit: number },
): Promise<ComparedHolders> {
  const values = ['internal', these.userIds, these.teamId, those.userIds, those.teamId, limit] as const;
  const rows = await db.rows<ComparedHolders['people'][number] & { count: number }>(compareQuery, values);
  return {
    count: rows[0]?.count ?? 0,
    people: rows.map(({ userId, displayName }) => ({ userId, displayName })),
  };
}

/** Owners first, then by role. */
export function listProjectMembers(db: ReadDb, projectId: string): Promise<ProjectMemberRow[]> {
  return db.rows<ProjectMemberRow>(listMembersQuery, ['internal', projectId]);
}
