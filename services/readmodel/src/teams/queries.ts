import { reject } from '@gatebook/domain/errors';
import { maxListed } from '../list-limits.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';
import { type UserRow, userColumns, userJoins } from '../users/queries.ts';
import { type TeamRow, teamColumns } from './team-columns.ts';

export type { TeamRow };

const findTeamQuery = defineQuery({
  name: 'find-team',
  sql: (schema: string) => `select ${teamColumns} from ${schema}.teams t where t.id = $2 and t.project_id = $1`,
});

/** @throws DomainError TEAM_NOT_FOUND, also for a team of another project */
export async function findTeam(db: ReadDb, projectId: string, teamId: string): Promise<TeamRow> {
  const [row] = await db.rows<TeamRow>(findTeamQuery, [projectId, teamId]);
  return row ?? reject('TEAM_NOT_FOUND', { team_id: teamId });
}

const listTeamsQuery = defineQuery({
  name: 'list-teams',
  sql: (schema: string) => `select ${teamColumns} from ${schema}.teams t
    where t.project_id = $1 order by t.created_at, t.id limit ${maxListed}`,
});
const listTeamsOfQuery = defineQuery({
  name: 'list-teams-of-user',
  sql: (
    schema: string,
  ) => `select ${teamColumns} from ${schema}.team_members m join ${schema}.teams t on t.id = m.team_id
    where m.user_id = $2 and t.project_id = $1 order by t.created_at, t.id limit ${maxListed}`,
});

/** All teams of a project, or those of a user, oldest first. */
export function listTeams(db: ReadDb, projectId: string, userId: string | null): Promise<TeamRow[]> {
  if (userId === null) return db.rows<TeamRow>(listTeamsQuery, [projectId]);
  return db.rows<TeamRow>(listTeamsOfQuery, [projectId, userId]);
}

const findMemberQuery = defineQuery({
  name: 'find-member',
  sql: (schema: string) => `select array(
      select p.permission from ${schema}.team_permissions p where p.team_id = m.team_id and p.user_id = m.user_id
    ) as permissions
    from ${schema}.team_members m join ${schema}.teams t on t.id = m.team_id join ${schema}.users u on u.id = m.user_id
    where m.team_id = $2 and m.user_id = $3 and t.project_id = $1`,
});

/** Keys of a member's direct grants. @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, also for an unknown team */
export async function findMember(
  db: ReadDb,
  projectId: string,
  teamId: string,
  userId: string,
): Promise<{ permissions: string[] }> {
  const [row] = await db.rows<{ permissions: string[] }>(findMemberQuery, [projectId, teamId, userId]);
  return row ?? reject('TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: userId });
}

/** A member's profile in the team; null fields are as in the user's profile. */
export type ProfileRow = { teamId: string; teamDisplayName: string | null; teamImageUrl: string | null; user: UserRow };

const profilesQuery = defineQuery({
  name: 'list-member-profiles',
  sql: (schema: string) => `select m.team_id as "teamId", m.display_name as "teamDisplayName",
      m.profile_image_url as "teamImageUrl", ${userColumns(schema)}
    from ${schema}.team_members m join ${schema}.teams t on t.id = m.team_id
    join ${schema}.users u on u.id = m.user_id ${userJoins(schema)}
    where t.project_id = $1 and ($2::uuid is null or m.team_id = $2) and ($3::uuid is null or m.user_id = $3)
    order by m.since limit ${maxListed}`,
});

/** In order of joining. Without a filter, all members of all teams of the project. */
export async function listProfiles(
  db: ReadDb,
  projectId: string,
  { teamId, userId }: { teamId: string | null; userId: string | null },
): Promise<ProfileRow[]> {
  const rows = await db.rows<UserRow & Omit<ProfileRow, 'user'>>(profilesQuery, [projectId, teamId, userId]);
  return rows.map(({ teamId: id, teamDisplayName, teamImageUrl, ...user }) => {
    return { teamId: id, teamDisplayName, teamImageUrl, user };
  });
}

export type InvitationRow = {
  id: string;
  codeId: string;
  teamId: string;
  teamDisplayName: string;
  recipient: string;
  expiresAt: number;
};

const openInvitations = (schema: string, condition: string) =>
  `select i.id, i.code_id as "codeId", i.team_id as "teamId", t.display_name as "teamDisplayName", i.recipient,
      (extract(epoch from i.expires_at) * 1000)::float8 as "expiresAt"
    from ${schema}.team_invitations i join ${schema}.teams t on t.id = i.team_id
    where ${condition} and t.project_id = $1 and i.expires_at > $3 and i.recipient is not null
    order by i.issued_at, i.id`;

const invitationsQuery = defineQuery({
  name: 'list-team-invitations',
  sql: (schema: string) => `${openInvitations(schema, 'i.team_id = $2')} limit ${maxListed}`,
});
const receivedInvitationsQuery = defineQuery({
  name: 'list-received-invitations',
  sql: (schema: string) => `${openInvitations(schema, 'i.address_ref = any($2)')} limit ${maxListed}`,
});

/** Invitations that are not used, revoked or expired at an ISO time, oldest first. */
export function listInvitations(db: ReadDb, projectId: string, teamId: string, at: string): Promise<InvitationRow[]> {
  return db.rows<InvitationRow>(invitationsQuery, [projectId, teamId, at]);
}

/** Open invitations to the addresses with these keyed hashes. */
export function listReceivedInvitations(
  db: ReadDb,
  projectId: string,
  addressRefs: readonly string[],
  at: string,
): Promise<InvitationRow[]> {
  return db.rows<InvitationRow>(receivedInvitationsQuery, [projectId, addressRefs, at]);
}
