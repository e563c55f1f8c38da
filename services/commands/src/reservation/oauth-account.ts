import { reservationDecider } from '@gatebook/domain/reservation/decide';
import { existingUser } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import type { UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';
import {
  type FoundUser,
  findHolder,
  type Holder,
  type Rejection,
  release,
  reserve,
  type UniqueValue,
} from './reservation.ts';

type AccountReservation = Holder & { accountRef: string };

const takenAccount: Rejection = { code: 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER', details: {} };

export const accountValue = (accountRef: string, rejection: Rejection = takenAccount): UniqueValue => ({
  kind: 'oauth',
  usesValue: (user) => existingUser(user)?.oauthAccounts.some((account) => account.accountRef === accountRef) ?? false,
  rejection,
});

export const accountReservation = (accountRef: string): string => streamOf.reservation('oauth', accountRef);

/** Keyed hash of an account at a provider: identifies the account without revealing it. */
export function accountRefOf(
  { lookupHash }: Pick<WriteDeps, 'lookupHash'>,
  projectId: string,
  { provider, accountId }: { provider: string; accountId: string },
): string {
  return lookupHash('oauth', projectId, JSON.stringify([provider, accountId]));
}

/** Reserves an account at a provider for the holder. @throws DomainError `rejection` if another user has it */
export async function reserveOAuthAccount(
  work: UnitOfWork,
  { accountRef, ...reservation }: AccountReservation,
  rejection?: Rejection,
): Promise<void> {
  const loaded = await work.load(reservationDecider, accountReservation(accountRef));
  await reserve(work, loaded, { ...accountValue(accountRef, rejection), ...reservation });
}

/** Does nothing if the reservation is not the holder's. */
export async function releaseOAuthAccount(
  work: UnitOfWork,
  { accountRef, ...reservation }: AccountReservation,
): Promise<void> {
  await release(work, accountReservation(accountRef), reservation);
}

export async function findOAuthUser(deps: Pick<WriteDeps, 'store'>, accountRef: string): Promise<FoundUser | null> {
  return findHolder(deps, accountReservation(accountRef), accountValue(accountRef).usesValue);
}
