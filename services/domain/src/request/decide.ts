import type { Decider } from '../decider.ts';
import { reject } from '../errors.ts';
import type { RequestEvent } from './events.ts';

/** How long a key stands for one request (architecture §4). */
export const keyLifeMs = 24 * 60 * 60_000;

export type RequestState = { status: 'open' } | { status: 'decided'; requestId: string; at: string };
type RecordDecision = { type: 'RecordDecision'; requestId: string; at: string };

/**
 * One request may append several times and is recorded once. Another with the same key comes too late: it was started because
 * the first seemed dead, or was, and its answer is lost.
 */
export const requestDecider: Decider<RequestState, RecordDecision, RequestEvent> = {
  initialState: { status: 'open' },
  decide: ({ requestId, at }, state) => {
    if (!isDecided(state, at)) return [{ type: 'RequestDecided', data: { requestId, at } }];
    return state.requestId === requestId ? [] : reject('REQUEST_ANSWER_LOST');
  },
  evolve: (_state, { data: { requestId, at } }) => ({ status: 'decided', requestId, at }),
};

/** Whether the key still stands for something that was decided. `at` is the present. */
export function isDecided(state: RequestState, at: string): state is Extract<RequestState, { status: 'decided' }> {
  return state.status === 'decided' && Date.parse(at) - Date.parse(state.at) <= keyLifeMs;
}
