import type { Decider } from '../decider.ts';
import { reject } from '../errors.ts';
import type { RequestEvent } from './events.ts';

/** How long an idempotency key is remembered (architecture §4). */
export const keyLifeMs = 24 * 60 * 60_000;

export type RequestState = { status: 'open' } | { status: 'decided'; requestId: string; at: string };
type RecordDecision = { type: 'RecordDecision'; requestId: string; at: string };

/**
 * Records a request once, however often it appends. A second request with the same key is rejected: it started because
 * the first one seemed dead or was, so its response is lost.
 */
export const requestDecider: Decider<RequestState, RecordDecision, RequestEvent> = {
  initialState: { status: 'open' },
  decide: ({ requestId, at }, state) => {
    if (!isDecided(state, at)) return [{ type: 'RequestDecided', data: { requestId, at } }];
    return state.requestId === requestId ? [] : reject('RESPONSE_LOST');
  },
  evolve: (_state, { data: { requestId, at } }) => ({ status: 'decided', requestId, at }),
};

/** Whether a request with this key was decided and is still remembered. `at` is the current time. */
export function isDecided(state: RequestState, at: string): state is Extract<RequestState, { status: 'decided' }> {
  return state.status === 'decided' && Date.parse(at) - Date.parse(state.at) <= keyLifeMs;
}
