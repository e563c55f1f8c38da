import { createTransport, type Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import { connectToPublicHost, isPrivateAddress } from './private-hosts.ts';
import type { SmtpServer } from './sender.ts';
import { MailError, toMailError } from './smtp-error.ts';

export { MailError } from './smtp-error.ts';

export type OutgoingEmail = {
  /** The same for every try, so that a mail that was sent twice can be known as one. */
  messageId: string;
  from: { name: string; address: string };
  to: string;
  subject: string;
  html: string;
  text: string;
};

export type Mailer = {
  /**
   * @param timeoutMs for all of it, waiting for a free connection included; one minute if not given
   * @returns the server's reply
   * @throws MailError
   */
  send(server: SmtpServer, email: OutgoingEmail, options?: { timeoutMs?: number }): Promise<{ response: string }>;
  close(): void;
};

type MailerOptions = {
  /** How long a server may take to connect, to greet, or for anything that it is asked. */
  timeoutMs?: number;
  /** Whether servers of projects may lie in private networks; the deployment's own always may. */
  projectsMayUsePrivateHosts?: boolean;
};
type Pool = {
  transport: Transporter<SMTPPool.SentMessageInfo>;
  pending: number;
  /** Whether a connection for a project has led into a private network, or may have. */
  isPrivate: () => boolean;
};

const defaultStepMs = 10_000;
const defaultTotalMs = 60_000;
const idleMs = 60_000;
const maxPools = 50;

/** Sends by SMTP, over connections that are kept for the next mail to the same server. */
export function createMailer({
  timeoutMs: stepMs = defaultStepMs,
  projectsMayUsePrivateHosts = true,
}: MailerOptions = {}): Mailer {
  const pools = new Map<string, Pool>();

  /** The pool of this server, now the last in the order of use. */
  function poolOf(server: SmtpServer): Pool {
    const key = JSON.stringify(server);
    const options = { stepMs, mayBePrivate: projectsMayUsePrivateHosts };
    const pool = pools.get(key) ?? { ...createPool(server, options), pending: 0 };
    pools.delete(key);
    pools.set(key, pool);
    return pool;
  }

  /** Closing a pool fails the mails that wait in it, so a busy one stays. */
  function closeOldest(): void {
    for (const [key, { transport, pending }] of pools) {
      if (pools.size <= maxPools) return;
      if (pending > 0) continue;
      transport.close();
      pools.delete(key);
    }
  }

  return {
    send: async (server, { from, to, ...email }, { timeoutMs = defaultTotalMs } = {}) => {
      // Addresses as objects are never taken apart: a comma in one makes no second recipient.
      const addresses = { from, to: { name: '', address: to } };
      checkNamed(server);
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const mail = { ...email, ...addresses, headers, signal: AbortSignal.timeout(timeoutMs) };
      const pool = poolOf(server);
      pool.pending += 1;
      try {
        return { response: (await pool.transport.sendMail(mail)).response };
      } catch (error) {
        throw toMailError(error, server, { mayQuote: !pool.isPrivate() });
      } finally {
        pool.pending -= 1;
        closeOldest();
      }
    },
    close: () => {
      for (const { transport } of pools.values()) transport.close();
      pools.clear();
    },
  };
}

/** An empty host would mean this machine, and port 0 whichever is usual. @throws MailError */
function checkNamed({ host, port }: SmtpServer): void {
  const missing = 'The mail server’s host name is missing.';
  if (host.trim() === '') throw new MailError('HOST_NOT_FOUND', false, missing, missing);
  const noPort = 'No mail server has port 0. Often it is 465, 587 or 25.';
  if (port === 0) throw new MailError('UNKNOWN', false, noPort, noPort);
}

type PoolOptions = { stepMs: number; mayBePrivate: boolean };

function createPool(server: SmtpServer, { stepMs, mayBePrivate }: PoolOptions): Omit<Pool, 'pending'> {
  const { host, port, isSecure, username, password } = server;
  let isPrivate = false;
  const sockets = checkedSockets(server, { stepMs, mayBePrivate }, (address) => {
    isPrivate ||= isPrivateAddress(address);
  });
  const transport = createTransport({
    ...{ pool: true, maxConnections: 3, maxMessages: 100, idleTimeout: idleMs },
    ...{ host, port, secure: isSecure },
    ...(username === null ? {} : { auth: { user: username, pass: password ?? '' } }),
    ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
    ...(server.owner === 'deployment' ? {} : { getSocket: sockets }),
  });
  return { transport, isPrivate: () => isPrivate };
}

function checkedSockets(
  server: SmtpServer,
  { stepMs: timeoutMs, mayBePrivate }: PoolOptions,
  onConnected: (address: string) => void,
): NonNullable<SMTPPool.Options['getSocket']> {
  return (_options, done) => {
    connectToPublicHost(server, { timeoutMs, mayBePrivate }).then(
      (connection) => {
        onConnected(connection.remoteAddress ?? '');
        done(null, { connection });
      },
      (error: Error) => done(error, false),
    );
  };
}
