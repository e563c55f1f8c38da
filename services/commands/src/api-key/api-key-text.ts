import { crc32 } from 'node:zlib';
import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';

/** Lets secret scanners find Gatebook keys and tells them from other keys of this form. */
const marker = 'g4t3b00kx';
/** Bit 0: issued by a self-hosted server; bit 1: public. */
const flags = { secret: '1', public: '3' } as const;

type Parts = { secret: string; keyId: string; ownerType: ApiKeyOwnerType; isPublic: boolean };

/**
 * Builds the 102 characters of a key (protocol, resources §7.4). `secret`: 45 characters of base32. With the checksum,
 * a scanner can recognize a key without asking a server.
 */
export function buildApiKeyText({ secret, keyId, ownerType, isPublic }: Parts): string {
  const prefix = isPublic ? 'pk' : 'sk';
  const body = `${prefix}_${secret}${keyId.replaceAll('-', '')}${ownerType}${isPublic ? flags.public : flags.secret}${marker}`;
  return body + crc32(body).toString(16).padStart(8, '0');
}
