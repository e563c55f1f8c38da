import type { Json } from '@gatebook/contract/common';
import type { ClientUserView, NewUser, OwnUserPatch, ServerUserView, UserPatch } from '@gatebook/contract/users';
import type { ProjectSettings } from '@gatebook/domain/project/config';
import { findRestriction } from '@gatebook/domain/user/restriction';
import type { SessionFacts } from '@gatebook/readmodel/sessions/queries';
import type { OwnUserRow, UserRow } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import { isNewerClient } from '../../http/client-version.ts';
import type { TokenFacts } from '../../tokens.ts';
import { toClientTeamView, toServerTeamView } from '../teams/wire.ts';

/** Columns of type jsonb hold JSON. */
const asJson = (value: unknown) => value as Json;

/** The signed-in user as client access sees it. */
export function toClientUserView(request: FastifyRequest, user: OwnUserRow): ClientUserView {
  return {
    ...commonFields(user),
    ...(isNewerClient(request) ? restrictionFields(request, user) : {}),
    selected_team: user.selectedTeam && toClientTeamView(user.selectedTeam),
  };
}

/** Fields that every version and access type sees. */
function commonFields(user: OwnUserRow) {
  return {
    id: user.id,
    display_name: user.displayName,
    primary_email: user.primaryEmail,
    primary_email_verified: user.primaryEmailVerified,
    profile_image_url: user.profileImageUrl,
    signed_up_at_millis: user.signedUpAt,
    has_password: user.hasPassword,
    otp_auth_enabled: user.otpAuthEnabled,
    passkey_auth_enabled: user.passkeyAuthEnabled,
    auth_with_email: user.hasPassword || user.otpAuthEnabled,
    requires_totp_mfa: user.requiresTotpMfa,
    is_anonymous: user.isAnonymous,
    client_metadata: asJson(user.clientMetadata),
    client_read_only_metadata: asJson(user.clientReadOnlyMetadata),
    oauth_providers: user.oauthAccounts.flatMap(({ provider, accountId, email }) =>
      // An account without an ID is being erased.
      accountId === null ? [] : [{ id: provider, account_id: accountId, email }],
    ),
    selected_team_id: user.selectedTeam?.id ?? null,
  };
}

/** Whether the user is restricted, for client libraries newer than the reference version. */
function restrictionFields({ caller }: FastifyRequest, user: OwnUserRow) {
  if (!caller) throw new Error('a view of a user requires a caller');
  const restriction = findRestriction(user, caller.project.settings);
  return {
    is_restricted: restriction !== null,
    restricted_reason: restriction && { type: restriction },
    restricted_by_admin: user.restrictedByAdmin,
    restricted_by_admin_reason: user.restrictedByAdminReason,
  };
}

/** Without scores, a user has the lowest ones. */
export const toRiskScoresView = ({ riskScores }: Pick<UserRow, 'riskScores'>) => ({
  sign_up: { bot: riskScores?.bot ?? 0, free_trial_abuse: riskScores?.freeTrialAbuse ?? 0 },
});

/** Fields for server access and client libraries newer than the reference version. */
function newerFields(request: FastifyRequest, user: UserRow) {
  return {
    ...restrictionFields(request, user),
    restricted_by_admin_private_details: user.restrictedByAdminPrivateDetails,
    country_code: user.countryCode,
    risk_scores: toRiskScoresView(user),
  };
}

/** Fields of the view for servers that the past does not know. Of the activity, it knows only sign-ins. */
export const omittedOfUsers: readonly string[] = ['last_active_at_millis'];

/** The user as server and admin access see it, in the form that the client version understands. */
export function toServerUserView(request: FastifyRequest, user: UserRow): ServerUserView {
  return {
    ...commonFields(user),
    ...(isNewerClient(request) ? newerFields(request, user) : {}),
    selected_team: user.selectedTeam && toServerTeamView(user.selectedTeam),
    primary_email_auth_enabled: user.primaryEmailAuthEnabled,
    last_active_at_millis: user.lastActiveAt ?? user.signedUpAt,
    server_metadata: withOwnedProjects(user),
  };
}

/** Servers of `internal` read the IDs of owned projects here; no projects are `[]` (protocol, projects §4). */
function withOwnedProjects({ serverMetadata, ownedProjectIds }: UserRow): Json {
  if (!ownedProjectIds) return asJson(serverMetadata);
  const kept =
    typeof serverMetadata === 'object' && !Array.isArray(serverMetadata) && serverMetadata !== null
      ? serverMetadata
      : {};
  return { ...kept, managedProjectIds: ownedProjectIds };
}

export function toTokenFacts(user: OwnUserRow, session: SessionFacts, settings: ProjectSettings): TokenFacts {
  return {
    projectId: user.projectId,
    userId: user.id,
    session,
    displayName: user.displayName,
    email: user.primaryEmail,
    isEmailVerified: user.primaryEmailVerified,
    isAnonymous: user.isAnonymous,
    restriction: findRestriction(user, settings),
    selectedTeamId: user.selectedTeam?.id ?? null,
    requiresTotpMfa: user.requiresTotpMfa,
    signedUpAtMillis: user.signedUpAt,
    lifeSeconds: settings.accessTokenLifetimeSeconds,
  };
}

type Changes = Partial<OwnUserPatch> & Omit<UserPatch, 'is_anonymous'> & { is_anonymous?: boolean | undefined };

/** The input of commands. Omitted fields stay undefined. */
export function toUserInput(body: Changes) {
  return {
    displayName: body.display_name,
    profileImageUrl: body.profile_image_url,
    clientMetadata: body.client_metadata,
    clientReadOnlyMetadata: body.client_read_only_metadata,
    serverMetadata: body.server_metadata,
    primaryEmail: body.primary_email,
    primaryEmailVerified: body.primary_email_verified,
    primaryEmailAuthEnabled: body.primary_email_auth_enabled,
    password: body.password,
    passwordHash: body.password_hash,
    otpAuthEnabled: body.otp_auth_enabled,
    // A passkey can only be set to `false`, which removes it.
    passkeyAuthEnabled: body.passkey_auth_enabled,
    totpSecret: body.totp_secret_base64,
    isAnonymous: body.is_anonymous,
    selectedTeamId: body.selected_team_id,
    restrictedByAdmin: body.restricted_by_admin,
    restrictedByAdminReason: body.restricted_by_admin_reason,
    restrictedByAdminPrivateDetails: body.restricted_by_admin_private_details,
    countryCode: body.country_code,
    riskScores: body.risk_scores && {
      bot: body.risk_scores.sign_up.bot,
      freeTrialAbuse: body.risk_scores.sign_up.free_trial_abuse,
    },
  };
}

/** The future row of a user that was just decided. `at` is an ISO time. */
export function decidedUser(projectId: string, userId: string, body: NewUser, at: string): UserRow {
  const fresh: UserRow = {
    id: userId,
    projectId,
    displayName: null,
    profileImageUrl: null,
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
    isAnonymous: body.is_anonymous ?? false,
    signedUpAt: body.signed_up_at_millis ?? Date.parse(at),
    lastActiveAt: null,
    hasPassword: false,
    otpAuthEnabled: false,
    passkeyAuthEnabled: false,
    requiresTotpMfa: false,
    primaryEmail: null,
    primaryEmailVerified: false,
    primaryEmailAuthEnabled: false,
    restrictedByAdmin: false,
    restrictedByAdminReason: null,
    restrictedByAdminPrivateDetails: null,
    countryCode: null,
    riskScores: null,
    ownedProjectIds: null,
    selectedTeam: null,
    oauthAccounts: (body.oauth_providers ?? []).map(({ id, account_id, email }) => {
      return { provider: id, accountId: account_id, email: email ?? null };
    }),
  };
  return withChanges(fresh, body);
}

/** The future row after a patch. */
export function withChanges<Row extends OwnUserRow>(user: Row, body: Changes): Row {
  const changes = Object.entries(toUserInput(body)).filter(
    ([name, value]) =>
      value !== undefined && !['password', 'passwordHash', 'totpSecret', 'selectedTeamId'].includes(name),
  );
  const after: Row = { ...user, ...Object.fromEntries(changes) };
  if (body.password !== undefined) after.hasPassword = body.password !== null;
  if (body.password_hash !== undefined) after.hasPassword = true;
  if (body.totp_secret_base64 !== undefined) after.requiresTotpMfa = body.totp_secret_base64 !== null;
  if (body.selected_team_id === null) after.selectedTeam = null;
  if (body.restricted_by_admin === false) {
    Object.assign(after, { restrictedByAdminReason: null, restrictedByAdminPrivateDetails: null });
  }
  if (after.displayName === '') after.displayName = null;
  if (after.primaryEmail === null)
    Object.assign(after, { primaryEmailVerified: false, primaryEmailAuthEnabled: false });
  return after;
}
