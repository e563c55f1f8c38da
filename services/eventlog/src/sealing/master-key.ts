import { createSecretKey, hkdfSync } from 'node:crypto';
import { open, seal } from './seal.ts';

export type MasterKey = {
  /** @returns `<id of the current master key>.<sealed>` */
  wrap(key: Buffer, associated: string): string;
  /** @throws Error when the key was wrapped by a master key that is not known here, or was tampered with */
  unwrap(wrapped: string, associated: string): Buffer;
};

/**
 * Wraps keys under a key derived from the master key (32 bytes; HKDF, RFC 5869). Each wrapped key names its master key, so
 * that keys wrapped by `former` ones open until they have been wrapped anew.
 */
export function createMasterKey(current: Buffer, former: readonly Buffer[] = []): MasterKey {
  const [newest, ...older] = [current, ...former].map((masterKey) => {
    if (masterKey.length !== 32) throw new Error(`the master key has ${masterKey.length} bytes instead of 32`);
    return {
      id: derive(masterKey, 'id', 6).toString('base64url'),
      key: createSecretKey(derive(masterKey, 'wrapping', 32)),
    };
  });
  if (!newest) throw new Error('there is no master key');
  const keys = new Map([newest, ...older].map(({ id, key }) => [id, key]));
  return {
    wrap: (key, associated) => `${newest.id}.${seal(newest.key, key, associated)}`,
    unwrap: (wrapped, associated) => {
      const dot = wrapped.indexOf('.');
      const key = keys.get(wrapped.slice(0, dot));
      if (!key)
        throw new Error(
          'a stored key is wrapped by another master key: GATEBOOK_MASTER_KEY is not the one used before',
        );
      return open(key, wrapped.slice(dot + 1), associated);
    },
  };
}

function derive(masterKey: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `gatebook master key ${purpose} v1`, bytes));
}
