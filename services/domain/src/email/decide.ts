import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { EmailDropReason, EmailError, EmailEvent, Sender } from './events.ts';
import { type EmailState, type EmailStatus, evolveEmail, initialState, type RequestedEmail } from './state.ts';

/** Attempts to send one email while its failures look temporary (protocol, projects §8). */
const maxEmailAttempts = 3;

type RequestEmail = { type: 'RequestEmail'; at: string } & RequestedEmail;
/** What is shown of an attempt. `subjectId` is the subject whose key encrypts it. */
type Attempt = { subjectId: string; subject: string; sender: Sender; at: string };
type RecordSent = { type: 'RecordSent'; response: string } & Attempt;
type RecordFailed = { type: 'RecordFailed'; error: EmailError } & Attempt;
/** A test email that an owner sent to try a mail server. `error` null: it was accepted. */
type RecordTest = {
  type: 'RecordTest';
  emailId: string;
  projectId: string;
  to: string;
  addressRef: string;
  response: string;
  error: EmailError | null;
} & Attempt;
type RetryEmail = { type: 'RetryEmail'; at: string };
type DropEmail = { type: 'DropEmail'; reason: EmailDropReason; at: string };
/** Commands of an owner or a server about an email that has not been sent. */
type PauseEmail = { type: 'PauseEmail'; at: string };
type ResumeEmail = { type: 'ResumeEmail'; at: string };
type RescheduleEmail = { type: 'RescheduleEmail'; scheduledAt: string; at: string };
type CancelEmail = { type: 'CancelEmail'; at: string };
type EditEmail = PauseEmail | ResumeEmail | RescheduleEmail | CancelEmail;

export type EmailCommand = RequestEmail | RecordSent | RecordFailed | RecordTest | RetryEmail | DropEmail | EditEmail;

function decideEmail(command: EmailCommand, state: EmailState): readonly EmailEvent[] {
  if (command.type === 'RequestEmail') return requestEmail(command, state);
  if (command.type === 'RecordTest') return recordTest(command, state);
  if (state.status === 'absent' || state.status === 'recorded') return reject('EMAIL_NOT_FOUND');
  const { emailId, projectId } = state;
  switch (command.type) {
    case 'RecordSent': {
      // An email that was sent is recorded as sent, whatever was decided while it was in progress.
      if (state.status === 'sent') return [];
      const { type: _, response, subject, ...shown } = command;
      // If the recipient was erased while the email was being sent, do not record texts that could name them.
      const texts = state.recipient === null ? { subject: null, response: null } : { subject, response };
      return [{ type: 'EmailSent', data: { ...shown, ...attemptOf(state), ...texts } }];
    }
    case 'RecordFailed': {
      if (state.status !== 'pending') return [];
      const { type: _, error, subject, ...shown } = command;
      const attempt = attemptOf(state);
      const isFinal = !error.canRetry || attempt.attempt >= maxEmailAttempts;
      const texts = state.recipient === null ? { subject: null, error: null } : { subject, error };
      return [{ type: 'EmailFailed', data: { ...shown, ...attempt, ...texts, isFinal } }];
    }
    case 'RetryEmail':
      if (state.status !== 'dead' || state.recipient === null) return reject('EMAIL_NOT_RETRYABLE');
      return [{ type: 'EmailRetried', data: { emailId, projectId, at: command.at } }];
    case 'DropEmail':
      if (state.status === 'sent' || state.status === 'dropped') return [];
      return [{ type: 'EmailDropped', data: { emailId, projectId, reason: command.reason, at: command.at } }];
    case 'PauseEmail':
      if (state.status === 'paused') return [];
      requireStatus(state, ['pending']);
      return [{ type: 'EmailPaused', data: { emailId, projectId, at: command.at } }];
    case 'ResumeEmail':
      if (state.status === 'pending') return [];
      requireStatus(state, ['paused']);
      return [{ type: 'EmailResumed', data: { emailId, projectId, at: command.at } }];
    case 'RescheduleEmail': {
      requireStatus(state, ['pending', 'paused']);
      const { scheduledAt, at } = command;
      if (scheduledAt >= state.expiresAt) reject('EMAIL_SCHEDULED_TOO_LATE');
      return [{ type: 'EmailRescheduled', data: { emailId, projectId, scheduledAt, at } }];
    }
    case 'CancelEmail':
      requireStatus(state, ['pending', 'paused', 'dead']);
      return [{ type: 'EmailDropped', data: { emailId, projectId, reason: 'canceled', at: command.at } }];
    default:
      return unreachable(command);
  }
}

/** Names of the statuses on the wire (protocol, projects §12.3). */
const wireStatuses: Readonly<Record<EmailStatus, string>> = {
  pending: 'queued',
  paused: 'paused',
  sent: 'sent',
  dead: 'server-error',
  dropped: 'skipped',
};

function requireStatus({ status, emailId }: { status: EmailStatus; emailId: string }, allowed: readonly EmailStatus[]) {
  if (!allowed.includes(status)) reject('EMAIL_NOT_EDITABLE', { email_id: emailId, status: wireStatuses[status] });
}

function requestEmail({ type: _, ...data }: RequestEmail, state: EmailState): readonly EmailEvent[] {
  if (state.status !== 'absent') throw new Error(`email ${data.emailId} was requested already`);
  return [{ type: 'EmailRequested', data: { ...data, variables: { ...data.variables } } }];
}

function recordTest({ type: _, response, error, ...shown }: RecordTest, state: EmailState): readonly EmailEvent[] {
  if (state.status !== 'absent') throw new Error(`email ${shown.emailId} exists already`);
  const data = { ...shown, emailType: 'test' as const, userId: null, attempt: 1 };
  if (error !== null) return [{ type: 'EmailFailed', data: { ...data, error, isFinal: true } }];
  return [{ type: 'EmailSent', data: { ...data, response } }];
}

function attemptOf({
  emailId,
  projectId,
  emailType,
  userId,
  recipient: to,
  addressRef,
  attempts,
}: RequestedEmail & { attempts: number }) {
  const about = { emailId, projectId, emailType, userId, to, attempt: attempts + 1 };
  return { ...about, addressRef: userId === null ? addressRef : null };
}

export const emailDecider: Decider<EmailState, EmailCommand, EmailEvent> = {
  initialState,
  decide: decideEmail,
  evolve: evolveEmail,
  stateVersion: stateVersions.email,
};
