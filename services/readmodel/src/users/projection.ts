import type { UserEvent } from '@gatebook/domain/user/events';
import { oauthAccountId } from '@gatebook/domain/user/state';
import { type Change, insert, type Projection, patch, remove } from '@gatebook/projections/changes';
import { hiddenProjectId } from '../hidden-projects.ts';

const metadataColumns = {
  client: 'client_metadata',
  client_read_only: 'client_read_only_metadata',
  server: 'server_metadata',
} as const;

type Channel = { userId: string; channelId: string };
type ListedFields = { value?: string | null; isVerified?: boolean; usedForAuth?: boolean };

/** What the row of the user knows of a channel; null removes it. */
const listed = ({ userId, channelId }: Channel, fields: ListedFields | null): Change =>
  patch('users', { id: userId }, { channels: { [channelId]: fields } });

const noPrimary = (userId: string): Change => patch('contact_channels', { user_id: userId }, { is_primary: false });

const restrictedBy = (data: { userId: string; reason: string | null; privateDetails: string | null }): Change =>
  patch(
    'users',
    { id: data.userId },
    {
      restricted_by_admin: true,
      restricted_by_admin_reason: data.reason,
      restricted_by_admin_private_details: data.privateDetails,
    },
  );
const unrestricted = {
  restricted_by_admin: false,
  restricted_by_admin_reason: null,
  restricted_by_admin_private_details: null,
};

export const usersProjection: Projection<UserEvent> = {
  UserCreated: ({ data }) => [
    insert('users', {
      id: data.userId,
      project_id: data.projectId,
      display_name: data.displayName,
      profile_image_url: data.profileImageUrl,
      client_metadata: data.clientMetadata,
      client_read_only_metadata: data.clientReadOnlyMetadata,
      server_metadata: data.serverMetadata,
      is_anonymous: data.isAnonymous,
      signed_up_at: data.signedUpAt ?? data.at,
    }),
  ],
  UserRenamed: ({ data }) => [patch('users', { id: data.userId }, { display_name: data.displayName })],
  UserImageChanged: ({ data }) => [patch('users', { id: data.userId }, { profile_image_url: data.profileImageUrl })],
  UserMetadataChanged: ({ data }) => [
    patch('users', { id: data.userId }, { [metadataColumns[data.scope]]: data.value }),
  ],
  ContactChannelAdded: ({ data, metadata, revision }) => [
    // A new user's channel is the first one, so no other channel can lose the primary flag.
    ...(data.isPrimary && revision > 1n ? [noPrimary(data.userId)] : []),
    insert('contact_channels', {
      id: data.channelId,
      user_id: data.userId,
      project_id: metadata.projectId,
      type: data.channelType,
      value: data.value,
      is_primary: data.isPrimary,
      is_verified: data.isVerified,
      used_for_auth: data.usedForAuth,
      created_at: data.at,
    }),
    listed(data, { value: data.value, isVerified: data.isVerified, usedForAuth: data.usedForAuth }),
    ...(data.isPrimary ? [patch('users', { id: data.userId }, { primary_channel_id: data.channelId })] : []),
  ],
  ContactChannelValueChanged: ({ data }) => [
    patch('contact_channels', { id: data.channelId }, { value: data.value, is_verified: data.isVerified }),
    listed(data, { value: data.value, isVerified: data.isVerified }),
  ],
  ContactChannelVerificationChanged: ({ data }) => [
    patch('contact_channels', { id: data.channelId }, { is_verified: data.isVerified }),
    listed(data, { isVerified: data.isVerified }),
  ],
  ContactChannelProven: ({ data }) => [
    patch('contact_channels', { id: data.channelId }, { is_verified: true }),
    listed(data, { isVerified: true }),
  ],
  ContactChannelAuthChanged: ({ data }) => [
    patch('contact_channels', { id: data.channelId }, { used_for_auth: data.usedForAuth }),
    listed(data, { usedForAuth: data.usedForAuth }),
  ],
  PrimaryChannelChanged: ({ data }) => [
    noPrimary(data.userId),
    ...(data.channelId === null ? [] : [patch('contact_channels', { id: data.channelId }, { is_primary: true })]),
    patch('users', { id: data.userId }, { primary_channel_id: data.channelId }),
  ],
  ContactChannelRemoved: ({ data }) => [remove('contact_channels', { id: data.channelId }), listed(data, null)],
  UserPasswordSet: ({ data }) => [patch('users', { id: data.userId }, { has_password: true })],
  UserPasswordRemoved: ({ data }) => [patch('users', { id: data.userId }, { has_password: false })],
  UserSessionsEnded: ({ data, revision }) => [
    patch('users', { id: data.userId }, { sessions_ended_revision: revision, kept_session_id: data.keptSessionId }),
  ],
  UserApiKeysRevoked: ({ data, revision }) => [
    patch('users', { id: data.userId }, { api_keys_revoked_revision: revision, api_keys_revoked_at: data.at }),
  ],
  UserRestricted: ({ data }) => [restrictedBy(data)],
  UserRestrictionChanged: ({ data }) => [restrictedBy(data)],
  UserRestrictionLifted: ({ data }) => [patch('users', { id: data.userId }, unrestricted)],
  UserCountryCodeChanged: ({ data }) => [patch('users', { id: data.userId }, { country_code: data.countryCode })],
  UserRiskScoresChanged: ({ data }) => [patch('users', { id: data.userId }, { risk_scores: data.riskScores })],
  OtpAuthChanged: ({ data }) => [patch('users', { id: data.userId }, { otp_auth_enabled: data.isEnabled })],
  UserUpgraded: ({ data }) => [patch('users', { id: data.userId }, { is_anonymous: false })],
  TotpSecretChanged: ({ data }) => [patch('users', { id: data.userId }, { requires_totp_mfa: data.isEnabled })],
  PasskeyRegistered: ({ data }) => [patch('users', { id: data.userId }, { passkey_auth_enabled: true })],
  PasskeyRemoved: ({ data }) => [patch('users', { id: data.userId }, { passkey_auth_enabled: false })],
  OAuthAccountLinked: ({ data, metadata }) => [
    patch('users', { id: data.userId }, { has_oauth_accounts: true }),
    insert('oauth_accounts', {
      id: oauthAccountId(data),
      user_id: data.userId,
      project_id: metadata.projectId,
      account_ref: data.accountRef,
      provider: data.provider,
      account_id: data.accountId,
      email: data.email,
      allow_sign_in: data.allowSignIn,
      allow_connected_accounts: data.allowConnectedAccounts,
      linked_at: data.at,
    }),
  ],
  OAuthAccountChanged: ({ data }) => [
    patch(
      'oauth_accounts',
      { user_id: data.userId, id: data.id },
      {
        account_ref: data.accountRef,
        account_id: data.accountId,
        email: data.email,
        allow_sign_in: data.allowSignIn,
        allow_connected_accounts: data.allowConnectedAccounts,
      },
    ),
  ],
  OAuthAccountUnlinked: ({ data }) => [
    remove('oauth_accounts', { user_id: data.userId, account_ref: data.accountRef }),
  ],
  TeamSelected: ({ data }) => [patch('users', { id: data.userId }, { selected_team_id: data.teamId })],
  UserDeletionScheduled: ({ data, revision }) => [
    patch(
      'users',
      { id: data.userId },
      {
        project_id: hiddenProjectId(data.projectId),
        deleted_at: data.at,
        delete_at: data.deleteAt,
        is_deleted_by_user: data.isByUser,
        sessions_ended_revision: revision,
        kept_session_id: null,
        api_keys_revoked_revision: revision,
        api_keys_revoked_at: data.at,
      },
    ),
  ],
  UserDeletionCanceled: ({ data }) => [
    patch(
      'users',
      { id: data.userId },
      { project_id: data.projectId, deleted_at: null, delete_at: null, is_deleted_by_user: false },
    ),
  ],
  UserDeleted: ({ data }) => [
    remove('users', { id: data.userId }),
    remove('contact_channels', { user_id: data.userId }),
    remove('oauth_accounts', { user_id: data.userId }),
  ],
};
