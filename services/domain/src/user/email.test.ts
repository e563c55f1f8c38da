import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalEmail } from './email.ts';

test('addresses that differ in case or compatibility forms are equal', () => {
  expect(canonicalEmail('Ann@Example.COM')).toBe('ann@example.com');
  expect(canonicalEmail('ａｎｎ@example.com')).toBe('ann@example.com');
  expect(canonicalEmail('STRASSE@example.com')).toBe('strasse@example.com');
});

test('both lowercase sigmas are equal in an address', () => {
  expect(canonicalEmail('ΟΔΟΣ@example.com')).toBe(canonicalEmail('οδοσ@example.com'));
  expect(canonicalEmail('οδος@example.com')).toBe(canonicalEmail('οδοσ@example.com'));
});

test('addresses with look-alike letters of another script differ', () => {
  expect(canonicalEmail('аnn@example.com')).not.toBe(canonicalEmail('ann@example.com'));
});

test('canonicalizing an address twice changes nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' })), (email) => {
      expect(canonicalEmail(canonicalEmail(email))).toBe(canonicalEmail(email));
    }),
  );
});
