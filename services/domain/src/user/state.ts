import type { Passkey, UserEvent } from './events.ts';

export type Channel = {
  id: string;
  /** null once the user is erased. */
  value: string | null;
  isPrimary: boolean;
  isVerified: boolean;
  usedForAuth: boolean;
};

/** Wrong codes of one user within an hour; then no code is right until the hour is over. */
export const maxTotpRefusals = 40;

export type OAuthAccount = { provider: string; accountRef: string };

export type ActiveUser = {
  status: 'active';
  userId: string;
  projectId: string;
  hasPassword: boolean;
  /** null without a password, and once the user is erased. */
  passwordHash: string | null;
  isOtpEnabled: boolean;
  isAnonymous: boolean;
  signedUpAt: string;
  displayName: string | null;
  /**
   * null without a second factor. `secret` is null once the user is erased; `lastStep` is the last one accepted; `refusedAt` are the
   * times of the latest wrong codes, as many as are ever looked at.
   */
  totp: { secret: string | null; lastStep: number; refusedAt: readonly string[] } | null;
  passkey: Passkey | null;
  oauthAccounts: readonly OAuthAccount[];
  channels: readonly Channel[];
  /** Keys of project scope that were granted directly. */
  permissions: ReadonlySet<string>;
  /** Counts only while the user is a member of it. */
  selectedTeamId: string | null;
};
export type UserState =
  | { status: 'absent' }
  | ActiveUser
  | { status: 'deleted'; userId: string; projectId: string; erasedAt: string | null };

export const initialState: UserState = { status: 'absent' };

export function evolveUser(state: UserState, event: UserEvent): UserState {
  if (event.type === 'UserCreated') {
    const { userId, projectId, isAnonymous, displayName, at } = event.data;
    return {
      status: 'active',
      userId,
      projectId,
      hasPassword: false,
      passwordHash: null,
      isOtpEnabled: false,
      isAnonymous,
      signedUpAt: at,
      displayName,
      totp: null,
      passkey: null,
      oauthAccounts: [],
      channels: [],
      permissions: new Set(),
      selectedTeamId: null,
    };
  }
  if (state.status === 'deleted' && event.type === 'UserErased') {
    return { ...state, erasedAt: event.data.at };
  }
  return state.status === 'active' ? evolveActive(state, event) : state;
}

function evolveActive(user: ActiveUser, event: Exclude<UserEvent, { type: 'UserCreated' }>): UserState {
  switch (event.type) {
    case 'ContactChannelAdded': {
      const { channelId: id, value, isPrimary, isVerified, usedForAuth } = event.data;
      const others = isPrimary ? user.channels.map((channel) => ({ ...channel, isPrimary: false })) : user.channels;
      return { ...user, channels: [...others, { id, value, isPrimary, isVerified, usedForAuth }] };
    }
    case 'ContactChannelValueChanged': {
      const { channelId, value, isVerified } = event.data;
      return withChannel(user, channelId, { value, isVerified });
    }
    case 'ContactChannelVerificationChanged':
      return withChannel(user, event.data.channelId, { isVerified: event.data.isVerified });
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
    case 'UserPasswordSet':
      return { ...user, hasPassword: true, passwordHash: event.data.passwordHash };
    case 'UserPasswordRemoved':
      return { ...user, hasPassword: false, passwordHash: null };
    case 'OtpAuthChanged':
      return { ...user, isOtpEnabled: event.data.isEnabled };
    case 'UserUpgraded':
      return { ...user, isAnonymous: false };
    case 'UserRenamed':
      return { ...user, displayName: event.data.displayName };
    case 'TotpSecretChanged': {
      const { isEnabled, secret } = event.data;
      // Steps of another secret say nothing about this one.
      return { ...user, totp: isEnabled ? { secret, lastStep: 0, refusedAt: [] } : null };
    }
    case 'TotpUsed':
      return { ...user, totp: user.totp && { ...user.totp, lastStep: event.data.step } };
    case 'TotpRefused': {
      const refusedAt = [...(user.totp?.refusedAt ?? []), event.data.at].slice(-maxTotpRefusals);
      return { ...user, totp: user.totp && { ...user.totp, refusedAt } };
    }
    case 'PasskeyRegistered':
      return { ...user, passkey: event.data.passkey };
    case 'PasskeyUsed':
      return { ...user, passkey: user.passkey && { ...user.passkey, counter: event.data.counter } };
    case 'PasskeyRemoved':
      return { ...user, passkey: null };
    case 'OAuthAccountLinked': {
      const { provider, accountRef } = event.data;
      return { ...user, oauthAccounts: [...user.oauthAccounts, { provider, accountRef }] };
    }
    case 'ProjectPermissionGranted':
      return { ...user, permissions: new Set([...user.permissions, event.data.permission]) };
    case 'ProjectPermissionRevoked':
      return { ...user, permissions: new Set([...user.permissions].filter((key) => key !== event.data.permission)) };
    case 'TeamSelected':
      return { ...user, selectedTeamId: event.data.teamId };
    case 'UserDeleted':
      return { status: 'deleted', userId: user.userId, projectId: user.projectId, erasedAt: null };
    case 'UserImageChanged':
    case 'UserMetadataChanged':
    case 'UserSessionsEnded':
    case 'UserExported':
    case 'UserErased':
      return user;
    default:
      event satisfies never;
      return user;
  }
}

function withChannel(user: ActiveUser, channelId: string, change: Partial<Channel>): ActiveUser {
  return {
    ...user,
    channels: user.channels.map((channel) => (channel.id === channelId ? { ...channel, ...change } : channel)),
  };
}

export function primaryChannel(user: ActiveUser): Channel | undefined {
  return user.channels.find(({ isPrimary }) => isPrimary);
}
