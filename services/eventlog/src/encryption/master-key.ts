import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { encrypt, open } from './cipher.ts';

/** Every master key (32 bytes each) that this process knows, read again at each call. Only the first one wraps. */
export type MasterKeySource = () => Promise<readonly Buffer[]>;

export type MasterKey = {
  /** @returns `<master key ID>.<encrypted key>` */
  wrap(key: Buffer, associated: string): Promise<string>;
  /** @throws UnknownMasterKeyError; Error if the wrapped key was tampered with */
  unwrap(wrapped: string, associated: string): Promise<Buffer>;
};

export class UnknownMasterKeyError extends Error {
  constructor() {
    super('a stored key is wrapped by another master key: neither GATEBOOK_MASTER_KEY nor a former key can unwrap it');
    this.name = 'UnknownMasterKeyError';
  }
}

/** Identifies a master key without revealing it. Every key that it wrapped begins with this ID and a dot. */
export const masterKeyId = (masterKey: Buffer): string => derive(masterKey, 'id', 6).toString('base64url');

/** @returns the ID of the master key that wrapped this key */
export const wrapperOf = (wrapped: string): string => wrapped.slice(0, wrapped.indexOf('.'));

/**
 * Wraps keys under a key derived from a master key (HKDF, RFC 5869). Each wrapped key names its master key, so that
 * keys wrapped by former ones can be unwrapped until they are wrapped again. An unknown name makes it read the source
 * again, because the master key may have been rotated. `wrappingId` says which master key wraps.
 */
export function createMasterKeys(source: MasterKeySource, wrappingId: () => Promise<string>): MasterKey {
  const known = new Map<string, KeyObject>();

  async function keyOf(id: string): Promise<KeyObject> {
    if (!known.has(id))
      for (const masterKey of await source()) known.set(masterKeyId(masterKey), wrappingKey(masterKey));
    const key = known.get(id);
    if (!key) throw new UnknownMasterKeyError();
    return key;
  }

  return {
    wrap: async (key, associated) => {
      const id = await wrappingId();
      return `${id}.${encrypt(await keyOf(id), key, associated)}`;
    },
    unwrap: async (wrapped, associated) => {
      const id = wrapperOf(wrapped);
      return open(await keyOf(id), wrapped.slice(id.length + 1), associated);
    },
  };
}

/** A permanent master key, for tests and tools. */
export function createMasterKey(current: Buffer, former: readonly Buffer[] = []): MasterKey {
  const id = masterKeyId(checked(current));
  return createMasterKeys(
    async () => [current, ...former],
    async () => id,
  );
}

const wrappingKey = (masterKey: Buffer) => createSecretKey(derive(checked(masterKey), 'wrapping', 32));

function checked(masterKey: Buffer): Buffer {
  if (masterKey.length !== 32) throw new Error(`the master key has ${masterKey.length} bytes instead of 32`);
  return masterKey;
}

function derive(masterKey: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `gatebook master key ${purpose} v1`, bytes));
}
