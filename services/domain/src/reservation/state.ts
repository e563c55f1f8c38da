import type { ReservationEvent } from './events.ts';

export type ReservationState = { status: 'free' } | { status: 'taken'; holderId: string; takenAt: string };

export const initialState: ReservationState = { status: 'free' };

export function evolveReservation(state: ReservationState, event: ReservationEvent): ReservationState {
  switch (event.type) {
    case 'ValueReserved':
      return { status: 'taken', holderId: event.data.holderId, takenAt: event.data.at };
    case 'ReservationReleased':
      return state.status === 'taken' && state.holderId === event.data.holderId ? initialState : state;
    case 'AddressErased':
      return state;
    default:
      event satisfies never;
      return state;
  }
}
