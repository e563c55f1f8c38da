import { reject } from '../errors.ts';
import { isSameEmail } from './email.ts';
import type { AddressProof, RemovedCredential, UserEvent } from './events.ts';
import type { ActiveUser, Channel } from './state.ts';

/** Unverified addresses that a user may hold through client access. */
export const maxUnverifiedAddresses = 3;
/** After this time an additional unverified address keeps nobody else from having it. */
export const unverifiedAddressLifeMs = 7 * 24 * 60 * 60_000;

/**
 * What an address says about who holds the account (docs/decisions/0021):
 * - `proven`: whoever has the mailbox was shown to hold the account too, or a server vouched for the address.
 * - `verified`: somebody opened the verification link without a session of the account.
 * - `unverified`: the primary address of an account without another verified sign-in address. Its mailbox decides who gets the
 *   account.
 * - `additional`: unverified, and not what the account stands on. Whoever proves it gets the address, not the account.
 */
export type Standing = 'proven' | 'verified' | 'unverified' | 'additional';

export function standingOf({ channels }: Pick<ActiveUser, 'channels'>, channel: Channel): Standing {
  if (channel.isProven) return 'proven';
  if (channel.isVerified) return 'verified';
  const hasOther = channels.some(({ isVerified, usedForAuth }) => isVerified && usedForAuth);
  return channel.isPrimary && !hasOther ? 'unverified' : 'additional';
}

/** `at` is an ISO time. */
export function hasLapsed(user: Pick<ActiveUser, 'channels'>, channel: Channel, at: string): boolean {
  const ageMs = Date.parse(at) - Date.parse(channel.unverifiedSince);
  return standingOf(user, channel) === 'additional' && ageMs >= unverifiedAddressLifeMs;
}

/** By the link of a verification mail. */
export type VerifyEmail = {
  type: 'VerifyEmail';
  email: string;
  /** `own`: of this user. `unavailable`: the client library never sends one with this request. */
  session: 'own' | 'none' | 'unavailable';
  at: string;
};
/** Somebody who has the mailbox is about to be let into the account. */
export type ProveAddress = {
  type: 'ProveAddress';
  email: string;
  by: Exclude<AddressProof, 'verification'>;
  at: string;
};
/** Gives an unverified address up to whoever proved it, or, once it has lapsed, to whoever asks for it. */
export type ReleaseAddress = { type: 'ReleaseAddress'; email: string; at: string };

export function verifyEmail({ email, session, at }: VerifyEmail, user: ActiveUser): readonly UserEvent[] {
  const channel = findAddress(user, email);
  const { userId } = user;
  const of = { userId, channelId: channel.id, at };
  const standing = standingOf(user, channel);
  if (standing === 'proven') return [];
  if (session === 'own') return [{ type: 'ContactChannelProven', data: { ...of, by: 'verification', removed: [] } }];
  if (standing === 'verified') return [];
  if (standing === 'unverified' && session === 'none') return endCredentials(user, channel, 'verification', at);
  return [{ type: 'ContactChannelVerificationChanged', data: { ...of, isVerified: true, isByLinkAlone: true } }];
}

/** The one rule of docs/decisions/0021: the first proof of who holds the account ends what others may have planted. */
export function proveAddress({ email, by, at }: ProveAddress, user: ActiveUser): readonly UserEvent[] {
  const channel = findAddress(user, email);
  const standing = standingOf(user, channel);
  if (standing === 'proven') return [];
  // Decided on older state: the address became an additional one in the meantime.
  if (standing === 'additional') return reject('VERIFICATION_CODE_NOT_FOUND');
  if (user.channels.some(({ isProven, usedForAuth }) => isProven && usedForAuth)) {
    const of = { userId: user.userId, channelId: channel.id };
    return [{ type: 'ContactChannelProven', data: { ...of, by, removed: [], at } }];
  }
  return endCredentials(user, channel, by, at);
}

export function releaseAddress({ email, at }: ReleaseAddress, user: ActiveUser): readonly UserEvent[] {
  const channel = user.channels.find(({ value, usedForAuth }) => usedForAuth && isSameEmail(value, email));
  if (!channel || channel.isVerified) return reject('USER_EMAIL_ALREADY_EXISTS', { email });
  const of = { userId: user.userId, channelId: channel.id };
  return [{ type: 'ContactChannelAuthChanged', data: { ...of, usedForAuth: false, at } }];
}

/**
 * The prover has the mailbox and showed nothing of the account: all that opens it goes, but what the prover is setting right now.
 * A second factor stays where the address was verified before, so that a mailbox alone never gets past it.
 */
function endCredentials(user: ActiveUser, channel: Channel, by: AddressProof, at: string): readonly UserEvent[] {
  const { userId } = user;
  // A reset sets another password and ends the sessions by itself.
  const isReset = by === 'password_reset';
  const others = user.channels.filter((other) => other.id !== channel.id && !other.isProven);
  const ended: [RemovedCredential, readonly UserEvent[]][] = [
    ['password', user.hasPassword && !isReset ? [{ type: 'UserPasswordRemoved', data: { userId, at } }] : []],
    ['passkey', user.passkey ? [{ type: 'PasskeyRemoved', data: { userId, at } }] : []],
    [
      'totp',
      user.totp && !channel.isVerified
        ? [{ type: 'TotpSecretChanged', data: { userId, secret: null, isEnabled: false, at } }]
        : [],
    ],
    [
      'provider_accounts',
      user.oauthAccounts.map(
        (account) => ({ type: 'OAuthAccountUnlinked', data: { userId, ...account, at } }) as const,
      ),
    ],
    [
      'addresses',
      others.map(({ id }) => ({ type: 'ContactChannelRemoved', data: { userId, channelId: id, at } }) as const),
    ],
    ['api_keys', [{ type: 'UserApiKeysRevoked', data: { userId, at } }]],
    [
      'sessions',
      isReset
        ? []
        : [{ type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason: 'address_proven', at } }],
    ],
  ];
  const isAlone = !channel.isPrimary && !user.channels.some((other) => other.isPrimary && !others.includes(other));
  const removed = ended.flatMap(([credential, events]) => (events.length > 0 ? [credential] : []));
  return [
    { type: 'ContactChannelProven', data: { userId, channelId: channel.id, by, removed, at } },
    ...(isAlone ? [{ type: 'PrimaryChannelChanged', data: { userId, channelId: channel.id, at } } as const] : []),
    ...ended.flatMap(([, events]) => events),
  ];
}

function findAddress({ channels }: ActiveUser, email: string): Channel {
  return channels.find(({ value }) => isSameEmail(value, email)) ?? reject('VERIFICATION_CODE_NOT_FOUND');
}
