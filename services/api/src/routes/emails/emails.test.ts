import { recordEmailFailed } from '@gatebook/commands/email/email';
import { contextOf } from '@gatebook/commands/testing/world';
import { defaultTemplate } from '@gatebook/mail/defaults';
import { smtpRejection, startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { describe, expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
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
const [project, shared] = await Promise.all([
  createProject(send, { config: { email_config: own } }),
  createProject(send),
]);

const call = (method: string, path: string, body?: unknown, of = project) =>
  send(method, path, { ...of, access: 'admin', ...(body === undefined ? {} : { body }) });
const types = ['email_verification', 'password_reset', 'magic_link', 'team_invitation'] as const;
const content = {
  root: { type: 'EmailLayout', data: { childrenIds: ['a'] } },
  a: { type: 'Text', data: { props: { text: 'Psst: {{ otp }}' } } },
};

describe('email templates', () => {
  test('are Gatebook’s by default, all four in a fixed order', async () => {
    const { status, body } = await call('GET', '/email-templates', undefined, shared);
    expect(status).toBe(200);
    expect(body).toEqual({
      items: types.map((type) => {
        const { subject, content } = defaultTemplate(type);
        return { type, subject, content, is_default: true };
      }),
      is_paginated: false,
    });
    expect((await call('GET', '/email-templates/magic_link', undefined, shared)).body).toEqual(body.items[2]);
    expectSchemaError(await call('GET', '/email-templates/newsletter'), 'params.type');
  });

  test('are customized part by part and can be reset', async () => {
    const path = '/email-templates/magic_link';
    const changed = await call('PATCH', path, { subject: 'Come in' });
    const { content: words } = defaultTemplate('magic_link');
    expect({ status: changed.status, body: changed.body }).toEqual({
      status: 200,
      body: { type: 'magic_link', subject: 'Come in', content: words, is_default: false },
    });
    const both = await call('PATCH', path, { subject: '', content });
    expect(both.body).toEqual({ type: 'magic_link', subject: 'Come in', content, is_default: false });
    expect((await call('GET', path)).body).toEqual(both.body);
    const reset = await call('DELETE', path, {});
    expect({ status: reset.status, body: reset.body }).toEqual({ status: 200, body: { success: true } });
    expect((await call('GET', path)).body.is_default).toBe(true);
    expectPlain(await call('DELETE', path, {}), 404);
  });

  test('stay in use when the project returns to the shared server, and can then only be reset', async () => {
    const wavering = await createProject(send, { config: { email_config: own } });
    const path = '/email-templates/team_invitation';
    await call('PATCH', path, { subject: 'Join us' }, wavering);
    await call('PATCH', '/internal/projects/current', { config: { email_config: { type: 'shared' } } }, wavering);
    const kept = { type: 'team_invitation', subject: 'Join us', is_default: false };
    expect((await call('GET', path, undefined, wavering)).body).toMatchObject(kept);
    const preview = await call('POST', '/internal/email-templates/team_invitation/preview', {}, wavering);
    expect(preview.body.subject).toBe('Join us');
    // Checked before the content is.
    expectPlain(await call('PATCH', path, { content: 'none' }, wavering), 400);
    expect((await call('DELETE', path, {}, wavering)).body).toEqual({ success: true });
    expect((await call('GET', path, undefined, wavering)).body.is_default).toBe(true);
  });

  test('are replaced through Gatebook’s own route with the shared server too', async () => {
    const path = '/internal/email-templates/password_reset/content';
    const changed = await call('PUT', path, { subject: 'New password', content }, shared);
    const expected = { type: 'password_reset', subject: 'New password', content, is_default: false };
    expect({ status: changed.status, body: changed.body }).toEqual({ status: 200, body: expected });
    expect((await call('GET', '/email-templates/password_reset', undefined, shared)).body).toEqual(expected);
    expectPlain(await call('PUT', path, { subject: 'Hello', content: { root: 1 } }, shared), 400);
    expectSchemaError(await call('PUT', path, { content }, shared), 'body.subject');
    expectSchemaError(await call('PUT', path, { subject: '', content }, shared), 'body.subject');
    expectSchemaError(await call('PUT', path, { subject: 'Hello', content: null }, shared), 'body.content');
    await call('DELETE', '/email-templates/password_reset', {}, shared);
  });

  test('are no longer the default after any change, even an empty one', async () => {
    const path = '/email-templates/email_verification';
    const { status, body } = await call('PATCH', path, {});
    expect({ status, is_default: body.is_default, subject: body.subject }).toEqual({
      status: 200,
      is_default: false,
      subject: defaultTemplate('email_verification').subject,
    });
    await call('DELETE', path, {});
  });

  test('are rejected with the shared server or with invalid content', async () => {
    const path = '/email-templates/password_reset';
    expectPlain(await call('PATCH', path, { content: { root: 1 } }, shared), 400);
    for (const wrong of [{ root: { type: 'Script' } }, [], 'text', 1]) {
      expectPlain(await call('PATCH', path, { content: wrong }), 400);
    }
    expectSchemaError(await call('PATCH', path, { content: null }), 'body.content');
    expectSchemaError(await call('PATCH', path, { text: 'x' }), 'unknown fields: text');
    expect((await call('GET', path)).body.is_default).toBe(true);
  });

  test('can be previewed before they are stored, with the available variables', async () => {
    const path = '/internal/email-templates/magic_link/preview';
    const { body } = await call('POST', path, {
      subject: 'For {{ userDisplayName }}',
      content,
      variables: { otp: 'XYZ' },
    });
    expect(body).toEqual({
      subject: 'For Ada',
      html: expect.stringContaining('Psst: XYZ'),
      text: 'Psst:\nXYZ\n',
      variables: ['projectDisplayName', 'userDisplayName', 'magicLink', 'otp'],
    });
    expect((await call('POST', path, {})).body.subject).toBe('A1B2C3 is your sign-in code for App');
    expectPlain(await call('POST', path, { content: { x: {} } }), 400);
  });
});

describe('emails', () => {
  const error = { type: 'REJECTED', message: 'no', canRetry: false, rawError: '554' } as const;

  test('that failed are listed with their attempts and can be resent once', async () => {
    const { email } = await signUp(send, project);
    const { emailId } = await mailTo(api, email);
    const sender = {
      ...({ type: 'standard', host: 'h', port: 25, username: 'u' } as const),
      senderName: 'Shop',
      senderEmail: 's@example.com',
    };
    const failed = { emailId, subject: 'Hello', sender, error };
    const { position } = await recordEmailFailed(api.deps, contextOf(project.projectId), failed);
    await api.deps.readModels.reached(position);
    const sent = await call('GET', '/internal/emails');
    expect(sent.body).toEqual({
      items: [
        {
          id: expect.any(String),
          subject: 'Hello',
          sent_at_millis: expect.any(Number),
          to: [email],
          sender_config: {
            type: 'standard',
            host: 'h',
            port: 25,
            username: 'u',
            sender_name: 'Shop',
            sender_email: 's@example.com',
          },
          error: { errorType: 'REJECTED', message: 'no', canRetry: false, rawError: '554' },
        },
      ],
      is_paginated: false,
    });
    const dead = await call('GET', '/internal/emails/undelivered');
    expect(dead.body.items).toMatchObject([{ id: emailId, to: [email], subject: 'Hello', type: 'email_verification' }]);
    const retry = (of = project) => call('POST', `/internal/emails/${emailId}/retry`, {}, of);
    expectPlain(await retry(shared), 404);
    expect((await retry()).body).toEqual({ success: true });
    expectPlain(await retry(), 400);
    expect((await call('GET', '/internal/emails/undelivered')).body.items).toEqual([]);
    expect((await call('GET', '/internal/emails', undefined, shared)).body.items).toEqual([]);
  });

  test('say nothing about the mail server of the installation', async () => {
    const listed = await createProject(send);
    const server = { host: 'relay.corp.example', port: 2525, username: 'relay-user' };
    const sender = { type: 'shared' as const, ...server, senderName: 'Shop', senderEmail: 's@example.com' };
    const message =
      'The SMTP server relay.corp.example:2525 closed the connection. Response: 554 at relay-2.corp.example';
    const { emailId } = await mailTo(api, (await signUp(send, listed)).email);
    const { position } = await recordEmailFailed(api.deps, contextOf(listed.projectId), {
      ...{ emailId, subject: 'Hello', sender },
      error: { type: 'SOCKET_CLOSED', message, canRetry: false, rawError: '554 at relay-2.corp.example' },
    });
    await api.deps.readModels.reached(position);
    const paths = ['/internal/emails', '/internal/emails/undelivered', '/emails/outbox'];
    for (const path of paths) {
      const { status, body } = await call('GET', path, undefined, listed);
      expect([status, body.items.length]).toEqual([200, 1]);
      expect(JSON.stringify(body)).not.toMatch(/corp|2525|relay/);
      expect(JSON.stringify(body)).toContain('The SMTP server (hidden) closed the connection.');
    }
  });

  test('are listed in pages', async () => {
    const listed = await createProject(send);
    const sender = {
      ...({ type: 'shared', host: null, port: null, username: null } as const),
      senderName: 'Shop',
      senderEmail: 's@example.com',
    };
    for (const subject of ['first', 'second', 'third']) {
      const { emailId } = await mailTo(api, (await signUp(send, listed)).email);
      const { position } = await recordEmailFailed(api.deps, contextOf(listed.projectId), {
        emailId,
        subject,
        sender,
        error,
      });
      await api.deps.readModels.reached(position);
    }
    for (const path of ['/internal/emails', '/internal/emails/undelivered']) {
      const page = async (query: string) => (await call('GET', `${path}?${query}`, undefined, listed)).body;
      const first = await page('limit=2');
      const cursor = first.pagination.next_cursor;
      const last = await page(`limit=2&cursor=${cursor}`);
      const subjects = [...first.items, ...last.items].map(({ subject }: { subject: string }) => subject);
      expect(subjects.sort()).toEqual(['first', 'second', 'third']);
      expect(last.pagination).toEqual({ next_cursor: null });
      expectSchemaError(await call('GET', `${path}?cursor=none`, undefined, listed), 'query.cursor');
    }
  });
});

describe('a test email', () => {
  const path = '/internal/send-test-email';
  const config = (port: number, more: object = {}) => {
    const { type: _, ...server } = own;
    return { ...server, port, username: '', password: '', ...more };
  };

  test('is sent through the given server and is listed', async () => {
    const server = await startSmtpServer();
    const to = newEmail();
    const answer = await call('POST', path, { recipient_email: to, email_config: config(server.port) });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { success: true } });
    expect(server.received).toMatchObject([{ from: 'shop@example.com', to: [to] }]);
    const [listed] = (await call('GET', '/internal/emails')).body.items;
    expect(listed).toMatchObject({ to: [to], error: null, sender_config: { type: 'standard', port: server.port } });
    await server.close();
  });

  test('reports the cause of a failure in plain English', async () => {
    const server = await startSmtpServer({ onRcptTo: (_to, _session, done) => done(smtpRejection(554, 'go away')) });
    const rejected = await call('POST', path, { recipient_email: newEmail(), email_config: config(server.port) });
    expect(rejected.status).toBe(200);
    // This server is in a private network: what it says is not repeated.
    expect(rejected.body).toEqual({ success: false, error_message: 'The SMTP server rejected the email.' });
    await server.close();
    const gone = await call('POST', path, { recipient_email: newEmail(), email_config: config(server.port) });
    expect(gone.body.error_message).toContain('was refused');
    const [listed] = (await call('GET', '/internal/emails')).body.items;
    expect(listed.error).toMatchObject({ errorType: 'UNKNOWN', canRetry: true });
  });

  test('requires a complete server configuration', async () => {
    expectSchemaError(
      await call('POST', path, { recipient_email: 'x' }),
      'body.recipient_email',
      'email_config is required',
    );
    const bad = { recipient_email: newEmail(), email_config: config(70_000, { type: 'standard' }) };
    expectSchemaError(await call('POST', path, bad), 'email_config.port', 'unknown fields: type');
  });
});

test.each(['client', 'server'] as const)('all email routes reject %s access', async (access) => {
  for (const [method, path] of [
    ['GET', '/email-templates'],
    ['GET', '/email-templates/magic_link'],
    ['PATCH', '/email-templates/magic_link'],
    ['DELETE', '/email-templates/magic_link'],
    ['POST', '/internal/email-templates/magic_link/preview'],
    ['PUT', '/internal/email-templates/magic_link/content'],
    ['POST', '/internal/email-templates/magic_link/test'],
    ['GET', '/internal/emails'],
    ['GET', '/internal/emails/undelivered'],
    ['POST', '/internal/emails/11111111-1111-4111-8111-111111111111/retry'],
    ['POST', '/internal/send-test-email'],
  ] as const) {
    const answer = await send(method, path, { ...project, access });
    expectKnown(answer, 401, 'INSUFFICIENT_ACCESS_TYPE', {
      actual_access_type: access,
      allowed_access_types: ['admin'],
    });
  }
});
