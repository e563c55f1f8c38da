import { randomBytes, randomUUID } from 'node:crypto';

const crockfordBase32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** A random id: UUID version 4, lower case. */
export function newId(): string {
  return randomUUID();
}

/** An event's id: UUID version 7 (RFC 9562 §5.7), so that ids of one process sort by time and index well. */
export function newEventId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** `length` characters of lower-case Crockford base32, 5 random bits each. */
export function randomBase32(length: number): string {
  return Array.from(randomBytes(length), (byte) => crockfordBase32[byte & 31]).join('');
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
