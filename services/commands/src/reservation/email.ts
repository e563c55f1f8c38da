import { reject } from '@gatebook/domain/errors';
import { reservationDecider } from '@gatebook/domain/reservation/decide';
import { hasLapsed, type Standing, standingOf } from '@gatebook/domain/user/address-proof';
import { userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail, isSameEmail } from '@gatebook/domain/user/email';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import { type Channel, existingUser, type UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import type { UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';
import {
  type FoundUser,
  findHolder,
  type Holder,
  type Rejection,
  readHolder,
  release,
  reserve,
  type StreamScope,
  type UniqueValue,
} from './reservation.ts';

/** `isVerified`: the holder proved to own the mailbox, and so comes before a user who has not. */
type EmailReservation = Holder & { email: string; isVerified?: boolean };
/** `address`: as stored for the user. `isFree`: anyone may take it, because it was not verified in time. */
export type SignInUser = FoundUser & { address: string; isVerified: boolean; standing: Standing; isFree: boolean };

/** Keyed hash of an address: identifies what was recorded about the address without revealing it. */
export function addressRefOf({ lookupHash }: Pick<WriteDeps, 'lookupHash'>, projectId: string, email: string): string {
  return lookupHash('email', projectId, canonicalEmail(email));
}

export function emailReservation({ deps, ctx }: StreamScope, email: string): string {
  return streamOf.reservation('email', addressRefOf(deps, ctx.projectId, email));
}

export function takenEmailRejection(email: string): Rejection {
  return { code: 'USER_EMAIL_ALREADY_EXISTS', details: { email } };
}

export const emailValue = (email: string, rejection: Rejection = takenEmailRejection(email)): UniqueValue => ({
  kind: 'email',
  usesValue: (user) => signsInWith(user, email),
  rejection,
});

/**
 * Reserves `email` for the holder, to sign in with.
 * @throws DomainError `rejection` when another user has it; default: USER_EMAIL_ALREADY_EXISTS
 */
export async function reserveEmail(
  work: UnitOfWork,
  { email, isVerified = false, ...reservation }: EmailReservation,
  rejection?: Rejection,
): Promise<void> {
  const stream = emailReservation(work, email);
  const loaded = await work.load(reservationDecider, stream);
  const { state } = loaded;
  if (state.status === 'taken' && state.holderId !== reservation.holderId) {
    const holder = await work.load(userDecider, streamOf.user(state.holderId));
    const channel = signInChannel(holder.state, email);
    const canTakeOver = channel?.isVerified === false && (isVerified || isFree(holder.state, channel, reservation.at));
    if (canTakeOver) {
      // The current holder's stream comes first: if the log keeps only this part, an unverified address that signs
      // nobody in remains. A guard, so that it also fences the holder when this is decided again.
      holder.guard({ type: 'ReleaseAddress', email, at: reservation.at });
      loaded.decide({ type: 'ReleaseReservation', holderId: state.holderId, at: reservation.at });
    }
  }
  await reserve(work, loaded, { ...emailValue(email, rejection), ...reservation });
}

/** Does nothing if the reservation is not the holder's. */
export async function releaseEmail(work: UnitOfWork, { email, ...reservation }: EmailReservation): Promise<void> {
  await release(work, emailReservation(work, email), reservation);
}

/** Finds the user who signs in with `email`: the reservation leads to the user, and the user's own stream decides. */
export async function findSignInUser(
  deps: Pick<WriteDeps, 'store' | 'lookupHash' | 'now'>,
  projectId: string,
  email: string,
): Promise<SignInUser | null> {
  const stream = emailReservation({ deps, ctx: { projectId } }, email);
  const found = await findHolder(deps, stream, emailValue(email).usesValue);
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

const isFree = (state: UserState, channel: Channel, at: string) => {
  const user = existingUser(state);
  return user !== null && hasLapsed(user, channel, at);
};

function signInChannel(state: UserState, email: string): Channel | undefined {
  return existingUser(state)?.channels.find(({ value, usedForAuth }) => usedForAuth && isSameEmail(value, email));
}

/**
 * Rejects a taken address before a password is hashed, so that the time does not show whether its user awaits deletion.
 * The reservation still decides. @throws DomainError USER_EMAIL_ALREADY_EXISTS
 */
export async function rejectTakenEmail(deps: WriteDeps, projectId: string, email: string): Promise<void> {
  const { state } = await readHolder(deps, emailReservation({ deps, ctx: { projectId } }, email));
  const channel = signInChannel(state, email);
  if (!channel || isFree(state, channel, deps.now())) return;
  const { code, details } = takenEmailRejection(email);
  reject(code, details);
}

/** Releases an address of a deleted user; with `isErased`, also erases the codes and emails sent to it. */
export async function removeAddress(
  work: UnitOfWork,
  { addressRef, isErased, holderId, at }: Holder & { addressRef: string; isErased: boolean },
): Promise<void> {
  const reservation = await work.load(reservationDecider, streamOf.reservation('email', addressRef));
  reservation.decide({ type: 'ReleaseReservation', holderId, at });
  if (isErased) reservation.decide({ type: 'EraseAddress', addressRef, projectId: work.ctx.projectId, at });
}
