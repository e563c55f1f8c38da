import { describe, test } from 'vitest';
import { given } from '../spec.ts';
import { emailDecider } from './decide.ts';
import type { EmailError, EmailEvent, Sender } from './events.ts';

const emailId = '11111111-1111-4111-8111-111111111111';
const subjectId = '22222222-2222-4222-8222-222222222222';
const [projectId, at, expiresAt] = ['shop', '2026-01-15T12:00:00.000Z', '2026-01-22T12:00:00.000Z'];
const sender: Sender = {
  type: 'shared',
  host: 'smtp.example.com',
  port: 25,
  username: null,
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};
const request = {
  emailId,
  projectId,
  userId: null,
  recipient: 'ann@example.com',
  addressRef: 'ann',
  emailType: 'magic_link',
  mailingId: null,
  scheduledAt: null,
  variables: { otp: 'ABC123' },
  language: null,
  expiresAt,
  at,
} as const;
const requested: EmailEvent = { type: 'EmailRequested', data: request };
const shown = { subjectId, subject: 'Hello', sender, at };
const attempt = (nth: number) => {
  const of = {
    emailId,
    projectId,
    emailType: 'magic_link',
    userId: null,
    to: 'ann@example.com',
    addressRef: 'ann',
  } as const;
  return { ...of, ...shown, attempt: nth };
};
const passing: EmailError = { type: 'TEMPORARY', message: 'later', canRetry: true, rawError: '450' };
const lasting: EmailError = { type: 'REJECTED', message: 'no', canRetry: false, rawError: '554' };
const sent: EmailEvent = { type: 'EmailSent', data: { ...attempt(1), response: '250 ok' } };
const failed = (nth: number, error: EmailError, isFinal: boolean): EmailEvent => ({
  type: 'EmailFailed',
  data: { ...attempt(nth), error, isFinal },
});
const retried: EmailEvent = { type: 'EmailRetried', data: { emailId, projectId, at } };
const dropped: EmailEvent = { type: 'EmailDropped', data: { emailId, projectId, reason: 'expired', at } };
const recordSent = { type: 'RecordSent', ...shown, response: '250 ok' } as const;
const fail = (error: EmailError) => ({ type: 'RecordFailed', ...shown, error }) as const;
const retry = { type: 'RetryEmail', at } as const;
const drop = { type: 'DropEmail', reason: 'expired', at } as const;

describe('an email', () => {
  test('is requested once', () => {
    given(emailDecider)
      .when({ type: 'RequestEmail', ...request })
      .then(requested);
  });

  test('is sent, and is then not sent again', () => {
    given(emailDecider, requested).when(recordSent).then(sent);
    given(emailDecider, requested, sent).when(recordSent).then();
    given(emailDecider, requested, sent).when(fail(passing)).then();
    given(emailDecider, requested, sent).when(drop).then();
  });

  test('has three attempts while its failures look temporary, and one otherwise', () => {
    given(emailDecider, requested)
      .when(fail(passing))
      .then(failed(1, passing, false));
    const twice = [requested, failed(1, passing, false), failed(2, passing, false)];
    given(emailDecider, ...twice)
      .when(fail(passing))
      .then(failed(3, passing, true));
    given(emailDecider, requested)
      .when(fail(lasting))
      .then(failed(1, lasting, true));
  });

  test('that was given up is retried when an owner asks', () => {
    const dead = [requested, failed(1, lasting, true)];
    given(emailDecider, ...dead)
      .when(retry)
      .then(retried);
    given(emailDecider, ...dead, retried)
      .when(recordSent)
      .then(sent);
  });

  test("that was not given up, or whose link is destroyed, can't be retried", () => {
    given(emailDecider).when(retry).thenRejected('EMAIL_NOT_FOUND');
    given(emailDecider, requested).when(retry).thenRejected('EMAIL_NOT_RETRYABLE');
    given(emailDecider, requested, sent).when(retry).thenRejected('EMAIL_NOT_RETRYABLE');
    const erased: EmailEvent = { type: 'EmailRequested', data: { ...request, recipient: null, variables: null } };
    given(emailDecider, erased, failed(1, lasting, true))
      .when(retry)
      .thenRejected('EMAIL_NOT_RETRYABLE');
  });

  test('that was dropped stays dropped, unless it was sent in the meantime', () => {
    given(emailDecider, requested).when(drop).then(dropped);
    given(emailDecider, requested, dropped).when(drop).then();
    given(emailDecider, requested, sent).when(drop).then();
    given(emailDecider, requested, failed(1, lasting, true))
      .when(drop)
      .then(dropped);
    given(emailDecider, requested, failed(1, lasting, true), dropped)
      .when(retry)
      .thenRejected('EMAIL_NOT_RETRYABLE');
    given(emailDecider, requested, dropped).when(fail(passing)).then();
    given(emailDecider, requested, dropped).when(recordSent).then(sent);
  });

  test('whose recipient was erased while it was being sent is recorded without the recipient', () => {
    const erased: EmailEvent = { type: 'EmailRequested', data: { ...request, recipient: null, variables: null } };
    const told = { ...attempt(1), to: null, subject: null };
    given(emailDecider, erased)
      .when(recordSent)
      .then({ type: 'EmailSent', data: { ...told, response: null } });
    given(emailDecider, erased)
      .when(fail(lasting))
      .then({ type: 'EmailFailed', data: { ...told, error: null, isFinal: true } });
  });

  test('sent as a test is only recorded', () => {
    const test = { ...shown, emailId, projectId, to: 'ann@example.com', addressRef: 'ann', response: '250 ok' };
    const data = { ...attempt(1), emailType: 'test' as const };
    given(emailDecider)
      .when({ type: 'RecordTest', ...test, error: null })
      .then({ type: 'EmailSent', data: { ...data, response: '250 ok' } });
    given(emailDecider)
      .when({ type: 'RecordTest', ...test, error: lasting })
      .then({ type: 'EmailFailed', data: { ...data, error: lasting, isFinal: true } });
    given(emailDecider, { type: 'EmailSent', data: { ...data, response: '250 ok' } })
      .when(retry)
      .thenRejected('EMAIL_NOT_FOUND');
  });
});
