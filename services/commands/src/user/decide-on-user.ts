import { decideAll } from '@gatebook/domain/decider';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import { providerGrantDecider } from '@gatebook/domain/provider-grant/decide';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { signInEmails } from '@gatebook/domain/user/sign-in-emails';
import { existingUser, type UserState } from '@gatebook/domain/user/state';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import { releaseEmail, reserveEmail } from '../reservation/email.ts';
import { releaseOAuthAccount, reserveOAuthAccount } from '../reservation/oauth-account.ts';
import { releasePasskey } from '../reservation/passkey.ts';
import type { Rejection } from '../reservation/reservation.ts';
import { streamOf } from '../streams.ts';
import { loadUser } from './load-user.ts';

type UserChange = {
  userId: string;
  commands: readonly UserCommand[];
  at: string;
  /** Rejection when another user signs in with the address, or has the account at the provider. */
  takenRejection?: Rejection;
  /** Rejection when the user does not exist. */
  missingCode?: DomainErrorCode;
};

/**
 * Decides commands on a user together with their reservations: reserves new sign-in values before and releases old ones
 * after.
 * @returns the changed user @throws DomainError USER_NOT_FOUND, and as the commands reject
 */
export async function decideOnUser(
  work: UnitOfWork,
  { userId, commands, at, takenRejection, missingCode }: UserChange,
): Promise<LoadedAggregate<UserState, UserCommand>> {
  const user = await loadUser(work, userId, missingCode);
  const before = signInEmails(user.state);
  const passkey = passkeyOf(user.state);
  const accounts = oauthAccountsOf(user.state);
  const changed = decideAll(userDecider, commands, user.state).reduce(userDecider.evolve, user.state);
  const after = signInEmails(changed);
  const reservation = { holderId: userId, at };
  for (const [key, email] of after)
    if (!before.has(key)) await reserveEmail(work, { email, ...reservation }, takenRejection);
  const remaining = oauthAccountsOf(changed);
  for (const accountRef of remaining) {
    if (!accounts.includes(accountRef)) await reserveOAuthAccount(work, { accountRef, ...reservation }, takenRejection);
  }
  for (const command of commands) user.decide(command);
  for (const [key, email] of before) if (!after.has(key)) await releaseEmail(work, { email, ...reservation });
  if (passkey !== null && passkeyOf(changed) === null) {
    await releasePasskey(work, { credentialId: passkey, ...reservation });
  }
  for (const accountRef of accounts) {
    if (remaining.includes(accountRef)) continue;
    await releaseOAuthAccount(work, { accountRef, ...reservation });
    const grant = await work.load(providerGrantDecider, streamOf.providerGrant(accountRef));
    grant.decide({ type: 'DiscardTokens', accountRef, userId, at });
  }
  return user;
}

export const oauthAccountsOf = (user: UserState) =>
  existingUser(user)?.oauthAccounts.map(({ accountRef }) => accountRef) ?? [];
export const passkeyOf = (user: UserState) => existingUser(user)?.passkey?.credentialId ?? null;
