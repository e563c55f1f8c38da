import { loadOnce } from '@gatebook/runtime/load-once';
import { connectToPublicHost, isPrivateAddress } from '@gatebook/runtime/outgoing/private-hosts';
import type { createTransport, Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import type { SmtpServer } from './sender.ts';
import { MailError, toMailError } from './smtp-error.ts';

export { MailError } from './smtp-error.ts';

export type OutgoingEmail = {
  /** Identical on every attempt, so that mail clients can recognize duplicates. */
  messageId: string;
  from: { name: string; address: string };
  to: string;
  subject: string;
  html: string;
  text: string;
  /** For marketing emails: where mail clients unsubscribe with one click (RFC 8058). */
  unsubscribeUrl?: string | null;
};

export type Mailer = {
  /**
   * @param timeoutMs total, including the wait for a free connection; one minute by default
   * @returns the server's response
   * @throws MailError
   */
  send(server: SmtpServer, email: OutgoingEmail, options?: { timeoutMs?: number }): Promise<{ response: string }>;
  close(): void;
};

type MailerOptions = {
  /** Limit for each step: connecting, the greeting and each command. */
  timeoutMs?: number;
  /** Whether SMTP servers of projects can be in private networks. The installation's own always can. */
  projectsMayUsePrivateHosts?: boolean;
};
type Pool = {
  transport: Transporter<SMTPPool.SentMessageInfo>;
  pending: number;
  /** Whether a connection of this pool has reached a private network. */
  isPrivate: () => boolean;
};

/** A start loads no code for sending emails. */
const loadNodemailer = loadOnce(() => import('nodemailer'));

const defaultStepMs = 10_000;
const defaultTotalMs = 60_000;
const idleMs = 60_000;
const maxPools = 50;

/** Sends emails over SMTP with a connection pool per server. */
export function createMailer({
  timeoutMs: stepMs = defaultStepMs,
  projectsMayUsePrivateHosts = true,
}: MailerOptions = {}): Mailer {
  const pools = new Map<string, Pool>();

  /** Returns the pool of this server and marks it as most recently used. */
  function acquirePool(server: SmtpServer, create: typeof createTransport): Pool {
    const key = JSON.stringify(server);
    const options = { stepMs, allowPrivate: projectsMayUsePrivateHosts };
    const pool = pools.get(key) ?? { ...createPool(server, create, options), pending: 0 };
    pools.delete(key);
    pools.set(key, pool);
    return pool;
  }

  /** Closes the least recently used idle pools. Closing a busy pool would fail its pending emails. */
  function evictPools(): void {
    for (const [key, { transport, pending }] of pools) {
      if (pools.size <= maxPools) return;
      if (pending > 0) continue;
      transport.close();
      pools.delete(key);
    }
  }

  return {
    send: async (server, { from, to, unsubscribeUrl = null, ...email }, { timeoutMs = defaultTotalMs } = {}) => {
      // Pass addresses as objects, which nodemailer does not parse: a comma must not add a recipient.
      const addresses = { from, to: { name: '', address: to } };
      validateServer(server);
      const { createTransport: create } = await loadNodemailer();
      const headers = { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribeUrl) };
      const mail = { ...email, ...addresses, headers, signal: AbortSignal.timeout(timeoutMs) };
      const pool = acquirePool(server, create);
      pool.pending += 1;
      try {
        return { response: (await pool.transport.sendMail(mail)).response };
      } catch (error) {
        throw toMailError(error, server, { canQuote: !pool.isPrivate() });
      } finally {
        pool.pending -= 1;
        evictPools();
      }
    },
    close: () => {
      for (const { transport } of pools.values()) transport.close();
      pools.clear();
    },
  };
}

/** (RFC 2369 §3.2, RFC 8058 §3.1) */
function unsubscribeHeaders(url: string | null): Record<string, string> {
  if (url === null) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** Nodemailer reads an empty host as localhost and port 0 as the default port. @throws MailError */
function validateServer({ host, port }: SmtpServer): void {
  const missingHost = 'The hostname of the SMTP server is missing.';
  if (host.trim() === '') throw new MailError('HOST_NOT_FOUND', false, missingHost, missingHost);
  const invalidPort = 'Port 0 is not valid. Common SMTP server ports are 465, 587 and 25.';
  if (port === 0) throw new MailError('UNKNOWN', false, invalidPort, invalidPort);
}

type PoolOptions = { stepMs: number; allowPrivate: boolean };

function createPool(
  server: SmtpServer,
  create: typeof createTransport,
  { stepMs, allowPrivate }: PoolOptions,
): Omit<Pool, 'pending'> {
  const { host, port, isSecure, username, password } = server;
  let isPrivate = false;
  const sockets = createSocketFactory(server, { stepMs, allowPrivate }, (address) => {
    isPrivate ||= isPrivateAddress(address);
  });
  const transport = create({
    pool: true,
    maxConnections: 3,
    maxMessages: 100,
    idleTimeout: idleMs,
    host,
    port,
    secure: isSecure,
    ...(username === null ? {} : { auth: { user: username, pass: password ?? '' } }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(server.owner === 'deployment' ? {} : { getSocket: sockets }),
  });
  return { transport, isPrivate: () => isPrivate };
}

function createSocketFactory(
  server: SmtpServer,
  { stepMs: timeoutMs, allowPrivate }: PoolOptions,
  onConnected: (address: string) => void,
): NonNullable<SMTPPool.Options['getSocket']> {
  return (_options, done) => {
    connectToPublicHost(server, { timeoutMs, allowPrivate }).then(
      (connection) => {
        onConnected(connection.remoteAddress ?? '');
        done(null, { connection });
      },
      (error: Error) => done(error, false),
    );
  };
}
