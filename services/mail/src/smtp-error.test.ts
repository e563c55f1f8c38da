import { describe, expect, test } from 'vitest';
import { MailError, toMailError } from './smtp-error.ts';

const server = { host: 'mail.example.com', port: 2525 };
const failure = (fields: object, message = 'it failed') => Object.assign(new Error(message), fields);

describe('an SMTP response', () => {
  test.each([
    [535, 'EAUTH', 'AUTH_FAILED', false],
    [534, 'EAUTH', 'AUTH_FAILED', false],
    [454, 'EAUTH', 'UNKNOWN', true],
    [450, 'EENVELOPE', 'TEMPORARY', true],
    [451, 'EENVELOPE', 'UNKNOWN', true],
    [421, 'ECONNECTION', 'UNKNOWN', true],
    [452, 'EMESSAGE', 'UNKNOWN', true],
    [553, 'EENVELOPE', 'INVALID_EMAIL_ADDRESS', false],
    [554, 'EMESSAGE', 'REJECTED', false],
    [550, 'EENVELOPE', 'REJECTED', false],
    [530, 'EENVELOPE', 'REJECTED', false],
    [552, 'EMESSAGE', 'UNKNOWN', false],
    [500, 'EPROTOCOL', 'UNKNOWN', false],
  ])('%i (%s) is classified as %s', (responseCode, code, type, canRetry) => {
    // Keywords of other errors must not change the classification.
    const response = `${responseCode} connection closed, timeout, ENOTFOUND`;
    expect(toMailError(failure({ responseCode, code, response }), server)).toMatchObject({ type, canRetry });
  });

  test.each([450, 553, 554])('%i is quoted on one line and truncated', (responseCode) => {
    const response = `${responseCode} no\r\nmore\u0007 ${'x'.repeat(5_000)}`;
    const { message } = toMailError(failure({ responseCode, response, code: 'EENVELOPE' }), server);
    expect(message).toContain(`Response: ${responseCode} no more xxx`);
    expect(message.length).toBeLessThan(1_200);
  });
});

test.each([
  ['NUL', 'no\0mail'],
  ['half a surrogate pair', 'no \ud83d mail'],
  ['a surrogate pair at the truncation limit', `${'x'.repeat(999)}\u{1f4a5}`],
])('error messages contain nothing that Postgres rejects: %s', (_, response) => {
  const { message, rawError } = toMailError(
    failure({ responseCode: 554, response, code: 'EENVELOPE' }, response),
    server,
  );
  for (const text of [message, rawError]) {
    expect([text.includes('\0'), text.isWellFormed()]).toEqual([false, true]);
  }
});

describe('a connection error', () => {
  test.each([
    [{ code: 'EDNS' }, 'HOST_NOT_FOUND', false],
    [{ code: 'ENOTFOUND' }, 'HOST_NOT_FOUND', false],
    [{ code: 'ETIMEDOUT' }, 'TIMEOUT', true],
    [{ code: 'ESOCKET', originalCode: 'ETIMEDOUT' }, 'TIMEOUT', true],
    [{ code: 'EABORT' }, 'TIMEOUT', true],
    [{ code: 'ECONNECTION' }, 'SOCKET_CLOSED', false],
    [{ code: 'ESOCKET', originalCode: 'ECONNRESET' }, 'SOCKET_CLOSED', false],
    [{ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }, 'UNKNOWN', true],
    [{ code: 'ESOCKET', originalCode: 'EHOSTUNREACH' }, 'UNKNOWN', true],
    [{ code: 'ESOCKET', originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'UNKNOWN', false],
    [{ code: 'EENVELOPE' }, 'REJECTED', false],
    [{ code: 'EAUTH' }, 'AUTH_FAILED', false],
    [{ code: 'EPRIVATE' }, 'UNKNOWN', false],
    [{}, 'UNKNOWN', false],
  ])('%o is classified as %s', (fields, type, canRetry) => {
    expect(toMailError(failure(fields), server)).toMatchObject({ type, canRetry });
  });

  test('names host and port and keeps the library’s message as rawError', () => {
    const error = toMailError(failure({ code: 'ETIMEDOUT' }, 'Greeting never received'), server);
    expect(error).toBeInstanceOf(MailError);
    expect(error.message).toContain('mail.example.com:2525');
    expect(error.rawError).toBe('Greeting never received');
  });

  test('can be any thrown value', () => {
    expect(toMailError('out of paper', server)).toMatchObject({ type: 'UNKNOWN', rawError: 'out of paper' });
  });
});
