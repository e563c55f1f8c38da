import type { DomainErrorCode } from '@gatebook/domain/errors';
import { hasExpired, type ReservationCommand, reservationDecider } from '@gatebook/domain/reservation/decide';
import type { ReservationKind } from '@gatebook/domain/reservation/events';
import type { ReservationState } from '@gatebook/domain/reservation/state';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import type { ActiveUser, UserState } from '@gatebook/domain/user/state';
import type { WriteDeps } from '../deps.ts';
import { type LoadedAggregate, readState, type UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

export type Holder = { holderId: string; at: string };
export type FoundUser = { user: ActiveUser; revision: bigint };
export type Rejection = { code: DomainErrorCode; details: Readonly<Record<string, unknown>> };
/** A kind of unique value. `usesValue`: whether a user still has the value. `rejection`: when another user has it. */
export type UniqueValue = { kind: ReservationKind; usesValue: (user: UserState) => boolean; rejection: Rejection };

/** A unit of work, or the parts of it that a stream name depends on. */
export type StreamScope = { deps: Pick<WriteDeps, 'lookupHash'>; ctx: { projectId: string } };

/** Read in place of the user of an unknown address, so that an unknown address costs the same reads. */
export const unknownUserId = '00000000-0000-0000-0000-000000000000';

/** @throws DomainError `rejection` if another user has the value */
export async function reserve(
  work: UnitOfWork,
  loaded: LoadedAggregate<ReservationState, ReservationCommand>,
  { usesValue, ...reservation }: UniqueValue & Holder,
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
export async function release(work: UnitOfWork, stream: string, { holderId, at }: Holder): Promise<void> {
  if (work.hasAppended(streamOf.user(holderId))) return;
  (await work.load(reservationDecider, stream)).decide({ type: 'ReleaseReservation', holderId, at });
}

export async function readHolder({ store }: Pick<WriteDeps, 'store'>, stream: string) {
  const { state } = await readState(store, reservationDecider, stream);
  const holderId = state.status === 'taken' ? state.holderId : unknownUserId;
  return readState(store, userDecider, streamOf.user(holderId));
}

export async function findHolder(
  deps: Pick<WriteDeps, 'store'>,
  stream: string,
  usesValue: (user: UserState) => boolean,
): Promise<FoundUser | null> {
  const { state, revision } = await readHolder(deps, stream);
  return state.status === 'active' && usesValue(state) ? { user: state, revision } : null;
}
