import { type AddressInfo, createServer, type Server } from 'node:net';
import { smtpRejection, startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { createProject, newEmail, senderOf } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);

const servers: Server[] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A mail server that greets, and says the same to whatever it is asked. */
async function saying(reply: string, greeting = '220 here\r\n', hangsUp = false): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (hangsUp) return void socket.destroy();
    socket.on('data', () => socket.write(reply));
    socket.write(greeting);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A mail server that takes everything but what the mail says. */
async function rejectingContent(): Promise<number> {
  const { port, close } = await startSmtpServer({
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => done(smtpRejection(552, 'too long')));
    },
  });
  closing.push(close);
  return port;
}

const own = { username: '', password: '', sender_name: 'Shop', sender_email: 'shop@example.com' };
const tryServer = (port: number, config: object = {}, headers: Record<string, string> = {}) =>
  send('POST', '/internal/send-test-email', {
    ...project,
    access: 'admin',
    headers,
    body: { recipient_email: newEmail(), email_config: { host: '127.0.0.1', port, ...own, ...config } },
  });

async function listed(language: Record<string, string> = {}) {
  const { headers, body } = await send('GET', '/internal/emails', { ...project, access: 'admin', headers: language });
  return { headers, newest: body.items[0] };
}

describe('the reply of a mail server', () => {
  test.each([
    ['NUL characters', '554 go\0away\r\n'],
    ['a pair that shortening cuts', `554 ${'x'.repeat(980)}${'\u{1f4a5}'.repeat(20)}\r\n`],
    ['a pair that shortening cuts, one further', `554 ${'x'.repeat(981)}${'\u{1f4a5}'.repeat(20)}\r\n`],
  ])('never stops the read models: %s', async (_, reply) => {
    const answer = await tryServer(await saying(reply));
    expect(answer.body).toMatchObject({ success: false });
    expect(answer.headers['x-read-model']).toBeUndefined();
    const { rawError } = (await listed()).newest.error;
    expect([rawError.includes('\0'), rawError.isWellFormed()]).toEqual([false, true]);
  });
});

describe('a test email', () => {
  test.each([
    ['that hangs up', '', '', /closed the connection/],
    ['that is none', 'HTTP/1.1 400 Bad Request\r\n', 'SSH-2.0-OpenSSH\r\n', /mail/],
    ['that rejects the content', '', null, /rejected the content/],
  ])('reports a plain English error from a server %s', async (_, reply, greeting, words) => {
    const port = greeting === null ? await rejectingContent() : await saying(reply, greeting, greeting === '');
    const { status, body } = await tryServer(port);
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: false, error_message: expect.stringMatching(words) },
    });
    expect(body.error_message).not.toMatch(/ECONN|EPROTOCOL|undefined|Error:/);
  });

  test('treats empty strings as absent', async () => {
    const { status, body } = await tryServer(25, { host: '', sender_name: '' });
    expect({ status, success: body.success }).toEqual({ status: 200, success: false });
    expect(body.error_message).toContain('is missing');
  });

  test('is explained in the language of the request, and in English to published libraries', async () => {
    const port = await saying('554 go away\r\n');
    const tryIn = (headers: Record<string, string>) => tryServer(port, {}, { 'accept-language': 'de', ...headers });
    const english = 'The SMTP server rejected the email.';
    const german = /^Der SMTP-Server hat .* abgelehnt\.$/;
    expect((await tryIn({})).body.error_message).toMatch(german);
    expect((await tryIn({ 'accept-language': 'fr' })).body.error_message).toBe(english);
    expect((await tryIn({ 'x-stack-client-version': 'js @stackframe/js@2.8.15' })).body.error_message).toBe(english);
    expect((await listed({ 'accept-language': 'de' })).newest.error.message).toMatch(german);
    expect((await listed()).newest.error.message).toBe(english);
  });

  test('does not change the stored server', async () => {
    await tryServer(1);
    const { body } = await send('GET', '/internal/projects/current', { ...project, access: 'admin' });
    expect(body.config.email_config).toEqual({ type: 'shared' });
  });

  test('times out after ten seconds in total', async () => {
    const limits: (number | undefined)[] = [];
    const patient = await startTestApi({
      overrides: ({ mailer }) => ({
        mailer: {
          ...mailer,
          send: (server, email, options) => {
            limits.push(options?.timeoutMs);
            return mailer.send(server, email, { timeoutMs: 300 });
          },
        },
      }),
    });
    const of = await createProject(senderOf(patient));
    // Each reply comes well within the time for a reply.
    const slow = createServer((socket) => {
      socket.on('error', () => {});
      const timer = setInterval(() => socket.write('220-still here\r\n'), 100);
      socket.on('close', () => clearInterval(timer));
    });
    servers.push(slow);
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const { body } = await senderOf(patient)('POST', '/internal/send-test-email', {
      ...of,
      access: 'admin',
      body: {
        recipient_email: newEmail(),
        email_config: { host: '127.0.0.1', port: (slow.address() as AddressInfo).port, ...own },
      },
    });
    expect(limits).toEqual([10_000]);
    expect(body).toEqual({ success: false, error_message: expect.stringContaining('did not respond in time') });
    await patient.close();
  });
});
