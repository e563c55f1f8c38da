import type { EmailEvent, EmailType } from './events.ts';

export type RequestedEmail = {
  emailId: string;
  projectId: string;
  emailType: EmailType;
  userId: string | null;
  /** Like `variables`, null once the key of the email is destroyed. */
  recipient: string | null;
  addressRef: string | null;
  variables: Readonly<Record<string, string>> | null;
  expiresAt: string;
};
export type EmailState =
  | { status: 'absent' }
  /** `pending`: to be sent or retried; `dead`: given up until an owner asks for a retry. */
  | ({ status: 'pending' | 'sent' | 'dead' | 'dropped'; attempts: number } & RequestedEmail)
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
    case 'EmailDropped':
      return { ...state, status: 'dropped' };
    default:
      event satisfies never;
      return state;
  }
}
