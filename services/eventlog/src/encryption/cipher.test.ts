import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encrypt, open } from './cipher.ts';

const key = createSecretKey(randomBytes(32));

test('encrypted bytes decrypt to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.string(), (plain, associated) => {
      expect(open(key, encrypt(key, Buffer.from(plain), associated), associated)).toEqual(Buffer.from(plain));
    }),
  );
});

test('decryption rejects a changed byte, another key, other associated data and an unknown version', () => {
  const encrypted = encrypt(key, Buffer.from('ann@example.com'), 'user-1');
  const bytes = Buffer.from(encrypted.slice('v1.'.length), 'base64url');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (index, mask) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ mask, index);
      expect(() => open(key, `v1.${changed.toString('base64url')}`, 'user-1')).toThrow();
    }),
  );
  expect(() => open(createSecretKey(randomBytes(32)), encrypted, 'user-1')).toThrow();
  expect(() => open(key, encrypted, 'user-2')).toThrow();
  expect(() => open(key, encrypted.replace('v1.', 'v2.'), 'user-1')).toThrow('unknown version');
});

test('no nonce is used twice', () => {
  const nonces = Array.from({ length: 2_000 }, () =>
    encrypt(key, Buffer.from('x'), '').slice('v1.'.length, 'v1.'.length + 16),
  );
  expect(new Set(nonces).size).toBe(2_000);
});
