import type { EmailErrorType } from '@gatebook/domain/email/events';

/** The mail server did not take a mail. `message` is for people, in plain words. */
export class MailError extends Error {
  readonly type: EmailErrorType;
  readonly canRetry: boolean;
  readonly rawError: string;

  constructor(type: EmailErrorType, canRetry: boolean, message: string, cause: unknown, rawError = textOf(cause)) {
    super(message, { cause });
    this.name = 'MailError';
    this.type = type;
    this.canRetry = canRetry;
    this.rawError = quoted(rawError);
  }
}

const textOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** Servers may answer at any length. */
const maxQuoteLength = 1_000;

/** `originalCode` is the system's, where nodemailer put a code of its own. */
type SmtpFault = Error & { code?: string; originalCode?: string; responseCode?: number; response?: string };
type Server = { host: string; port: number };
type Verdict = readonly [EmailErrorType, boolean, string];

/**
 * The classes of protocol, projects §8. With `mayQuote` false the class of the failure is all that is told: of a host in a private network
 * nobody may learn what it is by pointing a mail setting at it.
 */
export function toMailError(error: unknown, server: Server, { mayQuote = true } = {}): MailError {
  const fault: SmtpFault = error instanceof Error ? error : new Error(String(error));
  const quote: Quote = (lead, text) => (mayQuote ? ` ${lead} ${quoted(text)}` : '');
  const [type, canRetry, message] = verdictOnReply(fault, quote) ?? verdictOnConnection(fault, server, quote);
  return mayQuote
    ? new MailError(type, canRetry, message, fault)
    : new MailError(type, canRetry, message, fault, `not shown for a server in a private network (${type})`);
}

/** A sentence with the words of the server or of a library; none where these may not be told. */
type Quote = (lead: string, text: string) => string;

/** What the server said, if it said anything. */
function verdictOnReply({ code, responseCode, response, message }: SmtpFault, quote: Quote): Verdict | null {
  if (responseCode === undefined) {
    return code === 'EENVELOPE'
      ? ['REJECTED', false, `The mail's addresses can not be used.${quote('Reason:', message)}`]
      : null;
  }
  const said = quote('It said:', response ?? message);
  // Whatever it is about, 4yz asks to come again (RFC 5321 §4.2.1), as servers do to learn who is a spammer.
  const isPassing = responseCode >= 400 && responseCode < 500;
  if (responseCode === 450) return ['TEMPORARY', true, `The mail server asks to try again later.${said}`];
  if (isPassing) return ['UNKNOWN', true, `The mail server can not take the mail now.${said}`];
  if (responseCode === 535 || code === 'EAUTH') {
    return ['AUTH_FAILED', false, 'The mail server rejected the user name or password.'];
  }
  if (responseCode === 553) {
    return ['INVALID_EMAIL_ADDRESS', false, `The mail server does not accept one of the addresses.${said}`];
  }
  if (responseCode === 554 || code === 'EENVELOPE') {
    return ['REJECTED', false, `The mail server rejected the mail.${said}`];
  }
  if (code === 'EMESSAGE') {
    return ['UNKNOWN', false, `The mail server rejected the content of the mail.${said}`];
  }
  return ['UNKNOWN', false, `The mail server did not take the mail.${said}`];
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT|HOSTNAME_MISMATCH/;
const connectionEnds = ['ECONNECTION', 'ECONNRESET', 'EPIPE'];

function verdictOnConnection(fault: SmtpFault, { host, port }: Server, quote: Quote): Verdict {
  const { code = '', originalCode = code, message } = fault;
  const codes = [code, originalCode];
  const where = `${host}:${port}`;
  if (code === 'EPRIVATE') {
    return ['UNKNOWN', false, `${host} lies in a private network, where mail servers of projects may not be.`];
  }
  if (codes.some((each) => ['EDNS', 'ENOTFOUND', 'EAI_AGAIN'].includes(each))) {
    return ['HOST_NOT_FOUND', false, `The mail server ${host} can not be found. Check the host name.`];
  }
  if (code === 'EAUTH')
    return ['AUTH_FAILED', false, 'Signing in to the mail server failed. Check user name and password.'];
  if (codes.includes('ETIMEDOUT') || code === 'EABORT') {
    return ['TIMEOUT', true, `The mail server ${where} did not answer in time. Check host and port.`];
  }
  if (codes.includes('ECONNREFUSED')) {
    const text = `Nothing accepts connections at ${where}. Check host and port, and whether the server runs.`;
    return ['UNKNOWN', true, text];
  }
  if (codes.includes('EHOSTUNREACH') || codes.includes('ENETUNREACH')) {
    return ['UNKNOWN', true, `There is no way to ${where}. Check the host, and the network of this server.`];
  }
  if (codes.some((each) => certificateCodes.test(each))) {
    return [
      'UNKNOWN',
      false,
      `The certificate of the mail server ${where} can not be trusted.${quote('Reason:', message)}`,
    ];
  }
  if (/wrong version number|ERR_SSL/i.test(`${originalCode} ${message}`)) {
    return ['UNKNOWN', false, `The mail server ${where} does not speak TLS as expected. Often the port is wrong.`];
  }
  if (codes.some((each) => connectionEnds.includes(each)) || code === 'ETLS') {
    return ['SOCKET_CLOSED', false, `The mail server ${where} closed the connection. Often the port is wrong.`];
  }
  // A pool that was closed under a waiting mail says nothing about mail or server.
  return ['UNKNOWN', /pool was closed/.test(message), `The mail could not be sent.${quote('Reason:', message)}`];
}

/**
 * On one line, of bounded length, and of characters that a database takes: servers may say NUL or half a surrogate pair, and
 * cutting may leave one, where one row that can't be written stops the read models of all projects.
 */
function quoted(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxQuoteLength)
    .toWellFormed();
}
