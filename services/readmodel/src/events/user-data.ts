import { type AuditedUser, evolveAuditedUser, initialState as noUser } from '@gatebook/domain/audit/user-fields';
import type { ProjectSettings } from '@gatebook/domain/project/config';
import type { TeamEvent } from '@gatebook/domain/team/events';
import { type ActiveTeam, evolveTeam, initialState as noTeam, type TeamState } from '@gatebook/domain/team/state';
import type { UserEvent } from '@gatebook/domain/user/events';
import { findRestriction, restrictionFacts } from '@gatebook/domain/user/restriction';
import { type ActiveUser, findOAuthAccount, type OAuthAccount, primaryChannel } from '@gatebook/domain/user/state';
import { createFold } from './folded-streams.ts';

/** `selectedAt`: position of the event that selected the team. `lastActiveAt`: when the user last changed something. */
export type ToldUser = AuditedUser & { selectedAt: bigint | null; lastActiveAt: number };

const noToldUser: ToldUser = { ...noUser, selectedAt: null, lastActiveAt: 0 };
export const userFold = createFold(noToldUser, ({ selectedAt, lastActiveAt, ...state }, recorded) => {
  const event = recorded as unknown as UserEvent;
  const { actor } = recorded.metadata;
  const isOwn = actor.kind === 'user' && actor.id === event.data.userId && !actor.impersonator;
  return {
    ...evolveAuditedUser(state, event),
    selectedAt: event.type === 'TeamSelected' ? recorded.position : selectedAt,
    lastActiveAt: isOwn ? Date.parse(event.data.at) : lastActiveAt,
  };
});

/** `subjectId`: of the key that encrypts the first name of the team, which can be that of a person. */
export type ToldTeam = { team: TeamState; subjectId: string | null };

const noToldTeam: ToldTeam = { team: noTeam, subjectId: null };
export const teamFold = createFold(noToldTeam, ({ team, subjectId }, recorded) => {
  const event = recorded as unknown as TeamEvent;
  return {
    team: evolveTeam(team, event),
    subjectId: event.type === 'TeamCreated' ? event.data.subjectId : subjectId,
  };
});

/** A team as servers see it (protocol, resources). */
export const toTeamData = ({ teamId, createdAt, ...team }: ActiveTeam) => ({
  id: teamId,
  display_name: team.displayName,
  profile_image_url: team.profileImageUrl,
  client_metadata: team.clientMetadata,
  client_read_only_metadata: team.clientReadOnlyMetadata,
  created_at_millis: Date.parse(createdAt),
  server_metadata: team.serverMetadata,
});

/** Users who await deletion were told as deleted. */
const visibleUser = ({ user }: ToldUser): ActiveUser | null => (user.status === 'active' ? user : null);

/** A user as servers see them, with the fields for the newest client libraries. null: there was no such user. */
export function toUserData(
  told: ToldUser,
  team: ActiveTeam | null,
  settings: Pick<ProjectSettings, 'emailVerificationRequired'>,
) {
  const user = visibleUser(told);
  if (!user) return null;
  const { profile } = told;
  const restriction = findRestriction(restrictionFacts(user), settings);
  const signedUpAt = Date.parse(user.signedUpAt);
  return {
    id: user.userId,
    display_name: user.displayName,
    ...addressFields(user),
    profile_image_url: profile.profileImageUrl,
    signed_up_at_millis: signedUpAt,
    ...signInFields(user),
    is_anonymous: user.isAnonymous,
    client_metadata: profile.metadata.client,
    client_read_only_metadata: profile.metadata.client_read_only,
    oauth_providers: user.oauthAccounts.flatMap(({ provider, accountId, email }) =>
      accountId === null ? [] : [{ id: provider, account_id: accountId, email }],
    ),
    selected_team_id: team?.teamId ?? null,
    is_restricted: restriction !== null,
    restricted_reason: restriction && { type: restriction },
    restricted_by_admin: user.adminRestriction !== null,
    restricted_by_admin_reason: user.adminRestriction?.reason ?? null,
    restricted_by_admin_private_details: user.adminRestriction?.privateDetails ?? null,
    country_code: profile.countryCode,
    risk_scores: {
      sign_up: { bot: profile.riskScores?.bot ?? 0, free_trial_abuse: profile.riskScores?.freeTrialAbuse ?? 0 },
    },
    selected_team: team && toTeamData(team),
    last_active_at_millis: Math.max(told.lastActiveAt, signedUpAt),
    server_metadata: profile.metadata.server,
  };
}

function addressFields(user: ActiveUser) {
  const channel = primaryChannel(user);
  return {
    primary_email: channel?.value ?? null,
    primary_email_verified: channel?.isVerified ?? false,
    primary_email_auth_enabled: channel?.usedForAuth ?? false,
  };
}

const signInFields = (user: ActiveUser) => ({
  has_password: user.hasPassword,
  otp_auth_enabled: user.isOtpEnabled,
  passkey_auth_enabled: user.passkey !== null,
  auth_with_email: user.hasPassword || user.isOtpEnabled,
  requires_totp_mfa: user.totp !== null,
});

/** An address of a user as it was then, without its value if it was removed in the same write. */
export function toChannelData(told: ToldUser, channelId: string) {
  const user = visibleUser(told);
  if (!user) return null;
  const channel = user.channels.find(({ id }) => id === channelId);
  return {
    id: channelId,
    user_id: user.userId,
    type: 'email',
    value: channel?.value ?? null,
    is_primary: channel?.isPrimary ?? false,
    is_verified: channel?.isVerified ?? false,
    used_for_auth: channel?.usedForAuth ?? false,
  };
}

export function toAccountData(told: ToldUser, id: string) {
  const user = visibleUser(told);
  const account = user && findOAuthAccount(user, id);
  return account ? ofOAuthAccount(user.userId, account) : null;
}

export const ofOAuthAccount = (userId: string, account: Omit<OAuthAccount, 'accountRef'>) => ({
  id: account.id,
  user_id: userId,
  provider_id: account.provider,
  account_id: account.accountId,
  email: account.email,
  allow_sign_in: account.allowSignIn,
  allow_connected_accounts: account.allowConnectedAccounts,
});
