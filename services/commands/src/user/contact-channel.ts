import type { Channel, UserState } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { Limited } from '../quota/quota.ts';
import type { Rejection } from '../reservation/reservation.ts';
import { decideOnUser } from './decide-on-user.ts';

type NewChannel = Limited & { value: string; usedForAuth: boolean; isPrimary?: boolean; isVerified?: boolean };
type ChannelChange = {
  value?: string | undefined;
  usedForAuth?: boolean | undefined;
  isPrimary?: boolean | undefined;
  isVerified?: boolean | undefined;
};

/** `isLimited`: client access, which may add only a few unverified addresses. */
type Change = { userId: string; isLimited?: boolean };

const createTakenRejection = (value: string | null): Rejection => ({
  code: 'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
  details: { type: 'email', contact_channel_value: value },
});

/**
 * Adds an address to a user (protocol, resources §2.3).
 * @throws DomainError USER_NOT_FOUND, CONTACT_CHANNEL_EXISTS, UNVERIFIED_EMAIL_LIMIT_REACHED, QUOTA_EXCEEDED,
 * CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE
 */
export async function addContactChannel(
  deps: WriteDeps,
  ctx: Context,
  { userId, value, usedForAuth, isPrimary = false, isVerified = false, isLimited = false, limit }: NewChannel & Change,
): Promise<CommandResult<{ channel: Channel }>> {
  const [channelId, at] = [deps.newId(), deps.now()];
  const channel = { channelId, value, usedForAuth, isPrimary, isVerified };
  const command = { type: 'AddChannel', ...channel, isLimited, limit, at } as const;
  const { result, position } = await transact(deps, ctx, async (work) => {
    const user = await decideOnUser(work, {
      userId,
      commands: [command],
      at,
      takenRejection: createTakenRejection(value),
    });
    return findChannel(user.state, channelId);
  });
  if (!result) throw new Error('the added channel does not exist');
  return { channel: result, position };
}

/**
 * Changes the given fields (protocol, resources §2.4). @returns the changed channel
 * @throws DomainError CONTACT_CHANNEL_NOT_FOUND, CONTACT_CHANNEL_EXISTS, UNVERIFIED_EMAIL_LIMIT_REACHED,
 * CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE
 */
export async function changeContactChannel(
  deps: WriteDeps,
  ctx: Context,
  { userId, channelId, isLimited = false, ...change }: ChannelChange & Change & { channelId: string },
): Promise<CommandResult<{ channel: Channel | undefined }>> {
  const at = deps.now();
  const command = { type: 'ChangeChannel', channelId, ...change, isLimited, at } as const;
  const { result, position } = await transact(deps, ctx, async (work) => {
    const missingCode = 'CONTACT_CHANNEL_NOT_FOUND';
    const user = await decideOnUser(work, {
      userId,
      commands: [command],
      at,
      takenRejection: createTakenRejection(null),
      missingCode,
    });
    return findChannel(user.state, channelId);
  });
  return { channel: result, position };
}

/**
 * Removes any channel, even the primary one. Sign-in methods do not change.
 * @throws DomainError CONTACT_CHANNEL_NOT_FOUND
 */
export async function removeContactChannel(
  deps: WriteDeps,
  ctx: Context,
  { userId, channelId }: { userId: string; channelId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const command = { type: 'RemoveChannel', channelId, at } as const;
  const { position } = await transact(deps, ctx, async (work) => {
    await decideOnUser(work, { userId, commands: [command], at, missingCode: 'CONTACT_CHANNEL_NOT_FOUND' });
  });
  return { position };
}

function findChannel(user: UserState, channelId: string): Channel | undefined {
  return user.status === 'active' ? user.channels.find(({ id }) => id === channelId) : undefined;
}
