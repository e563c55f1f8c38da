import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';

const version = 'v1';
const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random 96-bit nonce. `key` is 32 bytes, as a KeyObject because creating a cipher from bytes takes
 * four times as long. `associated` is authenticated but not stored; decryption needs the same text. @returns
 * `v1.<base64url of nonce, ciphertext, tag>`
 */
export function encrypt(key: KeyObject, plain: Buffer, associated: string): string {
  return `${version}.${encryptBytes(key, plain, associated).toString('base64url')}`;
}

/** @throws Error if key, text or associated data differ from those of the encryption, or the version is unknown */
export function open(key: KeyObject, encrypted: string, associated: string): Buffer {
  if (!encrypted.startsWith(`${version}.`)) throw new Error('the encrypted text has an unknown version');
  return decryptBytes(key, Buffer.from(encrypted.slice(version.length + 1), 'base64url'), associated);
}

/** Like `encrypt`, for binary columns. @returns nonce, ciphertext, tag */
export function encryptBytes(key: KeyObject, plain: Buffer, associated: string): Buffer {
  const iv = nextIv();
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(associated));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if key, bytes or associated data differ from those of the encryption */
export function decryptBytes(key: KeyObject, bytes: Buffer, associated: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const plain = decipher.update(bytes.subarray(ivBytes, -tagBytes));
  // Checks the tag. This is a stream cipher, so no output remains.
  decipher.final();
  return plain;
}

/** Drawing random bytes by the page is cheaper. Each part of a page is used once. */
const page = Buffer.alloc(ivBytes * 256);
let used = page.length;

function nextIv(): Buffer {
  if (used === page.length) {
    randomFillSync(page);
    used = 0;
  }
  used += ivBytes;
  return page.subarray(used - ivBytes, used);
}
