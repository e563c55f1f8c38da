import { type Decider, unreachable } from '../decider.ts';
import { type RefusalCode, refuse } from '../errors.ts';
import type { ClaimEvent, ClaimKind } from './events.ts';
import { type ClaimState, evolveClaim, initialState } from './state.ts';

/** How long a claim waits for its holder, whose events may still be on their way (architecture §3). */
const graceMs = 60_000;

type TakeClaim = {
  type: 'TakeClaim';
  kind: ClaimKind;
  projectId: string;
  holderId: string;
  /** `active`: there, and has the value. `absent`: there is none, or not with this value (yet, or any more). */
  presentHolder: 'absent' | 'active' | 'deleted';
  /** How to refuse when the value belongs to somebody else. */
  refusal: { code: RefusalCode; details: Readonly<Record<string, unknown>> };
  at: string;
};
type ReleaseClaim = { type: 'ReleaseClaim'; holderId: string; at: string };
type EraseAddress = { type: 'EraseAddress'; addressRef: string; projectId: string; at: string };
export type ClaimCommand = TakeClaim | ReleaseClaim | EraseAddress;

export function decideClaim(command: ClaimCommand, state: ClaimState): readonly ClaimEvent[] {
  switch (command.type) {
    case 'TakeClaim': {
      const { kind, projectId, holderId, presentHolder, refusal, at } = command;
      const isOwn = state.status === 'taken' && state.holderId === holderId;
      // An own claim without its value is taken anew: only an event makes two who want the value race for it.
      if (isOwn && presentHolder === 'active') return [];
      if (!isOwn && !isFree(command, state)) return refuse(refusal.code, refusal.details);
      return [{ type: 'ClaimTaken', data: { kind, projectId, holderId, at } }];
    }
    case 'ReleaseClaim': {
      const { holderId, at } = command;
      if (state.status !== 'taken' || state.holderId !== holderId) return [];
      return [{ type: 'ClaimReleased', data: { holderId, at } }];
    }
    case 'EraseAddress': {
      const { type: _, ...data } = command;
      return [{ type: 'AddressErased', data }];
    }
    default:
      return unreachable(command);
  }
}

/** A claim whose holder never came to be, is gone, or has given the value up, holds nothing. */
function isFree({ presentHolder, at }: TakeClaim, state: ClaimState): boolean {
  if (state.status === 'free' || presentHolder === 'deleted') return true;
  return presentHolder === 'absent' && Date.parse(at) - Date.parse(state.takenAt) >= graceMs;
}

export const claimDecider: Decider<ClaimState, ClaimCommand, ClaimEvent> = {
  initialState,
  decide: decideClaim,
  evolve: evolveClaim,
};
