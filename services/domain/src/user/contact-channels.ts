import { reject } from '../errors.ts';
import { hasLapsed, maxUnverifiedAddresses } from './address-proof.ts';
import { isSameEmail } from './email.ts';
import type { UserEvent } from './events.ts';
import { type ActiveUser, type Channel, primaryChannel } from './state.ts';

type AddChannel = {
  type: 'AddChannel';
  channelId: string;
  value: string;
  isPrimary: boolean;
  isVerified: boolean;
  usedForAuth: boolean;
  /** Client access may add only a few unverified addresses. */
  isLimited?: boolean;
  /** Maximum number of addresses of the user; undefined: no limit. */
  limit?: number | undefined;
  at: string;
};
/** Undefined fields do not change. */
type ChangeChannel = {
  type: 'ChangeChannel';
  channelId: string;
  value?: string | undefined;
  isPrimary?: boolean | undefined;
  isVerified?: boolean | undefined;
  usedForAuth?: boolean | undefined;
  isLimited?: boolean;
  at: string;
};
type RemoveChannel = { type: 'RemoveChannel'; channelId: string; at: string };
export type ContactChannelCommand = AddChannel | ChangeChannel | RemoveChannel;

/** (protocol, resources §2.3 and §2.4) The reservation decides whether an address is free to sign in with. */
export function decideContactChannel(command: ContactChannelCommand, user: ActiveUser): readonly UserEvent[] {
  switch (command.type) {
    case 'AddChannel':
      return addChannel(command, user);
    case 'ChangeChannel':
      return changeChannel(command, user);
    case 'RemoveChannel': {
      const { id: channelId } = findChannel(user, command.channelId);
      return [{ type: 'ContactChannelRemoved', data: { userId: user.userId, channelId, at: command.at } }];
    }
  }
}

/** Lapsed addresses are removed to make room. */
function addChannel(
  { type: _, isLimited = false, limit, ...channel }: AddChannel,
  user: ActiveUser,
): readonly UserEvent[] {
  const { userId } = user;
  const { at } = channel;
  const lapsed = isLimited ? user.channels.filter((other) => !other.isPrimary && hasLapsed(user, other, at)) : [];
  const remaining = { ...user, channels: user.channels.filter((other) => !lapsed.includes(other)) };
  rejectDuplicate(remaining, channel.value, null);
  if (isLimited) rejectTooManyUnverified(remaining);
  if (limit !== undefined && remaining.channels.length >= limit) {
    reject('QUOTA_EXCEEDED', { quota: 'contactChannelsPerUser', limit });
  }
  // Says of both addresses that they changed.
  const replaces = channel.isPrimary && primaryChannel(user) !== undefined;
  const { channelId } = channel;
  return [
    ...lapsed.map(({ id }) => ({ type: 'ContactChannelRemoved', data: { userId, channelId: id, at } }) as const),
    {
      type: 'ContactChannelAdded',
      data: { userId, channelType: 'email', ...channel, isPrimary: channel.isPrimary && !replaces },
    },
    ...(replaces ? [{ type: 'PrimaryChannelChanged', data: { userId, channelId, at } } as const] : []),
  ];
}

function changeChannel(command: ChangeChannel, user: ActiveUser): readonly UserEvent[] {
  const { channelId, value, isPrimary, isVerified, usedForAuth, isLimited = false, at } = command;
  const channel = findChannel(user, channelId);
  const of = { userId: user.userId, channelId };
  const events: UserEvent[] = [];
  if (value !== undefined) {
    rejectDuplicate(user, value, channelId);
    if (isLimited && channel.isVerified) rejectTooManyUnverified(user);
    // A new value is unverified even if it equals the old one: writing an address does not prove it.
    events.push({ type: 'ContactChannelValueChanged', data: { ...of, value, isVerified: isVerified ?? false, at } });
  } else if (isVerified !== undefined && isVerified !== channel.isVerified) {
    events.push({ type: 'ContactChannelVerificationChanged', data: { ...of, isVerified, isByLinkAlone: false, at } });
  }
  if (usedForAuth !== undefined && usedForAuth !== channel.usedForAuth) {
    events.push({ type: 'ContactChannelAuthChanged', data: { ...of, usedForAuth, at } });
  }
  if (isPrimary !== undefined && isPrimary !== channel.isPrimary) {
    const primary = isPrimary ? channelId : null;
    events.push({ type: 'PrimaryChannelChanged', data: { userId: user.userId, channelId: primary, at } });
  }
  return events;
}

function findChannel({ channels }: ActiveUser, channelId: string): Channel {
  return channels.find(({ id }) => id === channelId) ?? reject('CONTACT_CHANNEL_NOT_FOUND');
}

/** A user has each address at most once. */
function rejectDuplicate({ channels }: ActiveUser, value: string, exceptId: string | null): void {
  if (channels.some((channel) => channel.id !== exceptId && isSameEmail(channel.value, value))) {
    reject('CONTACT_CHANNEL_EXISTS');
  }
}

function rejectTooManyUnverified({ channels }: ActiveUser): void {
  if (channels.filter(({ isVerified }) => !isVerified).length >= maxUnverifiedAddresses) {
    reject('UNVERIFIED_EMAIL_LIMIT_REACHED', { limit: maxUnverifiedAddresses });
  }
}
