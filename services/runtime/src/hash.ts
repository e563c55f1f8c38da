import { createHash } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes, base64url. For random secrets of 128 bits and more, which need no salt. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
