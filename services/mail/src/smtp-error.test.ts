import { describe, expect, test } from 'vitest';
import { MailError, toMailError } from './smtp-error.ts';

const server = { host: 'mail.example.com', port: 2525 };
const fault = (fields: object, message = 'it failed') => Object.assign(new Error(message), fields);

describe('what a server says', () => {
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
  ])('%i (%s) is %s', (responseCode, code, type, canRetry) => {
    // Words that stand for other errors must not change the verdict.
    const response = `${responseCode} connection closed, timeout, ENOTFOUND`;
    expect(toMailError(fault({ responseCode, code, response }), server)).toMatchObject({ type, canRetry });
  });

  test.each([450, 553, 554])('%i is quoted, on one line and shortened', (responseCode) => {
    const response = `${responseCode} no\r\nmore\u0007 ${'x'.repeat(5_000)}`;
    const { message } = toMailError(fault({ responseCode, response, code: 'EENVELOPE' }), server);
    expect(message).toContain(`It said: ${responseCode} no more xxx`);
    expect(message.length).toBeLessThan(1_200);
  });
});

test.each([
  ['NUL', 'no\0mail'],
  ['half a pair', 'no \ud83d mail'],
  ['a pair where it is shortened', `${'x'.repeat(999)}\u{1f4a5}`],
])('nothing that a database rejects is passed on: %s', (_, response) => {
  const { message, rawError } = toMailError(
    fault({ responseCode: 554, response, code: 'EENVELOPE' }, response),
    server,
  );
  for (const text of [message, rawError]) {
    expect([text.includes('\0'), text.isWellFormed()]).toEqual([false, true]);
  }
});

describe('what became of a connection', () => {
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
  ])('%o is %s', (fields, type, canRetry) => {
    expect(toMailError(fault(fields), server)).toMatchObject({ type, canRetry });
  });

  test('is told with host and port, and keeps the words of the library apart', () => {
    const error = toMailError(fault({ code: 'ETIMEDOUT' }, 'Greeting never received'), server);
    expect(error).toBeInstanceOf(MailError);
    expect(error.message).toContain('mail.example.com:2525');
    expect(error.rawError).toBe('Greeting never received');
  });

  test('is told even of what is no error', () => {
    expect(toMailError('out of paper', server)).toMatchObject({ type: 'UNKNOWN', rawError: 'out of paper' });
  });
});
