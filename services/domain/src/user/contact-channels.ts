import { refuse } from '../errors.ts';
import { isSameEmail } from './email.ts';
import type { UserEvent } from './events.ts';
import type { ActiveUser, Channel } from './state.ts';

type AddChannel = {
  type: 'AddChannel';
  channelId: string;
  value: string;
  isPrimary: boolean;
  isVerified: boolean;
  usedForAuth: boolean;
  /** The greatest number of addresses that the user may have then; undefined: any. */
  limit?: number | undefined;
  at: string;
};
/** What is undefined stays. */
type ChangeChannel = {
  type: 'ChangeChannel';
  channelId: string;
  value?: string | undefined;
  isPrimary?: boolean | undefined;
  isVerified?: boolean | undefined;
  usedForAuth?: boolean | undefined;
  at: string;
};
type RemoveChannel = { type: 'RemoveChannel'; channelId: string; at: string };
export type ContactChannelCommand = AddChannel | ChangeChannel | RemoveChannel;

/** Protocol, resources §2.3 and §2.4. Whether an address is free for signing in is the claim's matter. */
export function decideContactChannel(command: ContactChannelCommand, user: ActiveUser): readonly UserEvent[] {
  switch (command.type) {
    case 'AddChannel': {
      const { type: _, limit, ...channel } = command;
      refuseOwnAddress(user, command.value, null);
      if (limit !== undefined && user.channels.length >= limit) {
        refuse('QUOTA_EXCEEDED', { quota: 'contactChannelsPerUser', limit });
      }
      return [{ type: 'ContactChannelAdded', data: { userId: user.userId, channelType: 'email', ...channel } }];
    }
    case 'ChangeChannel':
      return changeChannel(command, user);
    case 'RemoveChannel': {
      const { id: channelId } = findChannel(user, command.channelId);
      return [{ type: 'ContactChannelRemoved', data: { userId: user.userId, channelId, at: command.at } }];
    }
  }
}

function changeChannel(command: ChangeChannel, user: ActiveUser): readonly UserEvent[] {
  const { channelId, value, isPrimary, isVerified, usedForAuth, at } = command;
  const channel = findChannel(user, channelId);
  const of = { userId: user.userId, channelId };
  const events: UserEvent[] = [];
  if (value !== undefined) {
    refuseOwnAddress(user, value, channelId);
    // Whoever writes an address, even the same, has not shown that it is theirs.
    events.push({ type: 'ContactChannelValueChanged', data: { ...of, value, isVerified: isVerified ?? false, at } });
  } else if (isVerified !== undefined && isVerified !== channel.isVerified) {
    events.push({ type: 'ContactChannelVerificationChanged', data: { ...of, isVerified, at } });
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
  return channels.find(({ id }) => id === channelId) ?? refuse('CONTACT_CHANNEL_UNKNOWN');
}

/** A user has an address once. */
function refuseOwnAddress({ channels }: ActiveUser, value: string, exceptId: string | null): void {
  if (channels.some((channel) => channel.id !== exceptId && isSameEmail(channel.value, value))) {
    refuse('CONTACT_CHANNEL_EXISTS');
  }
}
