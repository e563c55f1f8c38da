import { reject } from '@gatebook/domain/errors';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import type { RiskScores } from '@gatebook/domain/user/events';
import { memberProjects, roleIn } from '../projects/member-projects.ts';
import { defineQuery, ofFoundRow, type ReadDb, standingOf } from '../read-db.ts';
import { rowStreams } from '../row-streams.ts';
import { selectedTeamAsJson, type TeamRow } from '../teams/team-columns.ts';

export type OAuthAccountRow = { provider: string; accountId: string | null; email: string | null };

/** Public data of a signed-in user. Read on every request with a token, so it contains nothing more. */
export type OwnUserRow = {
  id: string;
  projectId: string;
  displayName: string | null;
  profileImageUrl: string | null;
  clientMetadata: unknown;
  clientReadOnlyMetadata: unknown;
  isAnonymous: boolean;
  restrictedByAdmin: boolean;
  restrictedByAdminReason: string | null;
  /** Milliseconds since 1970, like every time of a row. */
  signedUpAt: number;
  hasPassword: boolean;
  otpAuthEnabled: boolean;
  passkeyAuthEnabled: boolean;
  requiresTotpMfa: boolean;
  primaryEmail: string | null;
  primaryEmailVerified: boolean;
  selectedTeam: TeamRow | null;
  /** In the order of linking. */
  oauthAccounts: OAuthAccountRow[];
};

/** Data for servers. */
export type UserRow = OwnUserRow & {
  serverMetadata: unknown;
  lastActiveAt: number | null;
  primaryEmailAuthEnabled: boolean;
  restrictedByAdminPrivateDetails: string | null;
  countryCode: string | null;
  riskScores: RiskScores | null;
  /** For users of `internal`: the projects that they are members of, in the order of getting their roles. */
  ownedProjectIds: string[] | null;
};

/** SQL for a time in milliseconds since 1970. `extract` would compute with decimals, which takes longer. */
export const millisOf = (time: string) => `round(date_part('epoch', ${time}) * 1000)`;

/** SQL for the primary address of user `u`; null if there is none. */
export const primaryEmail = (u = 'u') => `${u}.channels -> ${u}.primary_channel_id ->> 'value'`;

/**
 * Columns of an OwnUserRow, for `from <schema>.users u`. What other tables know is looked up by key, for the rows that
 * are returned only.
 */
export const ownUserColumns = (schema: string) => `
  u.id, u.project_id as "projectId", u.display_name as "displayName", u.profile_image_url as "profileImageUrl",
  u.client_metadata as "clientMetadata", u.client_read_only_metadata as "clientReadOnlyMetadata",
  u.is_anonymous as "isAnonymous", u.restricted_by_admin as "restrictedByAdmin",
  u.restricted_by_admin_reason as "restrictedByAdminReason",
  ${millisOf('u.signed_up_at')} as "signedUpAt",
  u.has_password as "hasPassword", u.otp_auth_enabled as "otpAuthEnabled",
  u.passkey_auth_enabled as "passkeyAuthEnabled", u.requires_totp_mfa as "requiresTotpMfa",
  ${primaryEmail()} as "primaryEmail", u.is_email_verified as "primaryEmailVerified",
  case when u.selected_team_id is not null then (
    select ${selectedTeamAsJson} from ${schema}.team_members${ofFoundRow} sm join ${schema}.teams${ofFoundRow} st on st.id = sm.team_id
    where sm.team_id = u.selected_team_id and sm.user_id = u.id
  ) end as "selectedTeam",
  case when u.has_oauth_accounts then (
    select coalesce(json_agg(json_build_object('provider', o.provider, 'accountId', o.account_id, 'email', o.email)
      order by o.linked_at, o.id), '[]')
    from ${schema}.oauth_accounts${ofFoundRow} o where o.user_id = u.id
  ) else '[]' end as "oauthAccounts"`;

/** Columns of a UserRow, for `from <schema>.users u`. `isInternal`: only users of `internal` own projects. */
export const userColumns = (schema: string, { isInternal } = { isInternal: true }) => `${ownUserColumns(schema)},
  u.server_metadata as "serverMetadata",
  (select ${millisOf('a.last_active_at')} from activity.users a where a.user_id = u.id) as "lastActiveAt",
  u.restricted_by_admin_private_details as "restrictedByAdminPrivateDetails", u.country_code as "countryCode",
  u.risk_scores as "riskScores",
  coalesce((u.channels -> u.primary_channel_id ->> 'usedForAuth')::boolean, false) as "primaryEmailAuthEnabled",
  ${isInternal ? ownedProjectIds(schema) : 'null'} as "ownedProjectIds"`;

const ownedProjectIds = (schema: string) => `case when u.project_id = 'internal' then array(
    select o.project_id from ${memberProjects(schema)} o order by o.since
  ) end`;

/** A session is alive if it has not expired and was decided on the user's current state. */
export const isSessionAlive = `s.expires_at > now()
  and (u.sessions_ended_revision is null or s.user_revision >= u.sessions_ended_revision or s.id = u.kept_session_id)`;

/** What the streams of an OwnUserRow follow from, besides the row, for `from <schema>.users u`. */
export const standingColumns = (schema: string) => `u.selected_team_id as "selectedTeamId",
  (select t.named_after from ${schema}.teams${ofFoundRow} t where t.id = u.selected_team_id) as "teamNamedAfter"`;
export type StandingColumns = { selectedTeamId: string | null; teamNamedAfter: string | null };

/** The streams whose events can change an OwnUserRow. */
export function streamsOfOwnUser({ id, projectId, ...row }: Pick<OwnUserRow, 'id' | 'projectId'> & StandingColumns) {
  const streams = rowStreams.users.of({ id, project_id: projectId });
  const { selectedTeamId: teamId, teamNamedAfter } = row;
  if (teamId === null) return streams;
  // The user may come back into a selected team that they left.
  const member = rowStreams.team_members.of({ team_id: teamId, user_id: id, project_id: projectId });
  return [...new Set([...streams, ...member, ...(teamNamedAfter === null ? [] : [`user-${teamNamedAfter}`])])];
}

const findUserQuery = defineQuery({
  name: 'find-user',
  sql: (schema: string) => `select ${userColumns(schema)} from ${schema}.users u
    where u.id = $2 and u.project_id = $1`,
});

/** @throws DomainError USER_NOT_FOUND, also for a user of another project */
export async function findUser(db: ReadDb, projectId: string, userId: string): Promise<UserRow> {
  const [row] = await db.rows<UserRow>(findUserQuery, [projectId, userId]);
  return row ?? reject('USER_NOT_FOUND');
}

const findOwnUserQuery = defineQuery({
  name: 'find-own-user',
  sql: (schema: string) => `select ${ownUserColumns(schema)} from ${schema}.users u
    where u.id = $2 and u.project_id = $1`,
});

/** @throws DomainError USER_NOT_FOUND, also for a user of another project */
export async function findOwnUser(db: ReadDb, projectId: string, userId: string): Promise<OwnUserRow> {
  const [row] = await db.rows<OwnUserRow>(findOwnUserQuery, [projectId, userId]);
  return row ?? reject('USER_NOT_FOUND');
}

const findCurrentUserQuery = defineQuery({
  name: 'find-current-user',
  isHot: true,
  sql: (schema: string) => `select ${ownUserColumns(schema)}, s.id is not null and ${isSessionAlive} as "isSessionLive",
      s.user_revision::float8 as "sessionRevision",
      ${millisOf('s.expires_at')} as "sessionExpiresAt", ${standingColumns(schema)}
    from ${schema}.users u left join ${schema}.sessions s on s.id = $3 and s.user_id = u.id
    where u.id = $2 and u.project_id = $1`,
  standingOf: standingOf<CurrentUserRow>((row, [, , sessionId]) => ({
    projectId: row.projectId,
    streams: [...streamsOfOwnUser(row), `session-${sessionId}`],
    until: row.isSessionLive ? row.sessionExpiresAt : null,
  })),
});

type CurrentUserRow = OwnUserRow &
  StandingColumns & { isSessionLive: boolean; sessionRevision: number | null; sessionExpiresAt: number | null };

/**
 * The user of an access token and whether the token's session is alive, in one read. `sessionRevision`: the revision
 * that the session was decided on. @returns null if the user does not exist
 */
export async function findCurrentUser(
  db: ReadDb,
  projectId: string,
  userId: string,
  sessionId: string,
): Promise<{ user: OwnUserRow; isSessionLive: boolean; sessionRevision: number | null } | null> {
  const [user] = await db.rows<CurrentUserRow>(findCurrentUserQuery, [projectId, userId, sessionId]);
  if (!user) return null;
  const { isSessionLive, sessionRevision } = user;
  return { user, isSessionLive, sessionRevision };
}

/** `role`: null for no member of the project. */
export type MemberSession = { role: ProjectRole | null; isSessionLive: boolean };

const findMemberDefinition = {
  sql: (schema: string) => `select s.id is not null and ${isSessionAlive} as "isSessionLive",
      ${roleIn(schema, '$4')} as role
    from ${schema}.users u left join ${schema}.sessions s on s.id = $3 and s.user_id = u.id
    where u.id = $2 and u.project_id = $1`,
};
const findMemberQuery = defineQuery({ ...findMemberDefinition, name: 'find-member-session', isHot: true });
const findMemberOfAnyQuery = defineQuery({
  ...findMemberDefinition,
  name: 'find-member-session-of-any',
  projects: 'all',
});

/**
 * The role of a user of `internal` in a project, and whether their session is alive, in one read. A project that awaits
 * deletion has no members unless `findsDeletedProject`. @returns null if the user does not exist
 */
export async function findMemberSession(
  db: ReadDb,
  userId: string,
  sessionId: string,
  projectId: string,
  { findsDeletedProject = false } = {},
): Promise<MemberSession | null> {
  const query = findsDeletedProject ? findMemberOfAnyQuery : findMemberQuery;
  const values = ['internal', userId, sessionId, projectId] as const;
  const [row] = await db.rows<MemberSession>(query, values);
  return row ?? null;
}

const findMemberRoleQuery = defineQuery({
  name: 'find-member-role',
  sql: (schema: string) => `select ${roleIn(schema, '$3')} as role from ${schema}.users u
    where u.id = $2 and u.project_id = $1 and not u.restricted_by_admin`,
});

/** The role of a user of `internal` in a project; null for no member, and for one who can't sign in. */
export async function findMemberRole(db: ReadDb, userId: string, projectId: string): Promise<ProjectRole | null> {
  const [row] = await db.rows<{ role: ProjectRole | null }>(findMemberRoleQuery, ['internal', userId, projectId]);
  return row?.role ?? null;
}
