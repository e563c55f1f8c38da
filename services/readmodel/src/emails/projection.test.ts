import type { EmailEvent, Sender } from '@gatebook/domain/email/events';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeList } from '../list-pages.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import {
  findTemplateVersions,
  listEditedVersions,
  listEmailAttempts,
  listEmailTemplates,
  listEndedEmails,
  listPendingEmails,
  listUndeliveredEmails,
} from './queries.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const [projectId, at, expiresAt] = ['shop', fixedTime, '2099-01-01T00:00:00.000Z'];
const subjectId = '22222222-2222-4222-8222-222222222222';
const userId = '33333333-3333-4333-8333-333333333333';
const sender: Sender = {
  type: 'shared',
  host: 'smtp.example.com',
  port: 25,
  username: null,
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};
const error = { type: 'REJECTED', message: 'no', canRetry: false, rawError: '554' } as const;
const idOf = (nth: number) => `11111111-1111-4111-8111-${String(nth).padStart(12, '0')}`;
const requested = (nth: number, user: string | null = null): EmailEvent => ({
  type: 'EmailRequested',
  data: {
    emailId: idOf(nth),
    projectId,
    emailType: 'magic_link',
    mailingId: null,
    scheduledAt: null,
    userId: user,
    recipient: 'ann@example.com',
    addressRef: 'ann',
    variables: { otp: 'A' },
    language: 'de-DE',
    expiresAt,
    at,
  },
});
const tried = (nth: number, user: string | null = null) => ({
  emailId: idOf(nth),
  projectId,
  emailType: 'magic_link' as const,
  subjectId: user ?? subjectId,
  userId: user,
  ...{
    to: 'ann@example.com',
    addressRef: user === null ? 'ann' : null,
    subject: `Mail ${nth}`,
    sender,
    attempt: 1,
    at,
  },
});
const sent = (nth: number, user: string | null = null): EmailEvent => ({
  type: 'EmailSent',
  data: { ...tried(nth, user), response: '250' },
});
const failed = (nth: number, isFinal: boolean): EmailEvent => ({
  type: 'EmailFailed',
  data: { ...tried(nth), error, isFinal },
});
const retried = (nth: number): EmailEvent => ({ type: 'EmailRetried', data: { emailId: idOf(nth), projectId, at } });
const record = (nth: number, ...events: EmailEvent[]) => side.record(`email-${idOf(nth)}`, ...events);
const shown = async (position: bigint) => {
  await side.readModels.reached(position);
  return {
    attempts: (await listEmailAttempts(side.db, projectId, wholeList)).rows.map(({ subject, error: of }) => [
      subject,
      of?.type ?? null,
    ]),
    undelivered: (await listUndeliveredEmails(side.db, projectId, wholeList)).rows.map(({ id }) => id),
    pending: (await listPendingEmails(side.db, expiresAt, { limit: 100, ofMailings: false })).map(({ id }) => id),
  };
};

describe('emails', () => {
  test('are pending, delivered, undelivered and retried as their events say', async () => {
    await record(1, requested(1), sent(1));
    await record(2, requested(2), failed(2, true));
    await record(3, requested(3), failed(3, false));
    const position = await record(4, requested(4));
    const before = await shown(position);
    expect(before.attempts.sort()).toEqual([
      ['Mail 1', null],
      ['Mail 2', 'REJECTED'],
      ['Mail 3', 'REJECTED'],
    ]);
    expect(before.undelivered).toEqual([idOf(2)]);
    expect(before.pending.sort()).toEqual([idOf(3), idOf(4)]);
    const {
      rows: [row],
    } = await listUndeliveredEmails(side.db, projectId, { from: null, limit: 1 });
    expect(row).toEqual({
      id: idOf(2),
      type: 'magic_link',
      recipient: 'ann@example.com',
      subject: 'Mail 2',
      error,
      requestedAt: Date.parse(at),
      expiresAt: Date.parse(expiresAt),
      sender,
    });
    const after = await shown(await record(2, retried(2)));
    expect(after.undelivered).toEqual([]);
    expect(after.pending).toContain(idOf(2));
  });

  test('are deleted with their user, and never shown to another project', async () => {
    await record(5, requested(5, userId), sent(5, userId));
    const deleted = { type: 'UserDeleted', data: { wasScheduled: false, addressRefs: [], userId, projectId, at } };
    const { attempts } = await shown(await side.record(`user-${userId}`, deleted));
    expect(attempts.map(([subject]) => subject)).not.toContain('Mail 5');
    expect((await listEmailAttempts(side.db, 'other', wholeList)).rows).toEqual([]);
    expect((await listUndeliveredEmails(side.db, 'other', wholeList)).rows).toEqual([]);
  });
});

test('unsent emails to a deleted user are listed to be dropped, and are not shown', async () => {
  const [other, day] = ['44444444-4444-4444-8444-444444444444', '2026-01-16T00:00:00.000Z'];
  await record(6, requested(6, other));
  await record(7, requested(7, other), {
    ...failed(7, true),
    data: { ...tried(7, other), error, isFinal: true },
  } as EmailEvent);
  await record(8, requested(8, other), sent(8, other));
  const deleted = { type: 'UserDeleted', data: { wasScheduled: false, addressRefs: [], userId: other, projectId, at } };
  const { undelivered, pending } = await shown(await side.record(`user-${other}`, deleted));
  for (const nth of [6, 7, 8]) expect([...undelivered, ...pending]).not.toContain(idOf(nth));
  const ended = await listEndedEmails(side.db, day, { limit: 100 });
  expect(ended.filter(({ reason }) => reason === 'user_gone').map(({ id }) => id)).toEqual([idOf(6), idOf(7)]);
  for (const nth of [6, 7]) {
    const dropped: EmailEvent = {
      type: 'EmailDropped',
      data: { emailId: idOf(nth), projectId, reason: 'user_gone', at },
    };
    await side.readModels.reached(await record(nth, dropped));
  }
  expect(await listEndedEmails(side.db, day, { limit: 100 })).toEqual([]);
});

test('an attempt is not shown while its user awaits deletion, even if it comes later', async () => {
  const waiting = '55555555-5555-4555-8555-555555555555';
  const facts = { userId: waiting, projectId, at };
  const subjects = async (position: bigint) => (await shown(position)).attempts.map(([subject]) => subject);
  await record(11, requested(11, waiting));
  const data = { ...facts, deleteAt: expiresAt, isByUser: false };
  await side.record(`user-${waiting}`, { type: 'UserDeletionScheduled', data });
  expect(await subjects(await record(11, sent(11, waiting)))).not.toContain('Mail 11');
  const restored = await side.record(`user-${waiting}`, { type: 'UserDeletionCanceled', data: facts });
  expect(await subjects(restored)).toContain('Mail 11');
});

test('emails and email templates are deleted with their project', async () => {
  const gone = 'gone';
  const of = (event: EmailEvent) => ({ ...event, data: { ...event.data, projectId: gone } }) as EmailEvent;
  const templateType = 'magic_link';
  await side.record('project-gone', {
    type: 'EmailTemplateChanged',
    data: { projectId: gone, templateType, language: null, subject: 'one', content: null, at },
  });
  await record(9, of(requested(9)), of(sent(9)));
  await side.readModels.reached(await record(10, of(requested(10)), of(failed(10, true))));
  expect((await listEmailAttempts(side.db, gone, wholeList)).rows).toHaveLength(2);
  await side.readModels.reached(
    await side.record('project-gone', { type: 'ProjectDeleted', data: { projectId: gone, at } }),
  );
  expect((await listEmailAttempts(side.db, gone, wholeList)).rows).toEqual([]);
  expect((await listUndeliveredEmails(side.db, gone, wholeList)).rows).toEqual([]);
  expect(await listEmailTemplates(side.db, gone)).toEqual([]);
});

test('email templates are stored by project, type and language until they are reset', async () => {
  const content = { root: { type: 'EmailLayout', data: {} } };
  const templateType = 'magic_link';
  const changed = (subject: string, language: 'de-DE' | null = null) => ({
    type: 'EmailTemplateChanged',
    data: { projectId, templateType, language, subject, content, at },
  });
  const reset = (language: 'de-DE' | null) => ({
    type: 'EmailTemplateReset',
    data: { projectId, templateType, language, at },
  });
  const record = async (event: ReturnType<typeof changed> | ReturnType<typeof reset>) =>
    side.readModels.reached(await side.record('project-shop', event));
  const shownIn = async (...languages: ('de-DE' | 'fr-FR' | null)[]) =>
    (await findTemplateVersions(side.db, projectId, templateType, languages)).map(({ language, subject }) => [
      language,
      subject,
    ]);
  await record(changed('one'));
  await record(changed('eins', 'de-DE'));
  await record(changed('two'));
  expect(await listEmailTemplates(side.db, projectId)).toEqual([{ type: templateType, subject: 'two', content }]);
  expect(await shownIn('de-DE', null)).toHaveLength(2);
  expect(await shownIn('de-DE')).toEqual([['de-DE', 'eins']]);
  expect(await shownIn(null)).toEqual([[null, 'two']]);
  expect(await shownIn('fr-FR', null)).toEqual([[null, 'two']]);
  expect(await findTemplateVersions(side.db, 'other', templateType, ['de-DE', null])).toEqual([]);
  const editedLanguages = async () => (await listEditedVersions(side.db, projectId)).map(({ language }) => language);
  expect(new Set(await editedLanguages())).toEqual(new Set([null, 'de-DE']));
  expect(await listEditedVersions(side.db, 'other')).toEqual([]);
  await record(reset(null));
  expect(await listEmailTemplates(side.db, projectId)).toEqual([]);
  expect(await shownIn('de-DE', null)).toEqual([['de-DE', 'eins']]);
  await record(reset('de-DE'));
  expect(await editedLanguages()).toEqual([]);
});
