import { describe, expect, test } from 'vitest';
import { verifyTotp } from './totp.ts';

/** RFC 6238, appendix B: the last six of the eight digits there. */
const secret = Buffer.from('12345678901234567890').toString('base64');
const at = (seconds: number) => new Date(seconds * 1000).toISOString();

describe('a code of the second factor', () => {
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
  ])('at %i s is %s', (seconds, code) => expect(verifyTotp(secret, code, at(seconds))).toBe(Math.floor(seconds / 30)));

  test('is good one step before and after its own, and tells which step it was', () => {
    const step = Math.floor(1111111109 / 30);
    for (const seconds of [step * 30 - 30, step * 30 - 1, step * 30 + 30, step * 30 + 59]) {
      expect(verifyTotp(secret, '081804', at(seconds))).toBe(step);
    }
    for (const seconds of [step * 30 - 31, step * 30 + 60])
      expect(verifyTotp(secret, '081804', at(seconds))).toBeNull();
  });

  test('is six digits and nothing else', () => {
    for (const text of ['', '08180', '0818040', ' 081804', '08 1804', '+81804', '081804\n', '٠٨١٨٠٤', 'abcdef']) {
      expect(verifyTotp(secret, text, at(1111111109))).toBeNull();
    }
  });

  test('of a secret of any length is judged', () => {
    for (const length of [1, 10, 20, 64, 128]) {
      expect(verifyTotp(Buffer.alloc(length, 7).toString('base64'), '000000', at(0))).toSatisfy(
        (step: unknown) => step === null || typeof step === 'number',
      );
    }
    expect(verifyTotp('', '000000', at(0))).toBeNull();
  });
});
