import type { EmailErrorType } from '@gatebook/domain/email/events';
import { createTransport, type Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import type { SmtpServer } from './sender.ts';

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
  /** @returns the server's reply. @throws MailError */
  send(server: SmtpServer, email: OutgoingEmail): Promise<{ response: string }>;
  close(): void;
};

/** The mail server did not take a mail. `message` is for people, in plain words. */
export class MailError extends Error {
  readonly type: EmailErrorType;
  readonly canRetry: boolean;
  readonly rawError: string;

  constructor(type: EmailErrorType, canRetry: boolean, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'MailError';
    this.type = type;
    this.canRetry = canRetry;
    this.rawError = cause instanceof Error ? cause.message : String(cause);
  }
}

const defaultTimeoutMs = 10_000;
const maxPools = 50;

/** Sends by SMTP, over connections that are kept for the next mail to the same server. */
export function createMailer({ timeoutMs = defaultTimeoutMs }: { timeoutMs?: number } = {}): Mailer {
  const pools = new Map<string, Transporter<SMTPPool.SentMessageInfo>>();

  function poolOf(server: SmtpServer): Transporter<SMTPPool.SentMessageInfo> {
    const key = JSON.stringify(server);
    const known = pools.get(key);
    if (known) {
      pools.delete(key);
      pools.set(key, known);
      return known;
    }
    const made = createPool(server, timeoutMs);
    pools.set(key, made);
    const [oldest] = pools;
    if (pools.size > maxPools && oldest) {
      oldest[1].close();
      pools.delete(oldest[0]);
    }
    return made;
  }

  return {
    send: async (server, { from, to, ...email }) => {
      const headers = { 'Auto-Submitted': 'auto-generated' };
      try {
        // Addresses as objects are never taken apart: a comma in one makes no second recipient.
        const sent = await poolOf(server).sendMail({ ...email, from, to: { name: '', address: to }, headers });
        return { response: sent.response };
      } catch (error) {
        throw toMailError(error, server);
      }
    },
    close: () => {
      for (const pool of pools.values()) pool.close();
      pools.clear();
    },
  };
}

function createPool(
  { host, port, isSecure, username, password }: SmtpServer,
  timeoutMs: number,
): Transporter<SMTPPool.SentMessageInfo> {
  return createTransport({
    pool: true,
    maxConnections: 3,
    maxMessages: 100,
    host,
    port,
    secure: isSecure,
    ...(username === null ? {} : { auth: { user: username, pass: password ?? '' } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

type SmtpFault = Error & { code?: string; responseCode?: number; response?: string; command?: string };

/** The classes of protocol, projects §8. */
export function toMailError(error: unknown, { host, port }: Pick<SmtpServer, 'host' | 'port'>): MailError {
  const fault: SmtpFault = error instanceof Error ? error : new Error(String(error));
  const { code = '', responseCode, message } = fault;
  const reply = fault.response ?? message;
  const where = `${host}:${port}`;
  const is = (type: EmailErrorType, canRetry: boolean, text: string) => new MailError(type, canRetry, text, fault);
  if (code === 'EDNS' || /ENOTFOUND|EAI_AGAIN/.test(`${code} ${message}`)) {
    return is('HOST_NOT_FOUND', false, `The mail server ${host} can not be found. Check the host name.`);
  }
  if (responseCode === 535 || code === 'EAUTH') {
    return is('AUTH_FAILED', false, 'The mail server refused the user name or password.');
  }
  if (responseCode === 450) return is('TEMPORARY', true, `The mail server asks to try again later. It said: ${reply}`);
  if (responseCode === 553) {
    return is(
      'INVALID_EMAIL_ADDRESS',
      false,
      `The mail server does not accept one of the addresses. It said: ${reply}`,
    );
  }
  if (responseCode === 554 || code === 'EENVELOPE') {
    return is('REJECTED', false, `The mail server rejected the mail. It said: ${reply}`);
  }
  if (code === 'ETIMEDOUT' || /timeout/i.test(message)) {
    return is('TIMEOUT', true, `The mail server ${where} did not answer in time. Check host and port.`);
  }
  if (code === 'ESOCKET' && /ECONNREFUSED/.test(message)) {
    return is(
      'UNKNOWN',
      true,
      `Nothing accepts connections at ${where}. Check host and port, and whether the server runs.`,
    );
  }
  if (code === 'ECONNECTION' || /closed|ECONNRESET|EPIPE/i.test(message)) {
    return is('SOCKET_CLOSED', false, `The mail server ${where} closed the connection. Often the port is wrong.`);
  }
  if (code === 'EMESSAGE')
    return is('UNKNOWN', false, `The mail server refused the content of the mail. It said: ${reply}`);
  const isPassing = responseCode !== undefined && responseCode >= 400 && responseCode < 500;
  return is('UNKNOWN', isPassing, `The mail could not be sent: ${reply}`);
}
