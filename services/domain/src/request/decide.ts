import type { Decider } from '../decider.ts';
import type { RequestEvent } from './events.ts';

export type RequestState = 'open' | 'decided';
type RecordDecision = { type: 'RecordDecision'; at: string };

/** Once; one request may append several times. */
export const requestDecider: Decider<RequestState, RecordDecision, RequestEvent> = {
  initialState: 'open',
  decide: ({ at }, state) => (state === 'open' ? [{ type: 'RequestDecided', data: { at } }] : []),
  evolve: () => 'decided',
};
