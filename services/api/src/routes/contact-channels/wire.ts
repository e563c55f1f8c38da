import type { ContactChannelView } from '@gatebook/contract/contact-channels';
import type { Channel } from '@gatebook/domain/user/state';
import type { ContactChannelRow } from '@gatebook/readmodel/users/channels';

export function toChannelView(channel: ContactChannelRow): ContactChannelView {
  return {
    id: channel.id,
    user_id: channel.userId,
    type: 'email',
    value: channel.value ?? '',
    is_primary: channel.isPrimary,
    is_verified: channel.isVerified,
    used_for_auth: channel.usedForAuth,
  };
}

/** The future row of a channel that was just decided. */
export const decidedChannel = (userId: string, channel: Channel): ContactChannelRow => ({ ...channel, userId });
