import { reject } from '@gatebook/domain/errors';
import { maxListed } from '../list-limits.ts';
import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';
import { idIn, partOf } from '../users/list-filters.ts';
import { type UserRow, userColumns } from '../users/queries.ts';
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

/** `isDescending`: newest first. `query`: part of the name, or a whole ID; null or empty for no filter. */
export type TeamListOptions = { userId: string | null; isDescending: boolean; query: string | null };

const teamsQuery = (name: string, isDescending: boolean, ofUser: boolean) =>
  definePagedQuery({
    name: `list-${name}`,
    sortedBy: { 't.created_at': 'time', 't.id': 'uuid' },
    isDescending,
    values: 4,
    sql: (schema, page) => `select ${teamColumns}, ${page.key} from ${schema}.teams t
    ${ofUser ? `join ${schema}.team_members m on m.team_id = t.id and m.user_id = $2` : ''}
    where t.project_id = $1 and ${ofUser ? '' : '$2::uuid is null and'}
      ($3::text is null or t.display_name ilike $3 or t.id = $4::uuid) and ${page.from} ${page.end}`,
  });
const teamsQueries = {
  oldestFirst: teamsQuery('teams', false, false),
  newestFirst: teamsQuery('newest-teams', true, false),
  oldestOfUser: teamsQuery('teams-of-user', false, true),
  newestOfUser: teamsQuery('newest-teams-of-user', true, true),
};
export const { forms: teamKeys } = teamsQueries.oldestFirst;

/** Teams of a project, or those of a user, by time of creation. */
export function listTeams(
  db: ReadDb,
  projectId: string,
  { userId, isDescending, query }: TeamListOptions,
  page: Page = wholeList,
): Promise<Listed<TeamRow>> {
  const ofProject = isDescending ? teamsQueries.newestFirst : teamsQueries.oldestFirst;
  const ofUser = isDescending ? teamsQueries.newestOfUser : teamsQueries.oldestOfUser;
  const sought = query ? ([partOf(query), idIn(query)] as const) : [null, null];
  return listPage<TeamRow>(db, userId === null ? ofProject : ofUser, [projectId, userId, ...sought], page);
}

const teamsOfMemberQuery = defineQuery({
  name: 'list-teams-of-member',
  sql: (schema: string) => `select m.team_id as id, t.display_name as "displayName" from ${schema}.team_members m
    left join ${schema}.teams t on t.id = m.team_id and t.project_id = $1
    where m.project_id = $1 and m.user_id = $2 order by m.since limit ${maxListed}`,
});
/** `displayName`: null for a team that is deleted. */
export type MemberTeamRow = { id: string; displayName: string | null };

/** All teams that a user is a member of, also those that await deletion. */
export function listTeamsOfMember(db: ReadDb, projectId: string, userId: string): Promise<MemberTeamRow[]> {
  return db.rows<MemberTeamRow>(teamsOfMemberQuery, [projectId, userId]);
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

/** `offset 0` makes Postgres look up each user, and only those of the page. */
const profilesQuery = (name: string, filter: string) =>
  definePagedQuery({
    name,
    isHot: true,
    sortedBy: { 'm.since': 'position' },
    values: 3,
    sql: (schema, page) => `select m.team_id as "teamId", m.display_name as "teamDisplayName",
      m.profile_image_url as "teamImageUrl", ${userColumns(schema)}, ${page.key}
    from (
      select m.* from ${schema}.team_members m where m.project_id = $1 and ${filter} and ${page.from}
        and (select t.id from ${schema}.teams t where t.id = m.team_id) is not null order by m.since
    ) m cross join lateral (select u.* from ${schema}.users u where u.id = m.user_id offset 0) u ${page.end}`,
  });
const profilesQueries = {
  all: profilesQuery('list-all-profiles', '$2::uuid is null and $3::uuid is null'),
  ofTeam: profilesQuery('list-member-profiles', 'm.team_id = $2 and $3::uuid is null'),
  ofUser: profilesQuery('list-profiles-of-user', '$2::uuid is null and m.user_id = $3'),
  ofMember: profilesQuery('list-profile-of-member', 'm.team_id = $2 and m.user_id = $3'),
};
export const { forms: profileKeys } = profilesQueries.all;

/** In order of joining. Without a filter, all members of all teams of the project. */
export async function listProfiles(
  db: ReadDb,
  projectId: string,
  { teamId, userId }: { teamId: string | null; userId: string | null },
  page: Page = wholeList,
): Promise<Listed<ProfileRow>> {
  type Row = UserRow & Omit<ProfileRow, 'user'>;
  const ofTeam = userId === null ? profilesQueries.ofTeam : profilesQueries.ofMember;
  const ofProject = userId === null ? profilesQueries.all : profilesQueries.ofUser;
  const query = teamId === null ? ofProject : ofTeam;
  const { rows, next } = await listPage<Row>(db, query, [projectId, teamId, userId], page);
  const profiles = rows.map(({ teamId: id, teamDisplayName, teamImageUrl, ...user }) => {
    return { teamId: id, teamDisplayName, teamImageUrl, user };
  });
  return { rows: profiles, next };
}
