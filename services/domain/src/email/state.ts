import type { AnyEmailType, EmailEvent } from './events.ts';

export type RequestedEmail = {
  emailId: string;
  projectId: string;
  emailType: AnyEmailType;
  mailingId: string | null;
  userId: string | null;
  /** Like `variables`, null once the key of the email is destroyed. */
  recipient: string | null;
  addressRef: string | null;
  variables: Readonly<Record<string, string>> | null;
  language: string | null;
  scheduledAt: string | null;
  expiresAt: string;
};
export type EmailStatus = 'pending' | 'paused' | 'sent' | 'dead' | 'dropped';
export type EmailState =
  | { status: 'absent' }
  /** `pending`: to be sent or retried; `dead`: given up until an owner asks for a retry. */
  | ({ status: EmailStatus; attempts: number } & RequestedEmail)
  /** A test email, which can't be sent again. */
  | { status: 'recorded' };

export const initialState: EmailState = { status: 'absent' };

export function evolveEmail(state: EmailState, event: EmailEvent): EmailState {
  if (event.type === 'EmailRequested') {
    const { at: _, ...requested } = event.data;
    return { status: 'pending', attempts: 0, ...requested };
  }
  if (state.status === 'absent' || state.status === 'recorded') return { status: 'recorded' };
  switch (event.type) {
    case 'EmailSent':
      return { ...state, status: 'sent', attempts: event.data.attempt };
    case 'EmailFailed':
      return { ...state, status: event.data.isFinal ? 'dead' : 'pending', attempts: event.data.attempt };
    case 'EmailRetried':
      return { ...state, status: 'pending', attempts: 0 };
    case 'EmailPaused':
      return { ...state, status: 'paused' };
    case 'EmailResumed':
      return { ...state, status: 'pending' };
    case 'EmailRescheduled':
      return { ...state, scheduledAt: event.data.scheduledAt };
    case 'EmailDropped':
      return { ...state, status: 'dropped' };
    default:
      event satisfies never;
      return state;
  }
}
