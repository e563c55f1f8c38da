import type { MailingEvent } from './events.ts';

type Requested = Extract<MailingEvent, { type: 'MailingRequested' }>['data'];

export type Mailing = Omit<Requested, 'at'> & {
  status: 'open' | 'closed';
  requestedAt: string;
  /** The last recipient whose email is requested; null before the first one. */
  lastUserId: string | null;
  /** Whether the emails to all recipients are requested. */
  isComplete: boolean;
};
export type MailingState = { status: 'absent' } | Mailing;

export const initialState: MailingState = { status: 'absent' };

export function evolveMailing(state: MailingState, event: MailingEvent): MailingState {
  if (event.type === 'MailingRequested') {
    const { at: requestedAt, ...requested } = event.data;
    return { status: 'open', requestedAt, lastUserId: null, isComplete: false, ...requested };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'MailingEmailsRequested': {
      const { lastUserId, isComplete } = event.data;
      return { ...state, lastUserId: lastUserId ?? state.lastUserId, isComplete };
    }
    case 'MailingClosed':
      return { ...state, status: 'closed' };
    default:
      event satisfies never;
      return state;
  }
}
