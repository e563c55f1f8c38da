import type { EmailErrorType } from '@gatebook/domain/email/events';

/** An email could not be sent. `message` is a readable explanation for owners. */
export class MailError extends Error {
  readonly type: EmailErrorType;
  readonly canRetry: boolean;
  readonly rawError: string;

  constructor(type: EmailErrorType, canRetry: boolean, message: string, cause: unknown, rawError = messageOf(cause)) {
    super(message, { cause });
    this.name = 'MailError';
    this.type = type;
    this.canRetry = canRetry;
    this.rawError = sanitize(rawError);
  }
}

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** Servers can send responses of any length. */
const maxQuoteLength = 1_000;

/** `originalCode` is the system's error code when nodemailer has replaced it by its own. */
type SmtpFailure = Error & { code?: string; originalCode?: string; responseCode?: number; response?: string };
type Server = { host: string; port: number };
type Classification = readonly [EmailErrorType, boolean, string];

/**
 * Classifies a failure (protocol, projects §8). With `canQuote` false, the message contains nothing that the server
 * sent: an owner must not be able to probe hosts in a private network by pointing the SMTP settings at them.
 */
export function toMailError(error: unknown, server: Server, { canQuote = true } = {}): MailError {
  const failure: SmtpFailure = error instanceof Error ? error : new Error(String(error));
  const quote: Quote = (lead, text) => (canQuote ? ` ${lead} ${sanitize(text)}` : '');
  const [type, canRetry, message] = classifyResponse(failure, quote) ?? classifyConnectionError(failure, server, quote);
  return canQuote
    ? new MailError(type, canRetry, message, failure)
    : new MailError(type, canRetry, message, failure, `not shown for a server in a private network (${type})`);
}

/** Appends the text of a server or library, or nothing where quoting is not allowed. */
type Quote = (lead: string, text: string) => string;

/** Classifies an SMTP response; null when there was none. */
function classifyResponse({ code, responseCode, response, message }: SmtpFailure, quote: Quote): Classification | null {
  if (responseCode === undefined) {
    return code === 'EENVELOPE'
      ? ['REJECTED', false, `The email addresses are invalid.${quote('Reason:', message)}`]
      : null;
  }
  const quotedResponse = quote('Response:', response ?? message);
  // Any 4yz response asks to retry later (RFC 5321 §4.2.1), as servers with greylisting do.
  const isTransient = responseCode >= 400 && responseCode < 500;
  if (responseCode === 450) return ['TEMPORARY', true, `The SMTP server asked to try again later.${quotedResponse}`];
  if (isTransient) return ['UNKNOWN', true, `The SMTP server cannot accept the email right now.${quotedResponse}`];
  if (responseCode === 535 || code === 'EAUTH') {
    return ['AUTH_FAILED', false, 'The SMTP server rejected the username or password.'];
  }
  if (responseCode === 553) {
    return ['INVALID_EMAIL_ADDRESS', false, `The SMTP server rejected one of the email addresses.${quotedResponse}`];
  }
  if (responseCode === 554 || code === 'EENVELOPE') {
    return ['REJECTED', false, `The SMTP server rejected the email.${quotedResponse}`];
  }
  if (code === 'EMESSAGE') {
    return ['UNKNOWN', false, `The SMTP server rejected the content of the email.${quotedResponse}`];
  }
  return ['UNKNOWN', false, `The SMTP server did not accept the email.${quotedResponse}`];
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT|HOSTNAME_MISMATCH/;
const connectionEnds = ['ECONNECTION', 'ECONNRESET', 'EPIPE'];

function classifyConnectionError(failure: SmtpFailure, { host, port }: Server, quote: Quote): Classification {
  const { code = '', originalCode = code, message } = failure;
  const codes = [code, originalCode];
  const where = `${host}:${port}`;
  if (code === 'EPRIVATE') {
    return ['UNKNOWN', false, `${host} is in a private network, which is not allowed for SMTP servers of projects.`];
  }
  if (codes.some((each) => ['EDNS', 'ENOTFOUND', 'EAI_AGAIN'].includes(each))) {
    return ['HOST_NOT_FOUND', false, `The SMTP server ${host} was not found. Check the hostname.`];
  }
  if (code === 'EAUTH')
    return ['AUTH_FAILED', false, 'Could not sign in to the SMTP server. Check the username and password.'];
  if (codes.includes('ETIMEDOUT') || code === 'EABORT') {
    return ['TIMEOUT', true, `The SMTP server ${where} did not respond in time. Check the host and port.`];
  }
  if (codes.includes('ECONNREFUSED')) {
    const text = `The connection to ${where} was refused. Check the host and port, and that the server is running.`;
    return ['UNKNOWN', true, text];
  }
  if (codes.includes('EHOSTUNREACH') || codes.includes('ENETUNREACH')) {
    return ['UNKNOWN', true, `${where} is unreachable. Check the host and the network of this server.`];
  }
  if (codes.some((each) => certificateCodes.test(each))) {
    return [
      'UNKNOWN',
      false,
      `The certificate of the SMTP server ${where} is not trusted.${quote('Reason:', message)}`,
    ];
  }
  if (/wrong version number|ERR_SSL/i.test(`${originalCode} ${message}`)) {
    return ['UNKNOWN', false, `The SMTP server ${where} does not support TLS as configured. Check the port.`];
  }
  if (codes.some((each) => connectionEnds.includes(each)) || code === 'ETLS') {
    return ['SOCKET_CLOSED', false, `The SMTP server ${where} closed the connection. Check the port.`];
  }
  // A closed pool says nothing about the email or the server, so retry.
  return ['UNKNOWN', /pool was closed/.test(message), `The email could not be sent.${quote('Reason:', message)}`];
}

/**
 * Makes a text safe to store: one line, bounded length, no NUL and no half surrogate pair (which truncation can leave).
 * A row that Postgres rejects would stop the projections of all projects.
 */
function sanitize(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxQuoteLength)
    .toWellFormed();
}
