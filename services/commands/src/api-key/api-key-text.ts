import { crc32 } from 'node:zlib';
import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';

/** What secret scanners look for; also tells a Gatebook key from others of this form. */
const marker = 'g4t3b00kx';
/** Bit 0: issued by a self-hosted server; bit 1: public. */
const flags = { secret: '1', public: '3' } as const;

type Parts = { secret: string; keyId: string; ownerType: ApiKeyOwnerType; isPublic: boolean };

/**
 * The 102 characters of a key (protocol, resources §7.4). `secret`: 45 characters of base32. The checksum lets a scanner tell a
 * key from a look-alike without asking anybody.
 */
export function apiKeyText({ secret, keyId, ownerType, isPublic }: Parts): string {
  const prefix = isPublic ? 'pk' : 'sk';
  const body = `${prefix}_${secret}${keyId.replaceAll('-', '')}${ownerType}${isPublic ? flags.public : flags.secret}${marker}`;
  return body + crc32(body).toString(16).padStart(8, '0');
}
