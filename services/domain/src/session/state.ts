import type { SessionEvent } from './events.ts';

export type SessionState =
  | { status: 'absent' }
  | { status: 'started' | 'ended'; sessionId: string; userId: string; projectId: string };

export const initialState: SessionState = { status: 'absent' };

export function evolveSession(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'SessionStarted': {
      const { sessionId, userId, projectId } = event.data;
      return { status: 'started', sessionId, userId, projectId };
    }
    case 'SessionEnded':
      return state.status === 'absent' ? state : { ...state, status: 'ended' };
    default:
      event satisfies never;
      return state;
  }
}
