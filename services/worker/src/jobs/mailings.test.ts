import { randomBytes } from 'node:crypto';
import type { WriteDeps } from '@gatebook/commands/deps';
import { editEmail } from '@gatebook/commands/email/email';
import { changeNotificationPreference, unsubscribe } from '@gatebook/commands/email/notification-preferences';
import { mailingPage, type NewMailing, requestMailing } from '@gatebook/commands/mailing/mailing';
import { sendResetCode } from '@gatebook/commands/password/password-reset';
import { createProject, updateProject } from '@gatebook/commands/project/project';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { callbackUrl, signUp, testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld } from '@gatebook/commands/testing/world';
import { deleteUser } from '@gatebook/commands/user/delete-user';
import { createMailer } from '@gatebook/mail/smtp';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { listProjectionVersions, notifyChange } from '@gatebook/projections/projection-versions';
import { addQuarantined, requestRelease } from '@gatebook/projections/quarantine/quarantine';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import { inTransaction, type Pool } from '@gatebook/runtime/postgres';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliverEmail } from './deliver-email.ts';
import { dropEndedEmails } from './drop-ended-emails.ts';
import { createEmailLimits, migrateEmailLimits } from './email-limits.ts';
import { closeEndedMailings, expandMailing } from './expand-mailing.ts';

let side: ReadSide;
let database: Awaited<ReturnType<typeof testDatabase>>;
const mailer = createMailer({ timeoutMs: 2_000 });
beforeAll(async () => {
  [side, database] = await Promise.all([startReadSide([mainGroup]), testDatabase()]);
  await migrateEmailLimits(database.pool);
});
afterAll(async () => {
  mailer.close();
  await Promise.all([side.close(), database.close()]);
});

const publicUrl = 'https://auth.example.com';
const news: NewMailing = {
  category: 'marketing',
  templateType: null,
  content: { subject: 'News', html: '<p>Hello &amp; welcome</p>', variables: {} },
  userIds: null,
  scheduledAt: null,
};

/** A project with its own mail server, which is a real SMTP server. */
async function withProject() {
  const server = await startSmtpServer();
  const world = await createWorld(side);
  const { deps } = world;
  const ownerUserId = deps.newId();
  const { projectId } = await createProject(deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
  const ctx = contextOf(projectId);
  const own = {
    host: '127.0.0.1',
    port: server.port,
    username: '',
    senderName: 'Shop',
    senderEmail: 'shop@example.com',
  };
  await updateProject(deps, ctx, { config: { emailConfig: { type: 'standard', ...own } } });
  /** Events of this project; the log is shared by all tests. */
  const eventsOf: typeof world.eventsOf = async (type) =>
    (await world.eventsOf(type)).filter(({ metadata }) => metadata.projectId === projectId);
  const newUser = async () => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const { userId } = await signUp(deps, ctx, { email, password: 'correct horse' });
    return { userId, email };
  };
  const emailsOf = async (mailingId: string) =>
    (await eventsOf('EmailRequested')).map(({ data }) => data).filter((data) => data.mailingId === mailingId);
  const limits = createEmailLimits(database.pool);
  const delivery = { write: deps, mailer, limits, shared: null, publicUrl, findLanguage: async () => null };
  const deliver = (emailId: string, of: object = {}) => deliverEmail({ ...delivery, ...of }, { emailId });
  const deliverAll = async (mailingId: string) => {
    for (const { emailId } of await emailsOf(mailingId)) expect(await deliver(emailId)).toBe('done');
  };
  const reached = async () => expect(await side.readModels.reached(await side.store.head())).toBe('reached');
  const sweep = async (write: WriteDeps = deps) => {
    await reached();
    await dropEndedEmails(
      { db: side.db, write: deps, logger },
      { after: undefined, limit: 100 },
      new AbortController().signal,
    );
    await reached();
    return (
      await closeEndedMailings(
        { db: side.db, write, logger },
        { after: undefined, limit: 100 },
        new AbortController().signal,
      )
    ).closed;
  };
  const request = (mailing: Partial<NewMailing> = {}) => requestMailing(deps, ctx, { ...news, ...mailing });
  const expand = (mailingId: string, signal?: AbortSignal, write: WriteDeps = deps) =>
    expandMailing({ write, db: side.db, readModels: side.readModels }, { mailingId }, signal);
  return { ...world, ...server, eventsOf, ctx, newUser, emailsOf, deliver, deliverAll, sweep, request, expand };
}

/** Undoes quoted-printable and folded headers. */
const plain = (raw = '') =>
  raw
    .replace(/=\r\n/g, '')
    .replace(/\r\n[ \t]/g, ' ')
    .replaceAll('=3D', '=');

/** As if the event after `head` could not be applied. */
async function quarantine(pool: Pool, projectId: string, head: bigint): Promise<void> {
  const live = (await listProjectionVersions(pool, mainGroup.name)).find(({ status }) => status === 'live');
  const failure = { projectId, position: head + 1n, after: head, error: 'for a test', isKeyLost: false };
  await inTransaction(pool, async (tx) => {
    await addQuarantined(tx, { subscriber: String(live?.schema), shard: 0 }, [failure], null);
    await tx.query(
      'update readmodel.projection_shards set quarantine_revision = quarantine_revision + 1 where version_id = $1',
      [live?.id],
    );
    await notifyChange(tx, mainGroup.name);
  });
}

describe('a mailing', () => {
  test('reaches its recipients as given, with a text part', async () => {
    const { newUser, request, deliverAll, received, eventsOf, close } = await withProject();
    const [ann, bob] = [await newUser(), await newUser()];
    const { mailingId } = await request({ userIds: [ann.userId, bob.userId], category: 'transactional' });
    await deliverAll(mailingId);
    expect(received.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'shop@example.com', to: [ann.email] },
      { from: 'shop@example.com', to: [bob.email] },
    ]);
    const raw = plain(received[0]?.raw);
    expect(raw).toContain('Subject: News');
    expect(raw).toContain('<p>Hello &amp; welcome</p>');
    expect(raw).toContain('\r\nHello & welcome');
    expect(raw).not.toContain('List-Unsubscribe');
    const sent = (await eventsOf('EmailSent')).map(({ data }) => data);
    expect(sent).toMatchObject([
      { to: ann.email, subject: 'News', emailType: 'mailing', subjectId: ann.userId },
      { to: bob.email, subject: 'News', emailType: 'mailing', subjectId: bob.userId },
    ]);
    await close();
  });

  test('of marketing can be unsubscribed from with one click, and then reaches the user no more', async () => {
    const { deps, ctx, newUser, request, deliverAll, received, eventsOf, close } = await withProject();
    const { userId } = await newUser();
    const html = '<a href="{{ unsubscribeLink }}">Unsubscribe</a>';
    const first = await request({ userIds: [userId], content: { ...news.content, html } });
    await deliverAll(first.mailingId);
    const raw = plain(received[0]?.raw);
    const [, url = ''] = /List-Unsubscribe: <(\S+)>/.exec(raw) ?? [];
    expect(url).toMatch(/^https:\/\/auth\.example\.com\/api\/v1\/emails\/unsubscribe\?code=/);
    expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(raw).toContain(`<a href="${url}">Unsubscribe</a>`);
    await unsubscribe(deps, ctx, { code: new URL(url).searchParams.get('code') ?? '' });
    await deliverAll((await request({ userIds: [userId] })).mailingId);
    expect(received).toHaveLength(1);
    expect((await eventsOf('EmailDropped')).map(({ data }) => data.reason)).toEqual(['unsubscribed']);
    await deliverAll((await request({ userIds: [userId], category: 'transactional' })).mailingId);
    await changeNotificationPreference(deps, ctx, { userId, category: 'marketing', isEnabled: true });
    await deliverAll((await request({ userIds: [userId] })).mailingId);
    expect(received).toHaveLength(3);
    await close();
  });

  test('fills in a template and escapes its variables', async () => {
    const { newUser, request, deliverAll, received, eventsOf, close } = await withProject();
    const { userId } = await newUser();
    const variables = { teamDisplayName: '<b>Crew</b>', teamInvitationLink: 'https://shop.example/join?secret=1' };
    const content = { subject: 'Join {{ teamDisplayName }}', html: null, variables };
    await deliverAll((await request({ userIds: [userId], templateType: 'team_invitation', content })).mailingId);
    const raw = plain(received[0]?.raw);
    expect(raw).toContain('&lt;b&gt;Crew&lt;/b&gt;');
    expect(raw).toContain('https://shop.example/join?secret=1');
    expect((await eventsOf('EmailSent'))[0]?.data.subject).toBe('Join ***');
    await close();
  });

  test('reaches all users who have an address, page by page, each once', async () => {
    const { deps, ctx, newUser, request, expand, emailsOf, close } = await withProject();
    const users = [];
    for (let nth = 0; nth < 3; nth += 1) users.push((await newUser()).userId);
    const { mailingId } = await request();
    expect(await emailsOf(mailingId)).toEqual([]);
    expect(await expand(mailingId)).toBe('done');
    expect(await expand(mailingId)).toBe('done');
    expect((await emailsOf(mailingId)).map(({ userId }) => userId)).toEqual(users.sort());
    await deleteUser(deps, ctx, { userId: users[0] ?? '' });
    await close();
  });

  test('waits while its project is quarantined in the read models, and then misses nobody', async () => {
    const { ctx, newUser, request, expand, emailsOf, close } = await withProject();
    const { readModels, store, database: readDatabase } = side;
    const { projectId } = ctx;
    const users = [(await newUser()).userId];
    const head = await store.head();
    expect(await readModels.reached(head)).toBe('reached');
    await quarantine(readDatabase.pool, projectId, head);
    await expect.poll(() => readModels.isQuarantined([projectId])).toBe(true);
    users.push((await newUser()).userId);
    const { mailingId } = await request();
    expect(await expand(mailingId)).toEqual({ laterMs: expect.any(Number) });
    await requestRelease(readDatabase.pool, { projectId });
    await expect.poll(() => readModels.isQuarantined([projectId])).toBe(false);
    expect(await expand(mailingId)).toBe('done');
    expect((await emailsOf(mailingId)).map(({ userId }) => userId)).toEqual(users.sort());
    await close();
  });

  test('to a long list is completed by the worker', async () => {
    const { deps, newUser, request, expand, emailsOf, eventsOf, close } = await withProject();
    const userIds: string[] = [];
    for (let nth = 0; nth < 3; nth += 1) userIds.push((await newUser()).userId);
    const gone = Array.from(
      { length: 2 * mailingPage },
      (_, nth) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
    );
    const { mailingId } = await request({ userIds: [...userIds.slice(0, 1), ...gone, ...userIds.slice(1)] });
    expect(await emailsOf(mailingId)).toHaveLength(1);
    // A process that stops completes only the page that it has begun.
    const stopping = new AbortController();
    const append: typeof deps.store.append = (...write) => {
      stopping.abort();
      return deps.store.append(...write);
    };
    const untilStopped = { ...deps, store: { ...deps.store, append } };
    expect(await expand(mailingId, stopping.signal, untilStopped)).toEqual({ laterMs: expect.any(Number) });
    expect(await eventsOf('MailingEmailsRequested')).toHaveLength(2);
    await expand(mailingId);
    expect((await emailsOf(mailingId)).map(({ userId }) => userId)).toEqual(userIds);
    const pages = await eventsOf('MailingEmailsRequested');
    expect(pages.map(({ data }) => data.isComplete)).toEqual([false, false, true]);
    // A mailing to many users would be too long for one action.
    expect(new Set(pages.map(({ metadata }) => metadata.requestId)).size).toBe(3);
    await close();
  });

  test('waits until its time, and while it is paused', async () => {
    const { deps, ctx, clock, newUser, request, emailsOf, deliver, received, close } = await withProject();
    const { userId } = await newUser();
    const hour = 60 * 60_000;
    const scheduledAt = new Date(Date.parse(deps.now()) + hour).toISOString();
    const { mailingId } = await request({ userIds: [userId], scheduledAt });
    const [{ emailId } = { emailId: '' }] = await emailsOf(mailingId);
    expect(await deliver(emailId)).toEqual({ laterMs: hour });
    clock.advance(hour);
    await editEmail(deps, ctx, { emailId, isPaused: true });
    await deliver(emailId);
    expect(received).toEqual([]);
    await editEmail(deps, ctx, { emailId, isPaused: false });
    await deliver(emailId);
    expect(received).toHaveLength(1);
    await close();
  });

  test('is not sent through the shared mail server', async () => {
    const { deps, ctx, newUser, request, deliverAll, eventsOf, close } = await withProject();
    const { userId } = await newUser();
    const { mailingId } = await request({ userIds: [userId] });
    await updateProject(deps, ctx, { config: { emailConfig: { type: 'shared' } } });
    await deliverAll(mailingId);
    expect((await eventsOf('EmailFailed')).map(({ data }) => data.error?.message)).toEqual([
      'Emails of servers are only sent through the project’s own mail server.',
    ]);
    await close();
  });

  test('is erased once none of its emails can be sent anymore', async () => {
    const { deps, ctx, newUser, request, deliverAll, sweep, eventsOf, close } = await withProject();
    const contents = async () => (await eventsOf('MailingRequested')).map(({ data }) => data.content);
    const [ann, bob] = [await newUser(), await newUser()];
    const { mailingId } = await request({ userIds: [ann.userId] });
    await request({ userIds: [bob.userId] });
    await sweep();
    expect(await contents()).toEqual([news.content, news.content]);
    await deliverAll(mailingId);
    await deleteUser(deps, ctx, { userId: bob.userId });
    expect(await sweep()).toBe(2);
    expect(await contents()).toEqual([null, null]);
    expect(await sweep()).toBe(0);
    await close();
  });

  test('that cannot be read does not keep others from being erased', async () => {
    const { deps, newUser, request, deliverAll, sweep, eventsOf, close } = await withProject();
    const mailingIds: string[] = [];
    for (const nth of [1, 2]) {
      const { userId } = await newUser();
      const { mailingId } = await request({ userIds: [userId], content: { ...news.content, subject: `News ${nth}` } });
      await deliverAll(mailingId);
      mailingIds.push(mailingId);
    }
    const foldStream: typeof deps.store.foldStream = async (stream, ...how) => {
      if (stream === `mailing-${mailingIds[0]}`) throw new Error('the key is lost');
      return deps.store.foldStream(stream, ...how);
    };
    await sweep({ ...deps, store: { ...deps.store, foldStream } });
    const contents = (await eventsOf('MailingRequested')).map(({ data }) => data.content);
    expect(contents).toEqual([expect.objectContaining({ subject: 'News 1' }), null]);
    await close();
  });

  test('does not use up the limits of sign-in emails', async () => {
    const { deps, ctx, eventsOf, newUser, request, deliver, emailsOf, received, close } = await withProject();
    const { userId, email } = await newUser();
    const limits = createEmailLimits(database.pool, {
      recipient: [{ max: 1, minutes: 10 }],
      project: { max: 1, minutes: 60 },
    });
    const [first, second] = [await request({ userIds: [userId] }), await request({ userIds: [userId] })];
    const idOf = async ({ mailingId }: { mailingId: string }) => (await emailsOf(mailingId))[0]?.emailId ?? '';
    expect(await deliver(await idOf(first), { limits })).toBe('done');
    expect(await deliver(await idOf(second), { limits })).toEqual({ laterMs: expect.any(Number) });
    await sendResetCode(deps, ctx, { email, callbackUrl, project: testProject });
    expect(await deliver((await lastMail({ eventsOf })).emailId, { limits })).toBe('done');
    expect(received).toHaveLength(2);
    await close();
  });
});
