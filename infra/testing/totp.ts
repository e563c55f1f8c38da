import { createHmac } from 'node:crypto';

/** The current code of an authenticator app: 6 digits, RFC 6238 with SHA-1 and steps of 30 s. */
export function totpOf(secret: Uint8Array, at = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}
