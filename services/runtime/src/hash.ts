import { hash } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes, base64url. For random secrets of 128 bits and more, which need no salt. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}
