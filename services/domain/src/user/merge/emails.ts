import type { UserCommand } from '../decide.ts';
import { isSameEmail } from '../email.ts';
import { type Channel, primaryChannel } from '../state.ts';
import { drop, itemOf, type Merge, move, type UserPart } from './parts.ts';

/** A verified address stays verified. The primary one stays primary only if the user who stays has none. */
export function mergeEmails(merge: Merge): UserPart[] {
  const { kept, duplicate } = merge;
  const hasPrimary = primaryChannel(kept.user) !== undefined;
  return duplicate.user.channels.flatMap((channel) => {
    const { value } = channel;
    if (value === null) return [];
    const own = kept.user.channels.find((one) => isSameEmail(one.value, value));
    const part = own ? mergeEmail(own, channel, merge.at) : addEmail(channel, value, hasPrimary, merge);
    const losesPrimary = channel.isPrimary && hasPrimary && !own?.isPrimary;
    return losesPrimary ? [part, drop(itemOf('primary_email', value), 'kept_one_stays')] : [part];
  });
}

function addEmail(channel: Channel, value: string, hasPrimary: boolean, { newChannelId, at }: Merge): UserPart {
  const { id, isVerified, isProven, usedForAuth, isPrimary } = channel;
  const added = { channelId: newChannelId(id), value, isPrimary: isPrimary && !hasPrimary, usedForAuth };
  // The person who opened the link may not control the account (docs/decisions/0021).
  const isByLinkAlone = isVerified && !isProven;
  return move(
    itemOf('email', value),
    { type: 'AddChannel', ...added, isVerified: isVerified && isProven, at },
    ...(isByLinkAlone ? [{ type: 'VerifyEmail', email: value, session: 'unavailable', at } as const] : []),
  );
}

/** An address that both users have. */
function mergeEmail(own: Channel, channel: Channel, at: string): UserPart {
  const commands: UserCommand[] = [];
  const channelId = own.id;
  if (channel.usedForAuth && !own.usedForAuth)
    commands.push({ type: 'ChangeChannel', channelId, usedForAuth: true, at });
  if (channel.isVerified && !own.isVerified && own.value !== null) {
    commands.push(
      channel.isProven
        ? { type: 'ChangeChannel', channelId, isVerified: true, at }
        : { type: 'VerifyEmail', email: own.value, session: 'unavailable', at },
    );
  }
  const item = itemOf('email', channel.value);
  return commands.length > 0 ? move(item, ...commands) : drop(item, 'already_there');
}
