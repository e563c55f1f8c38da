import { noServerMessage } from '@gatebook/mail/sender';
import { createMailer } from '@gatebook/mail/smtp';
import { toMailError } from '@gatebook/mail/smtp-error';
import { expect, test } from 'vitest';
import { germanMailError } from './mail-errors.ts';

const server = { host: 'mail.example.com', port: 2525 };
const failureOf = (fields: object, message = 'it failed') => Object.assign(new Error(message), fields);
const messageOf = (fields: object, message?: string) => toMailError(failureOf(fields, message), server).message;

const failures = [
  ...[450, 421, 535, 553, 554, 500].map((responseCode) => ({ responseCode, response: `${responseCode} no` })),
  { responseCode: 552, code: 'EMESSAGE', response: '552 no' },
  ...['EENVELOPE', 'EPRIVATE', 'EDNS', 'EAUTH', 'ETIMEDOUT', 'ECONNREFUSED', 'EHOSTUNREACH'].map((code) => ({ code })),
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_SSL', 'ECONNRESET', 'ANOTHER'].map((code) => ({ code })),
];

async function rejectionOf(host: string, port: number): Promise<string> {
  const own = { owner: 'project', host, port, isSecure: false, username: null, password: null } as const;
  const email = { messageId: '<a@b>', from: { name: '', address: 'a@b.example' }, to: 'c@d.example' };
  const sent = createMailer().send(own, { ...email, subject: '', html: '', text: '' });
  return sent.then(
    () => '',
    (error: Error) => error.message,
  );
}

test('each reason why an email is not sent has a German text', async () => {
  const messages = [
    ...failures.map((failure) => messageOf(failure)),
    await rejectionOf(' ', 25),
    await rejectionOf('127.0.0.1', 0),
    noServerMessage('Shop'),
  ];
  expect(new Set(messages).size).toBe(messages.length);
  expect(messages).not.toContain('');
  const lead = (text: string) => text.replace(/ (Response|Reason|Antwort|Grund): .*$/, '');
  expect(messages.filter((message) => lead(germanMailError(message)) === lead(message))).toEqual([]);
});

test('hosts and quotes stay as they are', () => {
  expect(germanMailError(messageOf({ responseCode: 554, response: '554 Reason: spam. Go away' }))).toBe(
    'Der SMTP-Server hat die E-Mail abgelehnt. Antwort: 554 Reason: spam. Go away',
  );
  expect(germanMailError(messageOf({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'self-signed'))).toBe(
    'Das Zertifikat des SMTP-Servers mail.example.com:2525 ist nicht vertrauenswürdig. Grund: self-signed',
  );
  expect(germanMailError('The SMTP server (hidden) was not found. Check the hostname.')).toBe(
    'Der SMTP-Server (verborgen) wurde nicht gefunden. Prüfen Sie den Hostnamen.',
  );
  expect(germanMailError('A text of another release.')).toBe('A text of another release.');
});
