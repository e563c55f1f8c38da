import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const version = 'v1';
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a random 96-bit nonce. `key` has 32 bytes; `associated` is authenticated, not stored: opening needs the
 * same text. @returns `v1.<base64url of nonce, ciphertext, tag>`
 */
export function seal(key: Buffer, plain: Buffer, associated: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(associated));
  const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `${version}.${sealed.toString('base64url')}`;
}

/** @throws Error when key, text or associated data are not those of the sealing, or the version is unknown */
export function open(key: Buffer, sealed: string, associated: string): Buffer {
  if (!sealed.startsWith(`${version}.`)) throw new Error('sealed text of an unknown version');
  const bytes = Buffer.from(sealed.slice(version.length + 1), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]);
}
