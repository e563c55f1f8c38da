import { type Decider, unreachable } from '../decider.ts';
import { type DomainErrorCode, reject } from '../errors.ts';
import type { ReservationEvent, ReservationKind } from './events.ts';
import { evolveReservation, initialState, type ReservationState } from './state.ts';

/** How long a reservation waits for its holder, whose events may still be on their way (architecture §3). */
const graceMs = 60_000;

type ReserveValue = {
  type: 'ReserveValue';
  kind: ReservationKind;
  projectId: string;
  holderId: string;
  /** `active`: there, and has the value. `absent`: there is none, or not with this value (yet, or any more). */
  presentHolder: 'absent' | 'active' | 'deleted';
  /** How to reject when the value belongs to somebody else. */
  rejection: { code: DomainErrorCode; details: Readonly<Record<string, unknown>> };
  at: string;
};
type ReleaseReservation = { type: 'ReleaseReservation'; holderId: string; at: string };
type EraseAddress = { type: 'EraseAddress'; addressRef: string; projectId: string; at: string };
export type ReservationCommand = ReserveValue | ReleaseReservation | EraseAddress;

export function decideReservation(command: ReservationCommand, state: ReservationState): readonly ReservationEvent[] {
  switch (command.type) {
    case 'ReserveValue': {
      const { kind, projectId, holderId, presentHolder, rejection, at } = command;
      const isOwn = state.status === 'taken' && state.holderId === holderId;
      // An own reservation without its value is taken anew: only an event makes two who want the value race for it.
      if (isOwn && presentHolder === 'active') return [];
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

/** A reservation whose holder never came to be, is gone, or has given the value up, holds nothing. */
function isFree({ presentHolder, at }: ReserveValue, state: ReservationState): boolean {
  if (state.status === 'free' || presentHolder === 'deleted') return true;
  return presentHolder === 'absent' && Date.parse(at) - Date.parse(state.takenAt) >= graceMs;
}

export const reservationDecider: Decider<ReservationState, ReservationCommand, ReservationEvent> = {
  initialState,
  decide: decideReservation,
  evolve: evolveReservation,
};
