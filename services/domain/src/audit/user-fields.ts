import { NotificationCategory } from '../email/categories.ts';
import type { RiskScores, UserEvent } from '../user/events.ts';
import { type ActiveUser, evolveUser, initialState as noUser, type UserState } from '../user/state.ts';
import { buildFields, type Fields, type FieldsBuilder, inSnakeCase, millisOf } from './fields.ts';

/** What the API shows of a user and no decision depends on. */
type Profile = {
  profileImageUrl: string | null;
  metadata: Readonly<Record<'client' | 'client_read_only' | 'server', unknown>>;
  countryCode: string | null;
  riskScores: RiskScores | null;
};
export type AuditedUser = { user: UserState; profile: Profile };

const noProfile: Profile = {
  profileImageUrl: null,
  metadata: { client: null, client_read_only: null, server: null },
  countryCode: null,
  riskScores: null,
};
export const initialState: AuditedUser = { user: noUser, profile: noProfile };

export const evolveAuditedUser = ({ user, profile }: AuditedUser, event: UserEvent): AuditedUser => ({
  user: evolveUser(user, event),
  profile: evolveProfile(profile, event),
});

function evolveProfile(profile: Profile, event: UserEvent): Profile {
  switch (event.type) {
    case 'UserCreated': {
      const { profileImageUrl, clientMetadata, clientReadOnlyMetadata, serverMetadata } = event.data;
      const metadata = { client: clientMetadata, client_read_only: clientReadOnlyMetadata, server: serverMetadata };
      return { ...profile, profileImageUrl, metadata };
    }
    case 'UserImageChanged':
      return { ...profile, profileImageUrl: event.data.profileImageUrl };
    case 'UserMetadataChanged':
      return { ...profile, metadata: { ...profile.metadata, [event.data.scope]: event.data.value } };
    case 'UserCountryCodeChanged':
      return { ...profile, countryCode: event.data.countryCode };
    case 'UserRiskScoresChanged':
      return { ...profile, riskScores: event.data.riskScores };
    default:
      return profile;
  }
}

export function fieldsOfUser({ user: state, profile }: AuditedUser): Fields {
  const builder = buildFields();
  const { add } = builder;
  if (state.status === 'absent') return builder.fields;
  add('status', state.status);
  if (state.status === 'deleted') return builder.fields;
  if (state.status === 'awaiting_deletion') add('erased_at_millis', millisOf(state.deleteAt));
  const user = state.status === 'awaiting_deletion' ? state.user : state;
  add('display_name', user.displayName);
  addProfile(builder, profile);
  addSignInMethods(builder, user);
  for (const { id, value, isPrimary, isVerified, usedForAuth } of user.channels) {
    const channel = { value, is_primary: isPrimary, is_verified: isVerified, used_for_auth: usedForAuth };
    builder.addTree(`contact_channels.${id}`, channel);
  }
  const { adminRestriction } = user;
  add('restricted_by_admin', adminRestriction !== null);
  add('restricted_by_admin_reason', adminRestriction?.reason);
  add('restricted_by_admin_private_details', adminRestriction?.privateDetails);
  for (const key of user.permissions) add(`permissions.${key}`, true);
  add('selected_team_id', user.selectedTeamId);
  for (const category of NotificationCategory.options) {
    add(`notification_preferences.${category}`, !user.disabledCategories.has(category));
  }
  return builder.fields;
}

function addProfile({ add, addTree }: FieldsBuilder, profile: Profile): void {
  add('profile_image_url', profile.profileImageUrl);
  for (const [scope, value] of Object.entries(profile.metadata)) addTree(`${scope}_metadata`, value);
  add('country_code', profile.countryCode);
  addTree('risk_scores.sign_up', inSnakeCase(profile.riskScores));
}

function addSignInMethods({ add, addTree, addSecret }: FieldsBuilder, user: ActiveUser): void {
  add('is_anonymous', user.isAnonymous);
  add('signed_up_at_millis', millisOf(user.signedUpAt));
  add('has_password', user.hasPassword);
  addSecret('password', user.passwordHash);
  add('otp_auth_enabled', user.isOtpEnabled);
  add('requires_totp_mfa', user.totp !== null);
  addSecret('totp_secret', user.totp?.secret);
  add('passkey_auth_enabled', user.passkey !== null);
  addSecret('passkey', user.passkey?.credentialId);
  for (const { id, provider, accountId, email, allowSignIn, allowConnectedAccounts } of user.oauthAccounts) {
    const account = { provider, account_id: accountId, email };
    const uses = { allow_sign_in: allowSignIn, allow_connected_accounts: allowConnectedAccounts };
    addTree(`oauth_providers.${id}`, { ...account, ...uses });
  }
}
