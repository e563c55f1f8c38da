import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

export type LookupHash = (kind: string, projectId: string, value: string) => string;

/**
 * A keyed hash that finds a value but does not reveal it: HMAC-SHA-256 with its own key, derived from the installation
 * key (32 bytes) by HKDF (RFC 5869), so a master key rotation does not change it. @returns 43 characters of base64url,
 * fit for stream names
 */
export function createLookupHash(installationKey: Buffer): LookupHash {
  const derived = hkdfSync('sha256', installationKey, Buffer.alloc(0), 'gatebook lookup hash v1', 32);
  // With the bytes of the key, each hash would take six times as long.
  const key = createSecretKey(Buffer.from(derived));
  return (kind, projectId, value) =>
    createHmac('sha256', key)
      .update(JSON.stringify([kind, projectId, value]))
      .digest('base64url');
}
