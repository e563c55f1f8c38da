import type { NotificationCategory } from '../email/categories.ts';
import type { Passkey, UserEvent } from './events.ts';

export type Channel = {
  id: string;
  /** null once the user is erased. */
  value: string | null;
  isPrimary: boolean;
  isVerified: boolean;
  /** The owner of the mailbox was shown to control the account. */
  isProven: boolean;
  /** ISO time at which the current unverified address was set. */
  unverifiedSince: string;
  usedForAuth: boolean;
};

/** Wrong codes of one user within an hour after which every code is rejected until the hour is over. */
export const maxTotpRejections = 40;

export type OAuthAccount = {
  id: string;
  provider: string;
  accountRef: string;
  /** null once the user is erased, like `email`. */
  accountId: string | null;
  email: string | null;
  allowSignIn: boolean;
  allowConnectedAccounts: boolean;
};

export type ActiveUser = {
  status: 'active';
  userId: string;
  projectId: string;
  /** Revision of the last applied event. */
  revision: number;
  /** The last event that ended the user's sessions; null if there was none. */
  sessionsEnded: { revision: number; keptSessionId: string | null } | null;
  hasPassword: boolean;
  /** null without a password, and once the user is erased. */
  passwordHash: string | null;
  /** The only open reset code. `outlivesPassword`: a password change does not end it. */
  resetCode: { codeId: string; outlivesPassword: boolean } | null;
  /** Whether a password change has ended a reset code before any address was verified. */
  hasEndedResetCode: boolean;
  /** The last event that revoked the user's API keys; null if there was none. */
  apiKeysRevoked: { revision: number; at: string } | null;
  /** null unless an administrator restricts the user, who then can't sign in. */
  adminRestriction: { reason: string | null; privateDetails: string | null } | null;
  isOtpEnabled: boolean;
  isAnonymous: boolean;
  signedUpAt: string;
  displayName: string | null;
  /**
   * null without a second factor. `secret` is null once the user is erased. `lastStep` is the last accepted one.
   * `rejectedAt` holds the times of the latest wrong codes, at most `maxTotpRejections`.
   */
  totp: { secret: string | null; lastStep: number; rejectedAt: readonly string[] } | null;
  passkey: Passkey | null;
  oauthAccounts: readonly OAuthAccount[];
  channels: readonly Channel[];
  /** Keys of directly granted permissions with project scope. */
  permissions: ReadonlySet<string>;
  /** Counts only while the user is a member of the team. */
  selectedTeamId: string | null;
  /** Categories of emails that the user does not want. */
  disabledCategories: ReadonlySet<NotificationCategory>;
  /** When so many sign-ins failed that one was rejected; null if that never happened. */
  signInsThrottledAt: string | null;
};
/** Counts as deleted, but can be restored. `isByUser`: the user asked for the deletion. */
export type UserAwaitingDeletion = {
  status: 'awaiting_deletion';
  user: ActiveUser;
  deleteAt: string;
  isByUser: boolean;
};
export type UserState =
  | { status: 'absent' }
  | ActiveUser
  | UserAwaitingDeletion
  | { status: 'deleted'; userId: string; projectId: string; erasedAt: string | null };

export const initialState: UserState = { status: 'absent' };

export function evolveUser(state: UserState, event: UserEvent): UserState {
  if (event.type === 'UserCreated') {
    const { userId, projectId, isAnonymous, displayName, at, signedUpAt = at } = event.data;
    return {
      status: 'active',
      userId,
      projectId,
      revision: 0,
      sessionsEnded: null,
      hasPassword: false,
      passwordHash: null,
      resetCode: null,
      hasEndedResetCode: false,
      apiKeysRevoked: null,
      adminRestriction: null,
      isOtpEnabled: false,
      isAnonymous,
      signedUpAt,
      displayName,
      totp: null,
      passkey: null,
      oauthAccounts: [],
      channels: [],
      permissions: new Set(),
      selectedTeamId: null,
      disabledCategories: new Set(),
      signInsThrottledAt: null,
    };
  }
  if (state.status === 'deleted' && event.type === 'UserErased') {
    return { ...state, erasedAt: event.data.at };
  }
  if (state.status === 'awaiting_deletion') return evolveAwaiting(state, event);
  return state.status === 'active' ? evolveActive({ ...state, revision: state.revision + 1 }, event) : state;
}

/** The user as before the deletion was scheduled, without sessions and API keys. */
function evolveAwaiting(state: UserAwaitingDeletion, event: Exclude<UserEvent, { type: 'UserCreated' }>): UserState {
  const user = evolveActive({ ...state.user, revision: state.user.revision + 1 }, event);
  if (user.status !== 'active' || event.type === 'UserDeletionCanceled') return user;
  return { ...state, user };
}

/** A user who is not erased, and so keeps their reservations. */
export function existingUser(state: UserState): ActiveUser | null {
  if (state.status === 'awaiting_deletion') return state.user;
  return state.status === 'active' ? state : null;
}

function evolveActive(user: ActiveUser, event: Exclude<UserEvent, { type: 'UserCreated' }>): UserState {
  switch (event.type) {
    case 'ContactChannelAdded': {
      const { channelId: id, value, isPrimary, isVerified, usedForAuth, at } = event.data;
      const others = isPrimary ? user.channels.map((channel) => ({ ...channel, isPrimary: false })) : user.channels;
      const added = { id, value, isPrimary, isVerified, isProven: isVerified, unverifiedSince: at, usedForAuth };
      return { ...user, channels: [...others, added] };
    }
    case 'ContactChannelValueChanged': {
      const { channelId, value, isVerified, at } = event.data;
      return withChannel(user, channelId, { value, isVerified, isProven: isVerified, unverifiedSince: at });
    }
    case 'ContactChannelVerificationChanged': {
      const { channelId, isVerified, isByLinkAlone, at } = event.data;
      const isProven = isVerified && !isByLinkAlone;
      return withChannel(user, channelId, { isVerified, isProven, unverifiedSince: at });
    }
    case 'ContactChannelProven':
      return withChannel(user, event.data.channelId, { isVerified: true, isProven: true });
    case 'ContactChannelAuthChanged':
      return withChannel(user, event.data.channelId, { usedForAuth: event.data.usedForAuth });
    case 'PrimaryChannelChanged': {
      const { channelId } = event.data;
      return {
        ...user,
        channels: user.channels.map((channel) => ({ ...channel, isPrimary: channel.id === channelId })),
      };
    }
    case 'ContactChannelRemoved':
      return { ...user, channels: user.channels.filter(({ id }) => id !== event.data.channelId) };
    case 'UserPasswordSet': {
      const { passwordHash, origin } = event.data;
      const changed = { ...user, hasPassword: true, passwordHash };
      return origin === 'rehash' ? changed : withoutResetCode(changed, origin);
    }
    case 'UserPasswordRemoved':
      return withoutResetCode({ ...user, hasPassword: false, passwordHash: null }, 'removed');
    case 'PasswordResetRequested':
      return { ...user, resetCode: { codeId: event.data.codeId, outlivesPassword: user.hasEndedResetCode } };
    case 'UserApiKeysRevoked':
      return { ...user, apiKeysRevoked: { revision: user.revision, at: event.data.at } };
    case 'UserRestricted':
    case 'UserRestrictionChanged': {
      const { reason, privateDetails } = event.data;
      return { ...user, adminRestriction: { reason, privateDetails } };
    }
    case 'UserRestrictionLifted':
      return { ...user, adminRestriction: null };
    case 'OtpAuthChanged':
      return { ...user, isOtpEnabled: event.data.isEnabled };
    case 'UserUpgraded':
      return { ...user, isAnonymous: false };
    case 'UserRenamed':
      return { ...user, displayName: event.data.displayName };
    case 'TotpSecretChanged': {
      const { isEnabled, secret } = event.data;
      // Steps of the previous secret do not apply to the new one.
      return { ...user, totp: isEnabled ? { secret, lastStep: 0, rejectedAt: [] } : null };
    }
    case 'TotpUsed':
      return { ...user, totp: user.totp && { ...user.totp, lastStep: event.data.step } };
    case 'TotpRejected': {
      const rejectedAt = [...(user.totp?.rejectedAt ?? []), event.data.at].slice(-maxTotpRejections);
      return { ...user, totp: user.totp && { ...user.totp, rejectedAt } };
    }
    case 'PasskeyRegistered':
      return { ...user, passkey: event.data.passkey };
    case 'PasskeyUsed':
      return { ...user, passkey: user.passkey && { ...user.passkey, counter: event.data.counter } };
    case 'PasskeyRemoved':
      return { ...user, passkey: null };
    case 'OAuthAccountLinked': {
      const { userId: _, at: __, ...account } = event.data;
      return { ...user, oauthAccounts: [...user.oauthAccounts, { ...account, id: oauthAccountId(event.data) }] };
    }
    case 'OAuthAccountChanged': {
      const { userId: _, at: __, ...changed } = event.data;
      return {
        ...user,
        oauthAccounts: user.oauthAccounts.map((account) => (account.id === changed.id ? changed : account)),
      };
    }
    case 'OAuthAccountUnlinked': {
      const { accountRef } = event.data;
      return { ...user, oauthAccounts: user.oauthAccounts.filter((account) => account.accountRef !== accountRef) };
    }
    case 'ProjectPermissionGranted':
      return { ...user, permissions: new Set([...user.permissions, event.data.permissionKey]) };
    case 'ProjectPermissionRevoked':
      return { ...user, permissions: new Set([...user.permissions].filter((key) => key !== event.data.permissionKey)) };
    case 'TeamSelected':
      return { ...user, selectedTeamId: event.data.teamId };
    case 'NotificationPreferenceChanged': {
      const { category, isEnabled } = event.data;
      const others = [...user.disabledCategories].filter((disabled) => disabled !== category);
      return { ...user, disabledCategories: new Set(isEnabled ? others : [...others, category]) };
    }
    case 'UserDeletionScheduled': {
      const { deleteAt, isByUser, at } = event.data;
      const { revision } = user;
      const withoutAccess = {
        ...user,
        sessionsEnded: { revision, keptSessionId: null },
        apiKeysRevoked: { revision, at },
      };
      return { status: 'awaiting_deletion', user: withoutAccess, deleteAt, isByUser };
    }
    case 'UserDeleted':
      return { status: 'deleted', userId: user.userId, projectId: user.projectId, erasedAt: null };
    case 'UserSessionsEnded': {
      const { keptSessionId } = event.data;
      return { ...user, sessionsEnded: { revision: user.revision, keptSessionId } };
    }
    case 'UserImageChanged':
    case 'UserMetadataChanged':
    case 'UserCountryCodeChanged':
    case 'UserRiskScoresChanged':
    case 'UserExported':
    case 'UserMerged':
    case 'ReservationExpired':
    case 'UserErased':
    case 'UserDeletionCanceled':
      return user;
    case 'SignInsThrottled':
      return { ...user, signInsThrottledAt: event.data.at };
    default:
      event satisfies never;
      return user;
  }
}

/**
 * A password change ends the open reset code, but only once while no address is verified. Otherwise someone who signed
 * up with another person's address could lock out its owner by changing the password again and again.
 */
function withoutResetCode(user: ActiveUser, cause: string): ActiveUser {
  const { resetCode } = user;
  if (resetCode === null) return user;
  const isVerified = user.channels.some((channel) => channel.isVerified);
  if (resetCode.outlivesPassword && cause !== 'reset' && !isVerified) return user;
  return { ...user, resetCode: null, hasEndedResetCode: user.hasEndedResetCode || !isVerified };
}

function withChannel(user: ActiveUser, channelId: string, change: Partial<Channel>): ActiveUser {
  return {
    ...user,
    channels: user.channels.map((channel) => (channel.id === channelId ? { ...channel, ...change } : channel)),
  };
}

/**
 * ISO time at which all keys of the owner were revoked if that includes this key, else null. Nothing is written to the
 * key's own stream then.
 */
export function findOwnerRevocation(
  owner: UserState,
  { ownerRevision }: { ownerRevision: number | null },
): string | null {
  const revocation = owner.status === 'active' ? owner.apiKeysRevoked : null;
  return revocation !== null && ownerRevision !== null && ownerRevision < revocation.revision ? revocation.at : null;
}

/**
 * Whether a session was ended together with others (docs/decisions/0001). `userRevision`: the revision of the user that
 * the session was decided on.
 */
export function hasEndedWithOthers(
  { sessionsEnded }: Pick<ActiveUser, 'sessionsEnded'>,
  { sessionId, userRevision }: { sessionId: string; userRevision: number },
): boolean {
  return sessionsEnded !== null && userRevision < sessionsEnded.revision && sessionsEnded.keptSessionId !== sessionId;
}

export function findOAuthAccount({ oauthAccounts }: ActiveUser, id: string): OAuthAccount | undefined {
  return oauthAccounts.find((account) => account.id === id);
}

/** ID of a linked account. An event without an ID gets one that is derived from the account's keyed hash. */
export function oauthAccountId({ id, accountRef }: { id: string | null; accountRef: string }): string {
  if (id !== null) return id;
  const base64 = accountRef.replaceAll('-', '+').replaceAll('_', '/').padEnd(24, 'A').slice(0, 24);
  const hex = [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  // Version 5 of RFC 9562: derived from a hash.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function primaryChannel(user: ActiveUser): Channel | undefined {
  return user.channels.find(({ isPrimary }) => isPrimary);
}
