import { reject } from '../errors.ts';
import { isSameEmail } from './email.ts';
import type { AddressProof, RemovedCredential, UserEvent } from './events.ts';
import type { ActiveUser, Channel } from './state.ts';

/** How many unverified addresses a user may add through client access. */
export const maxUnverifiedAddresses = 3;
/** After this time, an additional unverified address no longer blocks others from using it. */
export const unverifiedAddressLifeMs = 7 * 24 * 60 * 60_000;

/**
 * What an address says about who controls the account (docs/decisions/0021):
 * - `proven`: the owner of the mailbox was shown to control the account as well, or a server vouched for the address.
 * - `verified`: the verification link was opened without a session of the account.
 * - `unverified`: the primary address of an account that has no other verified sign-in address. The owner of its
 *   mailbox gets the account.
 * - `additional`: unverified, and the account does not depend on it. Proving it gives you the address, not the account.
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

/** The link of a verification email was opened. */
export type VerifyEmail = {
  type: 'VerifyEmail';
  email: string;
  /**
   * `own`: the request has a session of this user. `unavailable`: the client library never sends one with this request.
   */
  session: 'own' | 'none' | 'unavailable';
  at: string;
};
/** The owner of the mailbox is about to be signed in to the account. */
export type ProveAddress = {
  type: 'ProveAddress';
  email: string;
  by: Exclude<AddressProof, 'verification'>;
  at: string;
};
/** Releases an unverified address to its verified owner, or to anyone once it has lapsed. */
export type ReleaseAddress = { type: 'ReleaseAddress'; email: string; at: string };

export function verifyEmail({ email, session, at }: VerifyEmail, user: ActiveUser): readonly UserEvent[] {
  const channel = findAddress(user, email);
  const { userId } = user;
  const of = { userId, channelId: channel.id, at };
  const standing = standingOf(user, channel);
  if (standing === 'proven') return [];
  if (session === 'own') return [{ type: 'ContactChannelProven', data: { ...of, by: 'verification', removed: [] } }];
  if (standing === 'verified') return [];
  if (standing === 'unverified' && session === 'none') return removeCredentials(user, channel, 'verification', at);
  return [{ type: 'ContactChannelVerificationChanged', data: { ...of, isVerified: true, isByLinkAlone: true } }];
}

/**
 * The rule of docs/decisions/0021: the first proof of who controls the account removes everything that others may have
 * set up.
 */
export function proveAddress({ email, by, at }: ProveAddress, user: ActiveUser): readonly UserEvent[] {
  const channel = findAddress(user, email);
  const standing = standingOf(user, channel);
  if (standing === 'proven') return [];
  // The code was issued on older state: the address has become an additional one since.
  if (standing === 'additional') return reject('VERIFICATION_CODE_NOT_FOUND');
  if (user.channels.some(({ isProven, usedForAuth }) => isProven && usedForAuth)) {
    const of = { userId: user.userId, channelId: channel.id };
    return [{ type: 'ContactChannelProven', data: { ...of, by, removed: [], at } }];
  }
  return removeCredentials(user, channel, by, at);
}

export function releaseAddress({ email, at }: ReleaseAddress, user: ActiveUser): readonly UserEvent[] {
  const channel = user.channels.find(({ value, usedForAuth }) => usedForAuth && isSameEmail(value, email));
  if (!channel || channel.isVerified) return reject('USER_EMAIL_ALREADY_EXISTS', { email });
  const of = { userId: user.userId, channelId: channel.id };
  return [{ type: 'ContactChannelAuthChanged', data: { ...of, usedForAuth: false, at } }];
}

/**
 * The owner of the mailbox has shown nothing else of the account, so remove every credential except what this request
 * sets. Keep the second factor if the address was verified before: a mailbox alone must never bypass it.
 */
function removeCredentials(user: ActiveUser, channel: Channel, by: AddressProof, at: string): readonly UserEvent[] {
  const { userId } = user;
  // A reset replaces the password and ends the sessions itself.
  const isReset = by === 'password_reset';
  const others = user.channels.filter((other) => other.id !== channel.id && !other.isProven);
  const removals: [RemovedCredential, readonly UserEvent[]][] = [
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
        ({ provider, accountRef }) =>
          ({ type: 'OAuthAccountUnlinked', data: { userId, provider, accountRef, at } }) as const,
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
  const becomesPrimary =
    !channel.isPrimary && !user.channels.some((other) => other.isPrimary && !others.includes(other));
  const removed = removals.flatMap(([credential, events]) => (events.length > 0 ? [credential] : []));
  return [
    { type: 'ContactChannelProven', data: { userId, channelId: channel.id, by, removed, at } },
    ...(becomesPrimary
      ? [{ type: 'PrimaryChannelChanged', data: { userId, channelId: channel.id, at } } as const]
      : []),
    ...removals.flatMap(([, events]) => events),
  ];
}

function findAddress({ channels }: ActiveUser, email: string): Channel {
  return channels.find(({ value }) => isSameEmail(value, email)) ?? reject('VERIFICATION_CODE_NOT_FOUND');
}
