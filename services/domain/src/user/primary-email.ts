import { reject } from '../errors.ts';
import { isSameEmail } from './email.ts';
import type { UserEvent } from './events.ts';
import { type ActiveUser, type Channel, primaryChannel } from './state.ts';

/**
 * A server changes the primary email (protocol, resources §1.5). `email` undefined leaves the address unchanged, null
 * removes its channel. `newChannelId` is used if a channel has to be created. The reservation decides whether the
 * address is free.
 */
export type ChangePrimaryEmail = {
  type: 'ChangePrimaryEmail';
  email: string | null | undefined;
  isVerified: boolean | undefined;
  usedForAuth: boolean | undefined;
  newChannelId: string;
  at: string;
};

export function changePrimaryEmail(command: ChangePrimaryEmail, user: ActiveUser): readonly UserEvent[] {
  if (command.email === null) return removePrimary(command, user);
  if (command.email === undefined) return changeFlags(command, user, primaryChannel(user));
  return setPrimary(command, command.email, user);
}

function removePrimary({ isVerified, usedForAuth, at }: ChangePrimaryEmail, user: ActiveUser): readonly UserEvent[] {
  if (isVerified || usedForAuth) return reject('EMAIL_FLAG_WITHOUT_EMAIL');
  const primary = primaryChannel(user);
  return primary ? [{ type: 'ContactChannelRemoved', data: { userId: user.userId, channelId: primary.id, at } }] : [];
}

function changeFlags(
  command: ChangePrimaryEmail,
  user: ActiveUser,
  channel: Channel | undefined,
): readonly UserEvent[] {
  const { isVerified, usedForAuth, at } = command;
  if (!channel) return isVerified || usedForAuth ? reject('EMAIL_FLAG_WITHOUT_EMAIL') : [];
  const of = { userId: user.userId, channelId: channel.id };
  const events: UserEvent[] = [];
  if (isVerified !== undefined && isVerified !== channel.isVerified) {
    events.push({ type: 'ContactChannelVerificationChanged', data: { ...of, isVerified, isByLinkAlone: false, at } });
  }
  if (usedForAuth !== undefined && usedForAuth !== channel.usedForAuth) {
    events.push({ type: 'ContactChannelAuthChanged', data: { ...of, usedForAuth, at } });
  }
  return events;
}

function setPrimary(command: ChangePrimaryEmail, value: string, user: ActiveUser): readonly UserEvent[] {
  const { isVerified, usedForAuth, newChannelId, at } = command;
  const { userId } = user;
  const primary = primaryChannel(user);
  if (primary?.value === value) return changeFlags(command, user, primary);
  const other = user.channels.find((channel) => !channel.isPrimary && isSameEmail(channel.value, value));
  if (other) {
    return [
      { type: 'PrimaryChannelChanged', data: { userId, channelId: other.id, at } },
      ...changeFlags(command, user, other),
    ];
  }
  if (!primary) {
    const flags = { isPrimary: true, isVerified: isVerified ?? false, usedForAuth: usedForAuth ?? false };
    return [
      {
        type: 'ContactChannelAdded',
        data: { userId, channelId: newChannelId, channelType: 'email', value, ...flags, at },
      },
    ];
  }
  // A server vouches for the address: unless it says otherwise, the new value keeps the verified flag.
  const verified = isVerified ?? primary.isVerified;
  return [
    { type: 'ContactChannelValueChanged', data: { userId, channelId: primary.id, value, isVerified: verified, at } },
    ...changeFlags({ ...command, isVerified: undefined }, user, primary),
  ];
}
