import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Inbox, InboxMessage } from '@gatebook/api/inbox';
import { newId } from '@gatebook/runtime/ids';
import { loadOnce } from '@gatebook/runtime/load-once';
import type { Address } from 'postal-mime';

const maxEmails = 500;
const maxEmailBytes = 5 * 1024 * 1024;
/** `<milliseconds>-<id>.eml`: names sort by time. */
const fileName = /^(\d+)-([0-9a-f-]{36})\.eml$/;

/**
 * A mailbox for development: an SMTP server on loopback that accepts every email and stores the newest 500 in `folder`.
 * No email leaves the machine. The SMTP library is loaded with the first connection.
 */
export async function startInbox(folder: string): Promise<Inbox & { smtpUrl: string; close(): Promise<void> }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  /** Oldest first; parsed when first shown. */
  const names = (await readdir(folder)).filter((name) => fileName.test(name)).sort();
  const parsed = new Map<string, InboxMessage>();
  const loadSmtpServer = loadOnce(async () => {
    const { SMTPServer } = await import('smtp-server');
    const smtpServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      size: maxEmailBytes,
      logger: false,
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const recipients = envelope.rcptTo.map(({ address }) => `X-Envelope-To: ${address}\r\n`).join('');
          store(Buffer.concat([Buffer.from(recipients), ...chunks])).then(() => done(), done);
        });
      },
    });
    smtpServer.on('error', () => undefined);
    return smtpServer;
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Before the SMTP library listens.
    socket.on('error', () => undefined);
    loadSmtpServer().then(
      (smtpServer) => smtpServer.server.emit('connection', socket),
      () => socket.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  async function store(email: Buffer): Promise<void> {
    const name = `${String(Date.now()).padStart(15, '0')}-${newId()}.eml`;
    // Renamed when complete, so that no reader sees half an email.
    await writeFile(join(folder, `.${name}`), email, { mode: 0o600 });
    await rename(join(folder, `.${name}`), join(folder, name));
    names.push(name);
    for (const old of names.splice(0, Math.max(0, names.length - maxEmails))) {
      parsed.delete(old);
      await rm(join(folder, old), { force: true });
    }
  }

  async function read(name: string): Promise<InboxMessage | null> {
    const known = parsed.get(name);
    if (known) return known;
    const email = await readFile(join(folder, name)).catch(() => null);
    if (email === null) return null;
    const message = await parse(name, email);
    parsed.set(name, message);
    return message;
  }

  return {
    smtpUrl: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    list: async () => (await Promise.all(names.toReversed().map(read))).filter((message) => message !== null),
    find: async (id) => {
      const name = names.find((each) => fileName.exec(each)?.[2] === id);
      return name === undefined ? null : read(name);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function parse(name: string, email: Buffer): Promise<InboxMessage> {
  const [, millis = '0', id = ''] = fileName.exec(name) ?? [];
  const { default: PostalMime } = await import('postal-mime');
  const { from, to, subject, html, text } = await PostalMime.parse(email);
  return {
    id,
    at: new Date(Number(millis)).toISOString(),
    from: from ? formatAddress(from) : '',
    to: (to ?? []).map(({ address, name: group }) => address ?? group),
    subject: subject ?? '',
    html: html ?? null,
    text: text ?? '',
  };
}

const formatAddress = ({ name, address }: Address) => (name ? `${name} <${address ?? ''}>` : (address ?? ''));
