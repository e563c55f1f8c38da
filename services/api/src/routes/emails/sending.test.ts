import { dropEmail, recordEmailFailed, recordEmailSent } from '@gatebook/commands/email/email';
import { contextOf } from '@gatebook/commands/testing/world';
import { templateIds } from '@gatebook/contract/template-ids';
import type { EmailError, Sender } from '@gatebook/domain/email/events';
import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  type OwnedProject,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const own = {
  type: 'standard',
  host: '127.0.0.1',
  port: 25,
  username: 'shop',
  password: 'secret',
  sender_name: 'Shop',
  sender_email: 'shop@example.com',
};
const { api, send } = await startSuite();
const newProject = () => createProject(send, { config: { email_config: own } });
const project = await newProject();
const nobody = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';

const call = (method: string, path: string, body?: unknown, of: OwnedProject = project) =>
  send(method, path, { ...of, access: 'server', ...(body === undefined ? {} : { body }) });
const sendEmail = (body: object, of?: OwnedProject) => call('POST', '/emails/send-email', body, of);
const news = { html: '<p>News</p>', subject: 'News' };
const mailingsOf = async (userId: string) => {
  const events = await api.deps.store.readAll(0n, 100_000);
  return events.filter(({ type, data }) => type === 'EmailRequested' && data.userId === userId && data.mailingId);
};
/** Sends an email to a new user. @returns its ID */
async function sendOne(of: OwnedProject, body: object = {}): Promise<string> {
  const { userId } = await signUp(send, of);
  expect((await sendEmail({ user_ids: [userId], ...news, ...body }, of)).status).toBe(200);
  const [email] = await mailingsOf(userId);
  return String(email?.data.emailId);
}
const one = async (emailId: string, of?: OwnedProject) =>
  (await call('GET', `/emails/outbox/${emailId}`, undefined, of)).body;
const edit = (emailId: string, body: object, of?: OwnedProject) => call('PATCH', `/emails/outbox/${emailId}`, body, of);

describe('sending an email', () => {
  test('requests one email per user, to the primary address', async () => {
    const [ann, bob] = [await signUp(send, project), await signUp(send, project)];
    const { status, body } = await sendEmail({ user_ids: [ann.userId, bob.userId, ann.userId], ...news });
    expect({ status, body }).toEqual({
      status: 200,
      body: { results: [{ user_id: ann.userId }, { user_id: bob.userId }] },
    });
    for (const { userId, email } of [ann, bob]) {
      expect((await mailingsOf(userId)).map(({ data }) => data)).toMatchObject([
        { recipient: email, emailType: 'mailing' },
      ]);
    }
  });

  test('takes a template with variables, and all fields that clients send', async () => {
    const { userId } = await signUp(send, project);
    const variables = { magicLink: 'https://shop.example/in', otp: 123456, isNew: true };
    const template = { template_id: templateIds.magic_link, variables, theme_id: null };
    const options = { notification_category_name: 'Marketing', subject: 'Hi {{ userDisplayName }}' };
    expect((await sendEmail({ user_ids: [userId], ...template, ...options })).status).toBe(200);
    const events = await api.deps.store.readAll(0n, 100_000);
    expect(events.findLast(({ type }) => type === 'MailingRequested')?.data).toMatchObject({
      category: 'marketing',
      templateType: 'magic_link',
      content: {
        subject: 'Hi {{ userDisplayName }}',
        html: null,
        variables: { magicLink: 'https://shop.example/in', otp: '123456', isNew: 'true' },
      },
    });
  });

  test('to all users leaves the recipients to the worker', async () => {
    const { status, body } = await sendEmail({ all_users: true, ...news });
    expect({ status, body }).toEqual({ status: 200, body: { results: [] } });
    const events = await api.deps.store.readAll(0n, 100_000);
    expect(events.at(-1)).toMatchObject({ type: 'MailingRequested', data: { userIds: null } });
  });

  test('is rejected with the shared mail server', async () => {
    const shared = await createProject(send);
    const { userId } = await signUp(send, shared);
    expectKnown(await sendEmail({ user_ids: [userId], ...news }, shared), 400, 'REQUIRES_CUSTOM_EMAIL_SERVER');
  });

  test('is rejected for unknown users, templates, themes and drafts', async () => {
    const { userId } = await signUp(send, project);
    const [stranger, user_ids] = [await signUp(send, await newProject()), [userId]];
    for (const id of [nobody, stranger.userId]) {
      const answer = await sendEmail({ user_ids: [userId, id], ...news });
      expectKnown(answer, 400, 'USER_ID_DOES_NOT_EXIST', { user_id: id });
    }
    expectPlain(await sendEmail({ user_ids, template_id: nobody }), 404);
    expectPlain(await sendEmail({ user_ids, draft_id: nobody }), 404);
    expectPlain(await sendEmail({ user_ids, ...news, theme_id: nobody }), 404);
    expect(await mailingsOf(userId)).toEqual([]);
  });

  test('requires recipients and content, each in one form', async () => {
    const user_ids = [nobody];
    const either = 'must have either user_ids or all_users';
    expectSchemaError(await sendEmail(news), either);
    expectSchemaError(await sendEmail({ user_ids, all_users: true, ...news }), either);
    const one = 'must have one of html, template_id and draft_id';
    expectSchemaError(await sendEmail({ user_ids, subject: 'x' }), one);
    expectSchemaError(await sendEmail({ user_ids, ...news, template_id: nobody }), one);
    const category = { notification_category_name: 'News' };
    expectSchemaError(await sendEmail({ user_ids, ...news, ...category }), 'notification_category_name');
  });

  test('is not open to clients', async () => {
    const answer = await send('POST', '/emails/send-email', { ...project, body: { user_ids: [nobody], ...news } });
    expectKnown(answer, 401, 'INSUFFICIENT_ACCESS_TYPE', {
      actual_access_type: 'client',
      allowed_access_types: ['server', 'admin'],
    });
  });
});

describe('the outbox', () => {
  const sender: Sender = {
    type: 'standard',
    host: 'h',
    port: 25,
    username: 'u',
    senderName: 'Shop',
    senderEmail: 's@example.com',
  };
  const record = async (emailId: string, of: OwnedProject, error: EmailError | null) => {
    const shown = { emailId, subject: 'News', sender };
    const ctx = contextOf(of.projectId);
    const { position } =
      error === null
        ? await recordEmailSent(api.deps, ctx, { ...shown, response: '250' })
        : await recordEmailFailed(api.deps, ctx, { ...shown, error });
    await api.deps.readModels.reached(position);
  };
  const rejected: EmailError = { type: 'REJECTED', message: 'no', canRetry: false, rawError: '554' };
  const unauthorized: EmailError = { type: 'AUTH_FAILED', message: 'wrong password', canRetry: false, rawError: '535' };

  test('shows each email with its status and without its content', async () => {
    const of = await newProject();
    const { userId } = await signUp(send, of);
    await sendEmail({ user_ids: [userId], ...news, notification_category_name: 'Marketing' }, of);
    const emailId = String((await mailingsOf(userId))[0]?.data.emailId);
    expect(await one(emailId, of)).toMatchObject({
      id: emailId,
      to: { type: 'user-primary-email', user_id: userId },
      status: 'queued',
      simple_status: 'in-progress',
      has_rendered: true,
      subject: 'News',
      html: null,
      is_transactional: false,
      email_programmatic_call_template_id: null,
    });
    await record(emailId, of, null);
    expect(await one(emailId, of)).toMatchObject({
      status: 'sent',
      simple_status: 'ok',
      has_delivered: true,
      delivered_at_millis: expect.any(Number),
      started_sending_at_millis: expect.any(Number),
      can_have_delivery_info: false,
      send_attempt_errors: null,
    });
    const all = await call('GET', '/emails/outbox', undefined, of);
    // Signing up sent a verification email.
    expect(all.body.items.map(({ status }: { status: string }) => status)).toEqual(['sent', 'preparing']);
    expectPlain(await call('GET', `/emails/outbox/${emailId}`), 404);
  });

  test('is filtered by status and read page by page, newest first', async () => {
    const of = await newProject();
    const [first, second, third] = [await sendOne(of), await sendOne(of), await sendOne(of)];
    await record(first, of, rejected);
    await record(second, of, unauthorized);
    const ids = async (query: string) => {
      const { body } = await call('GET', `/emails/outbox?${query}`, undefined, of);
      return { ids: body.items.map(({ id }: { id: string }) => id), next: body.pagination.next_cursor };
    };
    expect(await ids('status=bounced')).toEqual({ ids: [first], next: null });
    expect(await ids('simple_status=error')).toEqual({ ids: [second, first], next: null });
    expect(await ids('status=queued')).toEqual({ ids: [third], next: null });
    expect(await ids('status=opened')).toEqual({ ids: [], next: null });
    const page = await ids('simple_status=error&limit=1');
    expect(page).toEqual({ ids: [second], next: first });
    expect(await ids(`simple_status=error&limit=1&cursor=${page.next}`)).toEqual({ ids: [first], next: null });
    expect(await one(second, of)).toMatchObject({
      server_error: 'wrong password',
      send_attempt_errors: [{ attempt_number: 1, external_message: 'wrong password', internal_message: '535' }],
    });
    const info = (await call('GET', '/emails/delivery-info', undefined, of)).body;
    await record(third, of, null);
    expect(info.stats.hour).toEqual({ sent: 0, bounced: 1, marked_as_spam: 0 });
    const after = (await call('GET', '/emails/delivery-info', undefined, of)).body;
    for (const window of ['hour', 'day', 'week', 'month']) {
      expect(after.stats[window]).toEqual({ sent: 1, bounced: 1, marked_as_spam: 0 });
    }
    expect(after.capacity.is_boost_active).toBe(false);
  });

  test('pauses, resumes, reschedules and cancels emails', async () => {
    const emailId = await sendOne(project);
    expect((await edit(emailId, { is_paused: true })).body).toMatchObject({ status: 'paused', is_paused: true });
    expect((await edit(emailId, { is_paused: false })).body).toMatchObject({ status: 'queued', is_paused: false });
    const later = Date.parse(api.deps.now()) + 60 * 60_000;
    const scheduled = (await edit(emailId, { scheduled_at_millis: later })).body;
    expect(scheduled).toMatchObject({ status: 'scheduled', scheduled_at_millis: later, subject: 'News' });
    expect((await edit(emailId, { cancel: true })).body).toMatchObject({
      status: 'skipped',
      simple_status: 'ok',
      skipped_reason: 'MANUALLY_CANCELLED',
      skipped_at_millis: expect.any(Number),
    });
    expect((await mailingsOf(scheduled.to.user_id))[0]?.data.recipient).toBeNull();
  });

  test('schedules emails for later', async () => {
    const later = Date.parse(api.deps.now()) + 60 * 60_000;
    expect(await one(await sendOne(project, { scheduled_at_millis: later }))).toMatchObject({
      status: 'scheduled',
      scheduled_at_millis: later,
    });
    expect((await one(await sendOne(project, { scheduled_at_millis: 0 }))).status).toBe('queued');
  });

  test('rejects what it can’t change', async () => {
    const [emailId, sent] = [await sendOne(project), await sendOne(project)];
    await record(sent, project, null);
    for (const body of [{ is_paused: true }, { cancel: true }, { scheduled_at_millis: 1 }]) {
      expectKnown(await edit(sent, body), 400, 'EMAIL_NOT_EDITABLE', { email_id: sent, status: 'sent' });
    }
    for (const body of [{ tsx_source: 'x' }, { theme_id: null }, { to: {} }, { variables: {} }]) {
      expectPlain(await edit(emailId, body), 400);
    }
    expectPlain(await edit(emailId, { scheduled_at_millis: 253_402_300_799_999 }), 400);
    expectPlain(await edit(nobody, { cancel: true }), 404);
    expectPlain(await edit(emailId, { cancel: true }, await newProject()), 404);
  });

  test('says why an email was skipped', async () => {
    const { body: user } = await call('POST', '/users', { display_name: 'No address' });
    await sendEmail({ user_ids: [user.id], ...news });
    const [email] = await mailingsOf(user.id);
    const skipped = await one(String(email?.data.emailId));
    expect(skipped).toMatchObject({
      status: 'skipped',
      skipped_reason: 'USER_HAS_NO_PRIMARY_EMAIL',
      has_rendered: false,
    });
    const emailId = await sendOne(project);
    const drop = { emailId, reason: 'unsubscribed' as const };
    const { position } = await dropEmail(api.deps, contextOf(project.projectId), drop);
    await api.deps.readModels.reached(position);
    expect((await one(emailId)).skipped_reason).toBe('USER_UNSUBSCRIBED');
  });
});
