import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { type ReservationCommand, reservationDecider } from '@gatebook/domain/reservation/decide';
import type { ReservationKind } from '@gatebook/domain/reservation/events';
import type { ReservationState } from '@gatebook/domain/reservation/state';
import { hasLapsed, type Standing, standingOf } from '@gatebook/domain/user/address-proof';
import { userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail, isSameEmail } from '@gatebook/domain/user/email';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import type { ActiveUser, Channel, UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import { type LoadedAggregate, readState, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

type Holding = { holderId: string; at: string };
/** `isProven`: the holder has the mailbox, which outdoes whoever has the address unverified. */
type EmailReservation = Holding & { email: string; isProven?: boolean };
type PasskeyReservation = Holding & { credentialId: string };
export type FoundUser = { user: ActiveUser; revision: bigint };
/** `address` is the user's own, as on file. `isFree`: anybody may take it, since it was not verified in time. */
export type SignInUser = FoundUser & { address: string; isVerified: boolean; standing: Standing; isFree: boolean };
export type Rejection = { code: DomainErrorCode; details: Readonly<Record<string, unknown>> };

/** Stands in for the user of an unknown address, so that finding nobody costs the same reads. */
const nobody = '00000000-0000-0000-0000-000000000000';

/**
 * Makes `email` the holder's alone, for signing in.
 * @throws DomainError USER_EMAIL_ALREADY_EXISTS, unless told otherwise, when somebody else has it
 */
export async function reserveEmail(
  work: UnitOfWork,
  { email, isProven = false, ...reservation }: EmailReservation,
  rejection: Rejection = takenEmailRejection(email),
): Promise<void> {
  const stream = emailReservation(work, email);
  const hasIt = (user: UserState) => signsInWith(user, email);
  const loaded = await work.load(reservationDecider, stream);
  const { state } = loaded;
  if (state.status === 'taken' && state.holderId !== reservation.holderId) {
    const holder = await work.load(userDecider, streamOf.user(state.holderId));
    const channel = signInChannel(holder.state, email);
    const isOutdone = channel?.isVerified === false && (isProven || isFree(holder.state, channel, reservation.at));
    if (isOutdone) {
      // The holder's stream comes first: a log that keeps no more leaves an unverified address that signs nobody in.
      holder.decide({ type: 'ReleaseAddress', email, at: reservation.at });
      loaded.decide({ type: 'ReleaseReservation', holderId: state.holderId, at: reservation.at });
    }
  }
  await take(work, loaded, { kind: 'email', hasIt, rejection, ...reservation });
}

/** Nothing happens when the reservation is not the holder's. */
export async function releaseEmail(work: UnitOfWork, { email, ...reservation }: EmailReservation): Promise<void> {
  await release(work, emailReservation(work, email), reservation);
}

/** Who signs in with `email`: the reservation leads to the user, and the user's own stream has the last word. */
export async function findSignInUser(
  deps: Pick<WriteDeps, 'store' | 'lookupHash' | 'now'>,
  projectId: string,
  email: string,
): Promise<SignInUser | null> {
  const found = await findHolder(deps, emailReservation({ deps, ctx: { projectId } }, email), (user) =>
    signsInWith(user, email),
  );
  const channel = found && signInChannel(found.user, email);
  if (!found || !channel) return null;
  const { isVerified } = channel;
  const standing = standingOf(found.user, channel);
  return {
    ...found,
    address: channel.value ?? email,
    isVerified,
    standing,
    isFree: isFree(found.user, channel, deps.now()),
  };
}

const isFree = (user: UserState, channel: Channel, at: string) =>
  user.status === 'active' && hasLapsed(user, channel, at);

function signInChannel(user: UserState, email: string): Channel | undefined {
  if (user.status !== 'active') return undefined;
  return user.channels.find(({ value, usedForAuth }) => usedForAuth && isSameEmail(value, email));
}

/** Tells of a conflict before a password is hashed; the reservation decides all the same. @throws DomainError USER_EMAIL_ALREADY_EXISTS */
export async function rejectTakenEmail(deps: WriteDeps, projectId: string, email: string): Promise<void> {
  const found = await findSignInUser(deps, projectId, email);
  if (found === null || found.isFree) return;
  const { code, details } = takenEmailRejection(email);
  reject(code, details);
}

/** Makes a credential the holder's alone. @throws DomainError PASSKEY_REGISTRATION_FAILED when somebody else has it */
export async function reservePasskey(
  work: UnitOfWork,
  { credentialId, ...reservation }: PasskeyReservation,
): Promise<void> {
  const stream = passkeyReservation(work, credentialId);
  const rejection = {
    code: 'PASSKEY_REGISTRATION_FAILED',
    details: { message: 'The passkey belongs to another user.' },
  } as const;
  const loaded = await work.load(reservationDecider, stream);
  await take(work, loaded, { kind: 'passkey', hasIt: hasPasskey(credentialId), rejection, ...reservation });
}

/** Keyed hash of an account at a provider: finds the account again and tells nobody which it is. */
export function accountRefOf(
  { lookupHash }: Pick<WriteDeps, 'lookupHash'>,
  projectId: string,
  { provider, accountId }: { provider: string; accountId: string },
): string {
  return lookupHash('oauth', projectId, JSON.stringify([provider, accountId]));
}

/** Makes an account at a provider the holder's alone. @throws DomainError OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER */
export async function reserveOAuthAccount(
  work: UnitOfWork,
  { accountRef, ...reservation }: Holding & { accountRef: string },
): Promise<void> {
  const stream = streamOf.reservation('oauth', accountRef);
  const rejection = { code: 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER', details: {} } as const;
  const loaded = await work.load(reservationDecider, stream);
  await take(work, loaded, { kind: 'oauth', hasIt: hasOAuthAccount(accountRef), rejection, ...reservation });
}

/** Nothing happens when the reservation is not the holder's. */
export async function releaseOAuthAccount(
  work: UnitOfWork,
  { accountRef, ...reservation }: Holding & { accountRef: string },
): Promise<void> {
  await release(work, streamOf.reservation('oauth', accountRef), reservation);
}

export async function findOAuthUser(deps: Pick<WriteDeps, 'store'>, accountRef: string): Promise<FoundUser | null> {
  return findHolder(deps, streamOf.reservation('oauth', accountRef), hasOAuthAccount(accountRef));
}

/** Nothing happens when the reservation is not the holder's. */
export async function releasePasskey(
  work: UnitOfWork,
  { credentialId, ...reservation }: PasskeyReservation,
): Promise<void> {
  await release(work, passkeyReservation(work, credentialId), reservation);
}

export async function findPasskeyUser(
  deps: Pick<WriteDeps, 'store' | 'lookupHash'>,
  projectId: string,
  credentialId: string,
): Promise<FoundUser | null> {
  return findHolder(deps, passkeyReservation({ deps, ctx: { projectId } }, credentialId), hasPasskey(credentialId));
}

/** A unit of work, or its parts that a reservation's stream name depends on. */
type Hashing = { deps: Pick<WriteDeps, 'lookupHash'>; ctx: { projectId: string } };

type Taking = Holding & { kind: ReservationKind; hasIt: (user: UserState) => boolean; rejection: Rejection };

async function take(
  work: UnitOfWork,
  loaded: LoadedAggregate<ReservationState, ReservationCommand>,
  { hasIt, ...reservation }: Taking,
): Promise<void> {
  const present = loaded.state.status === 'taken' ? loaded.state.holderId : nobody;
  const { state } = await readState(work.deps.store, userDecider, streamOf.user(present));
  const currentHolder = state.status === 'active' && !hasIt(state) ? 'absent' : state.status;
  loaded.decide({ type: 'ReserveValue', projectId: work.ctx.projectId, currentHolder, ...reservation });
}

async function release(work: UnitOfWork, stream: string, { holderId, at }: Holding): Promise<void> {
  (await work.load(reservationDecider, stream)).decide({ type: 'ReleaseReservation', holderId, at });
}

async function findHolder(
  { store }: Pick<WriteDeps, 'store'>,
  stream: string,
  hasIt: (user: UserState) => boolean,
): Promise<FoundUser | null> {
  const reservation = await readState(store, reservationDecider, stream);
  const holderId = reservation.state.status === 'taken' ? reservation.state.holderId : nobody;
  const { state, revision } = await readState(store, userDecider, streamOf.user(holderId));
  return state.status === 'active' && hasIt(state) ? { user: state, revision } : null;
}

const hasPasskey = (credentialId: string) => (user: UserState) =>
  user.status === 'active' && user.passkey?.credentialId === credentialId;

const hasOAuthAccount = (accountRef: string) => (user: UserState) =>
  user.status === 'active' && user.oauthAccounts.some((account) => account.accountRef === accountRef);

export function takenEmailRejection(email: string): Rejection {
  return { code: 'USER_EMAIL_ALREADY_EXISTS', details: { email } };
}

/** Keyed hash of an address: finds what was recorded about it and tells nobody which it is. */
export function addressRefOf({ lookupHash }: Pick<WriteDeps, 'lookupHash'>, projectId: string, email: string): string {
  return lookupHash('email', projectId, canonicalEmail(email));
}

/** An address of a user who is deleted: free if it was theirs alone; with `isErased`, invitations and mails to it are erased. */
export async function endAddress(
  work: UnitOfWork,
  { addressRef, isErased, holderId, at }: Holding & { addressRef: string; isErased: boolean },
): Promise<void> {
  const reservation = await work.load(reservationDecider, streamOf.reservation('email', addressRef));
  reservation.decide({ type: 'ReleaseReservation', holderId, at });
  if (isErased) reservation.decide({ type: 'EraseAddress', addressRef, projectId: work.ctx.projectId, at });
}

function emailReservation({ deps, ctx }: Hashing, email: string): string {
  return streamOf.reservation('email', addressRefOf(deps, ctx.projectId, email));
}

function passkeyReservation({ deps, ctx }: Hashing, credentialId: string): string {
  return streamOf.reservation('passkey', deps.lookupHash('passkey', ctx.projectId, credentialId));
}
