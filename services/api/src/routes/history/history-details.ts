import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { MembershipEvent } from '@gatebook/domain/membership/events';
import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';

export type Details = Readonly<Record<string, unknown>>;
type UserFact = DomainEvent<string, { userId: string; at: string }>;

/** Where the user was; addresses of others who acted are their personal data. */
function placeOf({ data, metadata: { actor, origin } }: Recorded<UserFact>): Details {
  return actor.id === data.userId && !actor.impersonator ? { ...origin } : {};
}

type SignIn = { ip: string | null; userAgent: string | null; country: string | null; clientVersion: string | null };
const softwareAndPlaceOf = ({ ip, userAgent, country, clientVersion }: SignIn): Details => ({
  ip,
  userAgent,
  country,
  clientVersion,
});
const nothing = (): Details => ({});

type ShownEvent = UserEvent | SessionEvent | MembershipEvent;
type DetailsByType = {
  readonly [Type in Exclude<ShownEvent['type'], 'ReservationExpired'>]: (
    event: Recorded<Extract<ShownEvent, { type: Type }>>,
  ) => Details;
};

/** What the text of an event needs besides its type, without hashes and tokens. */
const detailsByType: DetailsByType = {
  UserCreated: (event) => ({
    method: event.data.method,
    isAnonymous: event.data.isAnonymous,
    provider: event.data.provider,
    ...softwareAndPlaceOf(event.data),
  }),
  UserRenamed: (event) => ({ displayName: event.data.displayName }),
  // A large image is not loaded.
  UserImageChanged: ({ data, blobs = [] }) => ({ hasImage: data.profileImageUrl !== null || blobs.length > 0 }),
  UserMetadataChanged: (event) => ({ scope: event.data.scope }),
  ContactChannelAdded: (event) => ({
    channelId: event.data.channelId,
    value: event.data.value,
    isPrimary: event.data.isPrimary,
    isVerified: event.data.isVerified,
    usedForAuth: event.data.usedForAuth,
  }),
  ContactChannelValueChanged: (event) => ({
    channelId: event.data.channelId,
    value: event.data.value,
    isVerified: event.data.isVerified,
  }),
  ContactChannelVerificationChanged: (event) => ({
    channelId: event.data.channelId,
    isVerified: event.data.isVerified,
  }),
  ContactChannelProven: (event) => ({
    channelId: event.data.channelId,
    by: event.data.by,
    removed: event.data.removed,
  }),
  ContactChannelAuthChanged: (event) => ({ channelId: event.data.channelId, usedForAuth: event.data.usedForAuth }),
  PrimaryChannelChanged: (event) => ({ channelId: event.data.channelId, hasPrimary: event.data.channelId !== null }),
  ContactChannelRemoved: (event) => ({ channelId: event.data.channelId }),
  UserPasswordSet: (event) => ({ origin: event.data.origin }),
  PasswordResetRequested: nothing,
  UserPasswordRemoved: nothing,
  UserSessionsEnded: (event) => ({ reason: event.data.reason, keptOne: event.data.keptSessionId !== null }),
  UserRestricted: (event) => ({ reason: event.data.reason }),
  UserRestrictionChanged: (event) => ({ reason: event.data.reason }),
  UserRestrictionLifted: nothing,
  UserCountryCodeChanged: (event) => ({ countryCode: event.data.countryCode }),
  UserRiskScoresChanged: nothing,
  // Nobody is signed in yet who signs in with a code (docs/decisions/0034).
  OtpAuthChanged: ({ data: { isEnabled }, metadata: { actor } }) => ({
    isEnabled,
    isBySignIn: isEnabled && actor.kind === 'client',
  }),
  UserUpgraded: (event) => ({ method: event.data.method }),
  TotpSecretChanged: (event) => ({ isEnabled: event.data.isEnabled }),
  TotpUsed: nothing,
  TotpRejected: nothing,
  SignInsThrottled: (event) => ({ failures: event.data.failures, minutes: event.data.minutes }),
  PasskeyRegistered: nothing,
  PasskeyUsed: nothing,
  PasskeyRemoved: nothing,
  OAuthAccountLinked: (event) => ({ provider: event.data.provider, email: event.data.email }),
  OAuthAccountChanged: (event) => ({
    provider: event.data.provider,
    email: event.data.email,
    allowSignIn: event.data.allowSignIn,
    allowConnectedAccounts: event.data.allowConnectedAccounts,
  }),
  OAuthAccountUnlinked: (event) => ({ provider: event.data.provider }),
  UserApiKeysRevoked: nothing,
  UserMerged: ({ data }) => ({ mergedUserId: data.mergedUserId }),
  UserExported: nothing,
  ProjectPermissionGranted: (event) => ({ permission: event.data.permissionKey }),
  ProjectPermissionRevoked: (event) => ({ permission: event.data.permissionKey }),
  NotificationPreferenceChanged: (event) => ({ category: event.data.category, isEnabled: event.data.isEnabled }),
  TeamSelected: (event) => ({ teamId: event.data.teamId }),
  TeamMemberAdded: (event) => ({ teamId: event.data.teamId, how: event.data.how }),
  TeamMemberRemoved: (event) => ({ teamId: event.data.teamId, how: event.data.how }),
  TeamProfileChanged: (event) => ({ teamId: event.data.teamId }),
  TeamPermissionGranted: (event) => ({ teamId: event.data.teamId, permission: event.data.permissionKey }),
  TeamPermissionRevoked: (event) => ({ teamId: event.data.teamId, permission: event.data.permissionKey }),
  TeamPermissionUsed: (event) => ({ teamId: event.data.teamId, permission: event.data.permissionKey }),
  UserDeletionScheduled: (event) => ({ deleteAt: event.data.deleteAt }),
  UserDeletionCanceled: nothing,
  UserDeleted: ({ data }) => ({ ...(data.mergedIntoId !== undefined && { mergedIntoId: data.mergedIntoId }) }),
  UserErased: nothing,
  SessionStarted: (event) => ({
    method: event.data.method,
    isImpersonation: event.data.isImpersonation,
    ...(event.data.isImpersonation && {
      minutes: Math.round((Date.parse(event.data.expiresAt) - Date.parse(event.data.at)) / 60_000),
      impersonationReason: event.data.impersonationReason,
    }),
    provider: event.data.provider,
    secondFactor: event.data.secondFactor,
    ...softwareAndPlaceOf(event.data),
  }),
  SessionEnded: (event) => ({ reason: event.data.reason }),
};

const byType = detailsByType as unknown as Readonly<Record<string, (event: Recorded) => Details>>;

/** Shown while and after the user is deleted, so their texts must not have personal data. */
export const deletionTypes: ReadonlySet<string> = new Set(['UserDeletionScheduled', 'UserDeleted', 'UserErased']);

/** null if the type has no details. */
export function detailsOf(event: Recorded): Details | null {
  const details = byType[event.type]?.(event);
  if (!details) return null;
  return deletionTypes.has(event.type) ? details : { ...placeOf(event as Recorded<UserFact>), ...details };
}
