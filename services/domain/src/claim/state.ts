import type { ClaimEvent } from './events.ts';

export type ClaimState = { status: 'free' } | { status: 'taken'; holderId: string; takenAt: string };

export const initialState: ClaimState = { status: 'free' };

export function evolveClaim(state: ClaimState, event: ClaimEvent): ClaimState {
  switch (event.type) {
    case 'ClaimTaken':
      return { status: 'taken', holderId: event.data.holderId, takenAt: event.data.at };
    case 'ClaimReleased':
      return state.status === 'taken' && state.holderId === event.data.holderId ? initialState : state;
    case 'AddressErased':
      return state;
    default:
      event satisfies never;
      return state;
  }
}
