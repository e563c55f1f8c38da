import { expect, test } from 'vitest';
import { digitsOf, newSecret, otpauthUri, toBase32 } from './totp.ts';

const ascii = (text: string) => new TextEncoder().encode(text);

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
])('the code at %d s matches RFC 6238, appendix B', async (seconds, digits) => {
  expect(await digitsOf(ascii('12345678901234567890'), seconds * 1000)).toBe(digits);
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foobar', 'MZXW6YTBOI'],
])('%j is encoded as in RFC 4648 §10', (text, written) => {
  expect(toBase32(ascii(text))).toBe(written);
});

test('the otpauth URI names the product and the account', () => {
  const secret = ascii('12345678901234567890');
  const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  expect(otpauthUri(secret, 'Acme & Shop', 'ann+1@example.com')).toBe(
    `otpauth://totp/Acme%20%26%20Shop:ann%2B1%40example.com?secret=${base32}&issuer=Acme%20%26%20Shop&algorithm=SHA1&digits=6&period=30`,
  );
});

test('secrets are random', () => {
  const secrets = Array.from({ length: 5 }, newSecret);
  expect(new Set(secrets.map(toBase32)).size).toBe(5);
  expect(secrets.every((secret) => secret.length === 20)).toBe(true);
});
