import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Digits of Crockford base32 in lower case. */
export const crockfordBase32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** A random ID: UUID version 4, lower case. */
export function newId(): string {
  return randomUUID();
}

/** An event ID: UUID version 7 (RFC 9562 §5.7), which sorts by time and indexes well. */
export function newEventId(): string {
  const bytes = Buffer.from(takeRandomBytes(16));
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return formatted(bytes.toString('hex'));
}

/** Derives an ID from a name and a namespace: UUID version 5 (RFC 9562 §5.5). */
export function derivedId(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  bytes.writeUInt8(0x50 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return formatted(bytes.toString('hex'));
}

const formatted = (hex: string) =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;

let reserve = Buffer.alloc(0);

/**
 * Random bytes are drawn in blocks, because a call of the system's generator costs the same for few bytes as for many.
 */
function takeRandomBytes(length: number): Buffer {
  if (reserve.length < length) reserve = randomBytes(Math.max(length, 4096));
  const taken = reserve.subarray(0, length);
  reserve = reserve.subarray(length);
  return taken;
}

/** `length` characters of lower-case Crockford base32, 5 random bits each. */
export function randomBase32(length: number): string {
  let text = '';
  for (const byte of takeRandomBytes(length)) text += crockfordBase32[byte & 31];
  return text;
}

/** A code, refresh token or nonce: 45 characters, 225 random bits (protocol, conventions §5). */
export function randomCode(): string {
  return randomBase32(45);
}

export type ProjectKeyPrefix = 'pck' | 'ssk' | 'sak';

/** The text of a project key (protocol, projects §6). */
export function projectKeyText(prefix: ProjectKeyPrefix): string {
  return `${prefix}_${randomCode()}`;
}

/** A secret that signs webhooks (Standard Webhooks 1.0.0): 32 random bytes. */
export function webhookSecret(): string {
  return `whsec_${takeRandomBytes(32).toString('base64')}`;
}
