import { type Decider, unreachable } from '../decider.ts';
import { type DomainErrorCode, reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { ReservationEvent, ReservationKind } from './events.ts';
import { evolveReservation, initialState, type ReservationState } from './state.ts';

/**
 * How long a reservation waits for its holder, whose events may still be on their way (architecture §3). A courtesy to
 * the holder: that no value gets two users does not depend on clocks (docs/decisions/0042).
 */
const graceMs = 60_000;

type ReserveValue = {
  type: 'ReserveValue';
  kind: ReservationKind;
  projectId: string;
  holderId: string;
  /** `active`: exists and uses the value. `absent`: does not exist, or does not use the value (yet or any more). */
  currentHolder: 'absent' | 'active' | 'deleted';
  /** The rejection when the value belongs to another user. */
  rejection: { code: DomainErrorCode; details: Readonly<Record<string, unknown>> };
  at: string;
};
type ReleaseReservation = { type: 'ReleaseReservation'; holderId: string; at: string };
type EraseAddress = { type: 'EraseAddress'; addressRef: string; projectId: string; at: string };
export type ReservationCommand = ReserveValue | ReleaseReservation | EraseAddress;

function decideReservation(command: ReservationCommand, state: ReservationState): readonly ReservationEvent[] {
  switch (command.type) {
    case 'ReserveValue': {
      const { kind, projectId, holderId, currentHolder, rejection, at } = command;
      const isOwn = state.status === 'taken' && state.holderId === holderId;
      // Reserve again even if the holder has the reservation but not the value: only an event makes two writers of the
      // value conflict.
      if (isOwn && currentHolder === 'active') return [];
      if (!isOwn && !isFree(command, state)) return reject(rejection.code, rejection.details);
      return [{ type: 'ValueReserved', data: { kind, projectId, holderId, at } }];
    }
    case 'ReleaseReservation': {
      const { holderId, at } = command;
      if (state.status !== 'taken' || state.holderId !== holderId) return [];
      return [{ type: 'ReservationReleased', data: { holderId, at } }];
    }
    case 'EraseAddress': {
      const { type: _, ...data } = command;
      return [{ type: 'AddressErased', data }];
    }
    default:
      return unreachable(command);
  }
}

/** A reservation is free if its holder was never created, is deleted, or no longer uses the value. */
function isFree({ currentHolder, at }: ReserveValue, state: ReservationState): boolean {
  if (state.status === 'free' || currentHolder === 'deleted') return true;
  return currentHolder === 'absent' && hasExpired(state, at);
}

/** Whether another user may take a reservation that its holder does not use. */
export function hasExpired(state: ReservationState, at: string): boolean {
  return state.status === 'taken' && Date.parse(at) - Date.parse(state.takenAt) >= graceMs;
}

export const reservationDecider: Decider<ReservationState, ReservationCommand, ReservationEvent> = {
  initialState,
  decide: decideReservation,
  evolve: evolveReservation,
  stateVersion: stateVersions.reservation,
};
