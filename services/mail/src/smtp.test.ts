import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { ownServer, serverOf } from './sender.ts';
import { createMailer, MailError, type OutgoingEmail } from './smtp.ts';
import { smtpRejection, startSmtpServer } from './testing/smtp-server.ts';

const email: OutgoingEmail = {
  messageId: '<11111111@shop.example.com>',
  from: { name: 'Shop', address: 'shop@example.com' },
  to: 'ann@example.com',
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
};
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function withServer(options: SMTPServerOptions = {}) {
  const server = await startSmtpServer(options);
  const mailer = createMailer();
  closing.push(() => mailer.close(), server.close);
  return {
    ...server,
    mailer,
    send: (input: Partial<OutgoingEmail> = {}) => mailer.send(serverOf(server.url), { ...email, ...input }),
  };
}

async function failureOf(sending: Promise<unknown>): Promise<MailError> {
  const error: unknown = await sending.then(
    () => expect.fail('the email was sent'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailError)) throw error;
  return error;
}

describe('an email', () => {
  test('arrives with both parts, its message ID and the Auto-Submitted header', async () => {
    const { send, received } = await withServer();
    expect((await send()).response).toMatch(/^250/);
    const [mail] = received;
    expect({ from: mail?.from, to: mail?.to }).toEqual({ from: 'shop@example.com', to: ['ann@example.com'] });
    for (const line of [
      'From: Shop <shop@example.com>',
      'To: ann@example.com',
      'Subject: Hello',
      'Message-ID: <11111111@shop.example.com>',
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Type: text/html; charset=utf-8',
    ]) {
      expect(mail?.raw).toContain(line);
    }
  });

  test('reuses the connection of the previous one', async () => {
    let connections = 0;
    const onConnect: SMTPServerOptions['onConnect'] = (_session, done) => {
      connections += 1;
      done();
    };
    const { send } = await withServer({ onConnect });
    await send();
    await send();
    expect(connections).toBe(1);
  });

  test.each([
    ['name', { from: { name: 'x\r\nBcc: eve@example.com', address: 'shop@example.com' } }],
    ['subject', { subject: 'x\r\nBcc: eve@example.com' }],
    ['id', { messageId: '<x@y>\r\nBcc: eve@example.com' }],
  ])('cannot get an injected header through its %s', async (_, input) => {
    const { send, received } = await withServer();
    await send(input);
    expect(received[0]?.to).toEqual(['ann@example.com']);
    expect(received[0]?.raw.split('\r\n\r\n', 1)[0]).not.toMatch(/^bcc:/im);
  });

  test.each([
    'ann@example.com, eve@example.com',
    'ann@example.com\r\nRCPT TO:<eve@example.com>',
    'ann@example.com> <eve@example.com',
  ])('has at most one recipient: %s', async (to) => {
    const { send, received } = await withServer();
    await send({ to }).catch(() => {});
    expect(received.flatMap((mail) => mail.to)).not.toContain('eve@example.com');
  });

  test('is sent with SMTP authentication if the server requires it', async () => {
    let seen: unknown;
    const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) => {
      seen = { username, password };
      done(null, { user: username });
    };
    const { port, mailer } = await withServer({ authOptional: false, onAuth, allowInsecureAuth: true });
    const server = serverOf(`smtp://ann%40shop:p%2Fw@127.0.0.1:${port}`);
    await mailer.send(server, email);
    expect(seen).toEqual({ username: 'ann@shop', password: 'p/w' });
  });
});

describe('a failure is classified as', () => {
  const rcpt = (code: number, text: string): SMTPServerOptions => ({
    onRcptTo: (_address, _session, done) => done(smtpRejection(code, text)),
  });

  test.each([
    ['TEMPORARY', true, rcpt(450, 'mailbox busy')],
    ['INVALID_EMAIL_ADDRESS', false, rcpt(553, 'no such form')],
    ['REJECTED', false, rcpt(554, 'no spam here')],
    ['REJECTED', false, rcpt(550, 'no such user')],
  ] as const)('%s', async (type, canRetry, options) => {
    const { send } = await withServer(options);
    const error = await failureOf(send());
    expect({ type: error.type, canRetry: error.canRetry }).toEqual({ type, canRetry });
    expect(error.message).toMatch(/Response: .*(busy|form|spam|user)/);
  });

  test('AUTH_FAILED if the server rejects the credentials', async () => {
    const onAuth: SMTPServerOptions['onAuth'] = (_auth, _session, done) => done(smtpRejection(535, 'no'));
    const { port, mailer } = await withServer({ authOptional: false, onAuth, allowInsecureAuth: true });
    const error = await failureOf(mailer.send(serverOf(`smtp://ann:wrong@127.0.0.1:${port}`), email));
    expect(error).toMatchObject({ type: 'AUTH_FAILED', canRetry: false });
    expect(error.message).not.toContain('wrong');
  });

  test('HOST_NOT_FOUND if the hostname does not exist', async () => {
    const { mailer } = await withServer();
    const error = await failureOf(mailer.send(serverOf('smtp://no-such-host.invalid:25'), email));
    expect(error).toMatchObject({ type: 'HOST_NOT_FOUND', canRetry: false });
  });

  test('SOCKET_CLOSED, or UNKNOWN if the connection is refused', async () => {
    const hangUp = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => hangUp.listen(0, '127.0.0.1', resolve));
    const { port } = hangUp.address() as AddressInfo;
    const { mailer } = await withServer();
    const closed = await failureOf(mailer.send(serverOf(`smtp://127.0.0.1:${port}`), email));
    expect(closed).toMatchObject({ type: 'SOCKET_CLOSED', canRetry: false });
    await new Promise((resolve) => hangUp.close(resolve));
    const rejected = await failureOf(mailer.send(serverOf(`smtp://127.0.0.1:${port}`), email));
    expect(rejected.type).toBe('UNKNOWN');
    expect(rejected.message).toContain('was refused');
  });

  test('TIMEOUT if the server does not respond', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const mailer = createMailer({ timeoutMs: 100 });
    closing.push(
      () => mailer.close(),
      () => silent.close(),
    );
    const error = await failureOf(mailer.send(serverOf(`smtp://127.0.0.1:${port}`), email));
    expect(error).toMatchObject({ type: 'TIMEOUT', canRetry: true });
  });

  test('UNKNOWN if the content is rejected', async () => {
    const onData: SMTPServerOptions['onData'] = (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => done(smtpRejection(552, 'too long')));
    };
    const { send } = await withServer({ onData });
    expect(await failureOf(send())).toMatchObject({ type: 'UNKNOWN', canRetry: false });
  });
});

describe('SMTP connections', () => {
  async function listen(onConnection: (socket: Socket) => void) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    return serverOf(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  function withMailer(options: Parameters<typeof createMailer>[0] = {}) {
    const mailer = createMailer(options);
    closing.unshift(() => mailer.close());
    return mailer;
  }

  test('time out even if the server keeps sending greetings', async () => {
    const talkative = await listen((socket) => {
      const talking = setInterval(() => socket.write('220-still here\r\n'), 20);
      socket.on('close', () => clearInterval(talking));
    });
    const error = await failureOf(withMailer().send(talkative, email, { timeoutMs: 200 }));
    expect(error).toMatchObject({ type: 'TIMEOUT', canRetry: true });
  });

  test('are replaced after the server has dropped them', async () => {
    const sockets: Socket[] = [];
    const { port, received, mailer } = await withServer();
    const door = await listen((socket) => {
      const upstream = connect(port, '127.0.0.1');
      upstream.on('error', () => {});
      socket.pipe(upstream).pipe(socket);
      sockets.push(socket);
    });
    await mailer.send(door, email);
    for (const socket of sockets.splice(0)) socket.destroy();
    await mailer.send(door, email);
    expect(received).toHaveLength(2);
  });

  test('work to many servers at once', async () => {
    const onAuth: SMTPServerOptions['onAuth'] = ({ username }, _session, done) => done(null, { user: username });
    const { port, received, mailer } = await withServer({ onAuth, allowInsecureAuth: true });
    const own = (nth: number) => ownServer({ host: '127.0.0.1', port, username: `shop-${nth}`, password: 'x' });
    await Promise.all(Array.from({ length: 60 }, (_, nth) => mailer.send(own(nth), email)));
    expect(received).toHaveLength(60);
  });

  test('fail pending emails with a retryable error when the mailer closes', async () => {
    const silent = await listen(() => {});
    const mailer = withMailer();
    const waiting = Array.from({ length: 5 }, () => failureOf(mailer.send(silent, email, { timeoutMs: 1_000 })));
    await new Promise((resolve) => setImmediate(resolve));
    mailer.close();
    for (const error of await Promise.all(waiting)) expect(error.canRetry).toBe(true);
  });

  test('use TLS if configured, and report a server without TLS', async () => {
    const { port, mailer } = await withServer();
    const server = { ...serverOf(`smtp://127.0.0.1:${port}`), isSecure: true };
    const error = await failureOf(mailer.send(server, email));
    expect(error).toMatchObject({ type: 'UNKNOWN', canRetry: false });
    expect(error.message).toMatch(/TLS|port/);
  });

  test.each([
    ['from the start', { secure: true, disabledCommands: [] }, true],
    ['by STARTTLS', { disabledCommands: [] }, false],
  ])('reject untrusted certificates: TLS %s', async (_, options, isSecure) => {
    const { port, mailer, received } = await withServer(options);
    const error = await failureOf(mailer.send({ ...serverOf(`smtp://127.0.0.1:${port}`), isSecure }, email));
    expect(error.message).toContain('certificate');
    expect(received).toEqual([]);
  });

  test('of projects cannot reach private networks if that is disabled', async () => {
    const { port, received } = await withServer();
    const mailer = withMailer({ projectsMayUsePrivateHosts: false });
    for (const host of ['127.0.0.1', 'localhost']) {
      const server = ownServer({ host, port, username: '', password: null });
      expect((await failureOf(mailer.send(server, email))).message).toContain('private network');
    }
    expect(received).toEqual([]);
    await mailer.send(serverOf(`smtp://127.0.0.1:${port}`), email);
    expect(received).toHaveLength(1);
  });

  test.each(['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254', '100.100.100.200'])(
    'of projects never reach cloud metadata or link-local addresses: %s',
    async (host) => {
      const server = ownServer({ host, port: 25, username: '', password: null });
      const error = await failureOf(withMailer({ timeoutMs: 200 }).send(server, email));
      expect(error).toMatchObject({ type: 'UNKNOWN', canRetry: false });
      expect(error.message).toContain(host);
    },
  );

  test('of projects never reveal responses of servers in private networks (W2)', async () => {
    const banner = '-ERR internal-service 7.2.4 secret-of-the-inside';
    const inner = createServer((socket) => socket.on('error', () => {}).end(`${banner}\r\n`));
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
    const { port: innerPort } = inner.address() as AddressInfo;
    const rejecting = await withServer({
      onRcptTo: (_address, _session, done) => done(smtpRejection(550, 'no such user on secret-of-the-inside')),
    });
    try {
      for (const port of [innerPort, rejecting.port]) {
        const server = ownServer({ host: '127.0.0.1', port, username: '', password: null });
        const failure = await failureOf(rejecting.mailer.send(server, email));
        for (const text of [failure.message, failure.rawError])
          expect(text).not.toMatch(/secret-of-the-inside|ERR|no such/);
      }
      const deployment = await failureOf(rejecting.mailer.send(serverOf(rejecting.url), email));
      expect(deployment.message).toContain('secret-of-the-inside');
    } finally {
      inner.close();
    }
  });

  test.each(['', '  '])('require a hostname instead of defaulting to localhost: %j', async (host) => {
    const { port, received, mailer } = await withServer();
    const error = await failureOf(mailer.send(ownServer({ host, port, username: '', password: null }), email));
    expect(error).toMatchObject({ type: 'HOST_NOT_FOUND', canRetry: false });
    expect(error.message).toMatch(/hostname .* is missing/);
    expect(received).toEqual([]);
  });

  test('to port 0 are rejected', async () => {
    const server = ownServer({ host: '127.0.0.1', port: 0, username: '', password: null });
    const error = await failureOf(withMailer().send(server, email));
    expect(error).toMatchObject({ type: 'UNKNOWN', canRetry: false });
    expect(error.message).toContain('port');
  });

  test('never read files named in an email', async () => {
    const { send, received } = await withServer();
    const path = { path: '/etc/hostname' } as unknown as string;
    await expect(send({ text: path })).rejects.toThrow(MailError);
    expect(received).toEqual([]);
  });
});
