import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { MembershipEvent } from '@gatebook/domain/membership/events';
import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { type Change, insert, type Projection, patch, type Row } from '@gatebook/projections/changes';

type UserFact = DomainEvent<string, { userId: string; at: string }>;

/** Where the user was; addresses of others who acted are their personal data. */
function placeOf({ data, metadata: { actor, origin } }: Recorded<UserFact>): Row {
  return actor.id === data.userId && !actor.impersonator ? { ...origin } : {};
}

/** Shown while and after the user is deleted, so they must not have personal data. */
const deletionTypes: ReadonlySet<string> = new Set(['UserDeletionScheduled', 'UserDeleted', 'UserErased']);

function entry(event: Recorded<UserFact>, details: Row = {}): Change {
  const { id, type, data, metadata, position } = event;
  return insert('user_history', {
    position,
    event_id: id,
    project_id: metadata.projectId,
    user_id: data.userId,
    type,
    actor_kind: metadata.actor.kind,
    actor_id: metadata.actor.id,
    impersonator_kind: metadata.actor.impersonator?.kind ?? null,
    impersonator_id: metadata.actor.impersonator?.id ?? null,
    details: deletionTypes.has(type) ? details : { ...placeOf(event), ...details },
    at: data.at,
  });
}

type SignIn = { ip: string | null; userAgent: string | null; country: string | null; clientVersion: string | null };
const softwareAndPlaceOf = ({ ip, userAgent, country, clientVersion }: SignIn): Row => ({
  ip,
  userAgent,
  country,
  clientVersion,
});

/**
 * Every event of a user, and of the user's sessions and memberships. Contains no secrets; personal data is removed when
 * the user is deleted.
 */
export const historyProjection: Projection<UserEvent | SessionEvent | MembershipEvent> = {
  UserCreated: (event) => [
    entry(event, {
      method: event.data.method,
      isAnonymous: event.data.isAnonymous,
      provider: event.data.provider,
      ...softwareAndPlaceOf(event.data),
    }),
  ],
  UserRenamed: (event) => [entry(event, { displayName: event.data.displayName })],
  UserImageChanged: (event) => [entry(event, { hasImage: event.data.profileImageUrl !== null })],
  UserMetadataChanged: (event) => [entry(event, { scope: event.data.scope })],
  ContactChannelAdded: (event) => [
    entry(event, {
      channelId: event.data.channelId,
      value: event.data.value,
      isPrimary: event.data.isPrimary,
      isVerified: event.data.isVerified,
      usedForAuth: event.data.usedForAuth,
    }),
  ],
  ContactChannelValueChanged: (event) => [
    entry(event, { channelId: event.data.channelId, value: event.data.value, isVerified: event.data.isVerified }),
  ],
  ContactChannelVerificationChanged: (event) => [
    entry(event, { channelId: event.data.channelId, isVerified: event.data.isVerified }),
  ],
  ContactChannelProven: (event) => [
    entry(event, { channelId: event.data.channelId, by: event.data.by, removed: event.data.removed }),
  ],
  ContactChannelAuthChanged: (event) => [
    entry(event, { channelId: event.data.channelId, usedForAuth: event.data.usedForAuth }),
  ],
  PrimaryChannelChanged: (event) => [
    entry(event, { channelId: event.data.channelId, hasPrimary: event.data.channelId !== null }),
  ],
  ContactChannelRemoved: (event) => [entry(event, { channelId: event.data.channelId })],
  UserPasswordSet: (event) => [entry(event, { origin: event.data.origin })],
  PasswordResetRequested: (event) => [entry(event)],
  UserPasswordRemoved: (event) => [entry(event)],
  UserSessionsEnded: (event) => [
    entry(event, { reason: event.data.reason, keptOne: event.data.keptSessionId !== null }),
  ],
  UserRestricted: (event) => [entry(event, { reason: event.data.reason })],
  UserRestrictionChanged: (event) => [entry(event, { reason: event.data.reason })],
  UserRestrictionLifted: (event) => [entry(event)],
  UserCountryCodeChanged: (event) => [entry(event, { countryCode: event.data.countryCode })],
  UserRiskScoresChanged: (event) => [entry(event)],
  OtpAuthChanged: (event) => [entry(event, { isEnabled: event.data.isEnabled })],
  UserUpgraded: (event) => [entry(event, { method: event.data.method })],
  TotpSecretChanged: (event) => [entry(event, { isEnabled: event.data.isEnabled })],
  TotpUsed: (event) => [entry(event)],
  TotpRejected: (event) => [entry(event)],
  SignInsThrottled: (event) => [entry(event, { failures: event.data.failures, minutes: event.data.minutes })],
  PasskeyRegistered: (event) => [entry(event)],
  PasskeyUsed: (event) => [entry(event)],
  PasskeyRemoved: (event) => [entry(event)],
  OAuthAccountLinked: (event) => [entry(event, { provider: event.data.provider, email: event.data.email })],
  OAuthAccountChanged: (event) => [
    entry(event, {
      provider: event.data.provider,
      email: event.data.email,
      allowSignIn: event.data.allowSignIn,
      allowConnectedAccounts: event.data.allowConnectedAccounts,
    }),
  ],
  OAuthAccountUnlinked: (event) => [entry(event, { provider: event.data.provider })],
  UserApiKeysRevoked: (event) => [entry(event)],
  UserExported: (event) => [entry(event)],
  ProjectPermissionGranted: (event) => [entry(event, { permission: event.data.permissionKey })],
  ProjectPermissionRevoked: (event) => [entry(event, { permission: event.data.permissionKey })],
  NotificationPreferenceChanged: (event) => [
    entry(event, { category: event.data.category, isEnabled: event.data.isEnabled }),
  ],
  TeamSelected: (event) => [entry(event, { teamId: event.data.teamId })],
  TeamMemberAdded: (event) => [entry(event, { teamId: event.data.teamId, how: event.data.how })],
  TeamMemberRemoved: (event) => [entry(event, { teamId: event.data.teamId, how: event.data.how })],
  TeamProfileChanged: (event) => [entry(event, { teamId: event.data.teamId })],
  TeamPermissionGranted: (event) => [entry(event, { teamId: event.data.teamId, permission: event.data.permissionKey })],
  TeamPermissionRevoked: (event) => [entry(event, { teamId: event.data.teamId, permission: event.data.permissionKey })],
  TeamPermissionUsed: (event) => [entry(event, { teamId: event.data.teamId, permission: event.data.permissionKey })],
  UserDeletionScheduled: (event) => [entry(event, { deleteAt: event.data.deleteAt })],
  UserDeletionCanceled: (event) => [entry(event)],
  UserDeleted: (event) => [patch('user_history', { user_id: event.data.userId }, { details: null }), entry(event)],
  UserErased: (event) => [patch('user_history', { user_id: event.data.userId }, { details: null }), entry(event)],
  SessionStarted: (event) => [
    entry(event, {
      method: event.data.method,
      isImpersonation: event.data.isImpersonation,
      provider: event.data.provider,
      secondFactor: event.data.secondFactor,
      ...softwareAndPlaceOf(event.data),
    }),
  ],
  SessionEnded: (event) => [entry(event, { reason: event.data.reason })],
};
