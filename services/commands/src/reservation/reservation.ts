import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { hasExpired, type ReservationCommand, reservationDecider } from '@gatebook/domain/reservation/decide';
import type { ReservationKind } from '@gatebook/domain/reservation/events';
import type { ReservationState } from '@gatebook/domain/reservation/state';
import { hasLapsed, type Standing, standingOf } from '@gatebook/domain/user/address-proof';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail, isSameEmail } from '@gatebook/domain/user/email';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import { type ActiveUser, type Channel, existingUser, type UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import { type LoadedAggregate, readState, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

type Holder = { holderId: string; at: string };
/** `isVerified`: the holder owns the mailbox, which takes precedence over a user who has the address unverified. */
type EmailReservation = Holder & { email: string; isVerified?: boolean };
type PasskeyReservation = Holder & { credentialId: string };
export type FoundUser = { user: ActiveUser; revision: bigint };
/** `address`: as stored for the user. `isFree`: anyone may take it, because it was not verified in time. */
export type SignInUser = FoundUser & { address: string; isVerified: boolean; standing: Standing; isFree: boolean };
export type Rejection = { code: DomainErrorCode; details: Readonly<Record<string, unknown>> };

/** Read in place of the user of an unknown address, so that an unknown address costs the same reads. */
export const unknownUserId = '00000000-0000-0000-0000-000000000000';

/**
 * Reserves `email` for the holder, to sign in with.
 * @throws DomainError `rejection` when another user has it; default: USER_EMAIL_ALREADY_EXISTS
 */
export async function reserveEmail(
  work: UnitOfWork,
  { email, isVerified = false, ...reservation }: EmailReservation,
  rejection: Rejection = takenEmailRejection(email),
): Promise<void> {
  const stream = emailReservation(work, email);
  const usesValue = (user: UserState) => signsInWith(user, email);
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
  await reserve(work, loaded, { kind: 'email', usesValue, rejection, ...reservation });
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

const takenPasskey: Rejection = {
  code: 'PASSKEY_REGISTRATION_FAILED',
  details: { message: 'The passkey belongs to another user.' },
};
const takenAccount: Rejection = { code: 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER', details: {} };

/** Reserves a credential for the holder. @throws DomainError PASSKEY_REGISTRATION_FAILED when another user has it */
export async function reservePasskey(
  work: UnitOfWork,
  { credentialId, ...reservation }: PasskeyReservation,
): Promise<void> {
  const stream = passkeyReservation(work, credentialId);
  const loaded = await work.load(reservationDecider, stream);
  await reserve(work, loaded, {
    kind: 'passkey',
    usesValue: hasPasskey(credentialId),
    rejection: takenPasskey,
    ...reservation,
  });
}

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
  { accountRef, ...reservation }: Holder & { accountRef: string },
  rejection: Rejection = takenAccount,
): Promise<void> {
  const stream = streamOf.reservation('oauth', accountRef);
  const loaded = await work.load(reservationDecider, stream);
  await reserve(work, loaded, { kind: 'oauth', usesValue: hasOAuthAccount(accountRef), rejection, ...reservation });
}

/** Does nothing if the reservation is not the holder's. */
export async function releaseOAuthAccount(
  work: UnitOfWork,
  { accountRef, ...reservation }: Holder & { accountRef: string },
): Promise<void> {
  await release(work, streamOf.reservation('oauth', accountRef), reservation);
}

export async function findOAuthUser(deps: Pick<WriteDeps, 'store'>, accountRef: string): Promise<FoundUser | null> {
  return findHolder(deps, streamOf.reservation('oauth', accountRef), hasOAuthAccount(accountRef));
}

/** Does nothing if the reservation is not the holder's. */
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

/** Addresses, a credential ID, and keyed hashes of accounts at providers. */
type UniqueValues = { emails: readonly string[]; passkey: string | null; accountRefs: readonly string[] };

/**
 * Passes unique values from one user to another, who uses them already: until then, they lead to the first one.
 * @throws DomainError if a third user has one by now, as when it is reserved
 */
export async function passReservations(
  work: UnitOfWork,
  { emails, passkey, accountRefs }: UniqueValues,
  { fromId, toId: holderId, at }: { fromId: string; toId: string; at: string },
): Promise<void> {
  const pass = async (
    stream: string,
    value: { kind: ReservationKind; usesValue: (user: UserState) => boolean; rejection: Rejection },
  ) => {
    const loaded = await work.load(reservationDecider, stream);
    loaded.decide({ type: 'ReleaseReservation', holderId: fromId, at });
    await reserve(work, loaded, { ...value, holderId, at });
  };
  for (const email of emails) {
    const usesValue = (user: UserState) => signsInWith(user, email);
    await pass(emailReservation(work, email), { kind: 'email', usesValue, rejection: takenEmailRejection(email) });
  }
  if (passkey !== null) {
    const usesValue = hasPasskey(passkey);
    await pass(passkeyReservation(work, passkey), { kind: 'passkey', usesValue, rejection: takenPasskey });
  }
  for (const accountRef of accountRefs) {
    const usesValue = hasOAuthAccount(accountRef);
    const stream = streamOf.reservation('oauth', accountRef);
    await pass(stream, { kind: 'oauth', usesValue, rejection: takenAccount });
  }
}

/** A unit of work, or the parts of it that a stream name depends on. */
type StreamScope = { deps: Pick<WriteDeps, 'lookupHash'>; ctx: { projectId: string } };

type Reserve = Holder & { kind: ReservationKind; usesValue: (user: UserState) => boolean; rejection: Rejection };

async function reserve(
  work: UnitOfWork,
  loaded: LoadedAggregate<ReservationState, ReservationCommand>,
  { usesValue, ...reservation }: Reserve,
): Promise<void> {
  const currentHolderId = loaded.state.status === 'taken' ? loaded.state.holderId : unknownUserId;
  const isOwn = currentHolderId === reservation.holderId;
  const holder = isOwn
    ? await readState(work.deps.store, userDecider, streamOf.user(currentHolderId))
    : await work.load(userDecider, streamOf.user(currentHolderId));
  const { state } = holder;
  const currentHolder = holderStatus(state, usesValue);
  if ('guard' in holder && currentHolder === 'absent' && hasExpired(loaded.state, reservation.at)) {
    fence(work, holder, { userId: currentHolderId, kind: reservation.kind, at: reservation.at });
  }
  // As a guard it is appended on every attempt, so it conflicts with writers who saw an earlier attempt's reservation.
  loaded.guard({ type: 'ReserveValue', projectId: work.ctx.projectId, currentHolder, ...reservation });
}

/** A user who awaits deletion keeps the values, because they can be restored. */
function holderStatus(state: UserState, usesValue: (user: UserState) => boolean): 'absent' | 'active' | 'deleted' {
  if (state.status === 'absent' || state.status === 'deleted') return state.status;
  return usesValue(state) ? 'active' : 'absent';
}

/** Users that a unit of work has fenced: one write is enough, whatever it takes over from them. */
const fenced = new WeakMap<UnitOfWork, Set<string>>();

/**
 * Comes before the reservation is taken over. The holder's process may be frozen between its reservation and the user:
 * its write conflicts from now on, whenever it comes (docs/decisions/0042).
 */
function fence(
  work: UnitOfWork,
  holder: LoadedAggregate<UserState, UserCommand>,
  expired: { userId: string; kind: ReservationKind; at: string },
): void {
  const users = fenced.get(work) ?? new Set();
  if (users.has(expired.userId)) return;
  fenced.set(work, users.add(expired.userId));
  holder.guard({ type: 'ExpireReservation', ...expired });
}

/**
 * Does nothing in a new attempt whose user is already written: another request of the holder may have reserved the
 * value again since. The reservation expires by itself.
 */
async function release(work: UnitOfWork, stream: string, { holderId, at }: Holder): Promise<void> {
  if (work.hasAppended(streamOf.user(holderId))) return;
  (await work.load(reservationDecider, stream)).decide({ type: 'ReleaseReservation', holderId, at });
}

async function readHolder({ store }: Pick<WriteDeps, 'store'>, stream: string) {
  const { state } = await readState(store, reservationDecider, stream);
  const holderId = state.status === 'taken' ? state.holderId : unknownUserId;
  return readState(store, userDecider, streamOf.user(holderId));
}

async function findHolder(
  deps: Pick<WriteDeps, 'store'>,
  stream: string,
  usesValue: (user: UserState) => boolean,
): Promise<FoundUser | null> {
  const { state, revision } = await readHolder(deps, stream);
  return state.status === 'active' && usesValue(state) ? { user: state, revision } : null;
}

const hasPasskey = (credentialId: string) => (user: UserState) =>
  existingUser(user)?.passkey?.credentialId === credentialId;

const hasOAuthAccount = (accountRef: string) => (user: UserState) =>
  existingUser(user)?.oauthAccounts.some((account) => account.accountRef === accountRef) ?? false;

export function takenEmailRejection(email: string): Rejection {
  return { code: 'USER_EMAIL_ALREADY_EXISTS', details: { email } };
}

/** Keyed hash of an address: identifies what was recorded about the address without revealing it. */
export function addressRefOf({ lookupHash }: Pick<WriteDeps, 'lookupHash'>, projectId: string, email: string): string {
  return lookupHash('email', projectId, canonicalEmail(email));
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

export function emailReservation({ deps, ctx }: StreamScope, email: string): string {
  return streamOf.reservation('email', addressRefOf(deps, ctx.projectId, email));
}

function passkeyReservation({ deps, ctx }: StreamScope, credentialId: string): string {
  return streamOf.reservation('passkey', deps.lookupHash('passkey', ctx.projectId, credentialId));
}
