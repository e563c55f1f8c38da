import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalEmail } from './email.ts';

test('case and compatibility forms do not make another address', () => {
  expect(canonicalEmail('Ann@Example.COM')).toBe('ann@example.com');
  expect(canonicalEmail('ａｎｎ@example.com')).toBe('ann@example.com');
  expect(canonicalEmail('STRASSE@example.com')).toBe('strasse@example.com');
});

test('a small sigma is one letter, wherever it stands', () => {
  expect(canonicalEmail('ΟΔΟΣ@example.com')).toBe(canonicalEmail('οδοσ@example.com'));
  expect(canonicalEmail('οδος@example.com')).toBe(canonicalEmail('οδοσ@example.com'));
});

test('look-alikes of another script stay other addresses', () => {
  expect(canonicalEmail('аnn@example.com')).not.toBe(canonicalEmail('ann@example.com'));
});

test('the rule is stable: applying it twice changes nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' })), (email) => {
      expect(canonicalEmail(canonicalEmail(email))).toBe(canonicalEmail(email));
    }),
  );
});
