import type { UserBatchEvent, UserBatchOutcome } from './events.ts';

type Started = Extract<UserBatchEvent, { type: 'UserBatchStarted' }>['data'];

export type UserBatch = Omit<Started, 'at' | 'userCount'> & { status: 'running' | UserBatchOutcome };
export type UserBatchState = { status: 'absent' } | UserBatch;

export const initialState: UserBatchState = { status: 'absent' };

export function evolveUserBatch(state: UserBatchState, event: UserBatchEvent): UserBatchState {
  switch (event.type) {
    case 'UserBatchStarted': {
      const { at: _, userCount: __, ...batch } = event.data;
      return { status: 'running', ...batch };
    }
    case 'UserBatchEnded':
      return state.status === 'absent' ? state : { ...state, status: event.data.outcome };
    default:
      event satisfies never;
      return state;
  }
}
