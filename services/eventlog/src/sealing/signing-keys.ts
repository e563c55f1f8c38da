import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { open, seal } from './seal.ts';

/** A signing key as it is stored: the private key wrapped by the master key, the public one plain. */
export type StoredSigningKey = {
  kid: string;
  projectId: string;
  wrapped: string;
  publicJwk: JsonWebKey;
  createdAt: string;
};

export type SigningKeyStore = {
  /** All keys of a project that may still have signed a live token, newest first. */
  load(projectId: string): Promise<readonly StoredSigningKey[]>;
  /** Adds a key; as the project's first one only if it has none yet. @returns whether it was added */
  add(key: StoredSigningKey, options: { onlyAsFirst: boolean }): Promise<boolean>;
};

export type PublicSigningKey = { kid: string; jwk: JsonWebKey };
export type SigningKeys = {
  /** The key that signs new tokens of the project; made when first asked for. */
  current(projectId: string): Promise<{ kid: string; privateKey: KeyObject }>;
  /** Keys that tokens may have been signed with, newest first. */
  publicKeys(projectId: string): Promise<readonly PublicSigningKey[]>;
  /** New tokens are signed by a new key from now on; tokens of the old ones stay good until they expire. */
  rotate(projectId: string): Promise<void>;
};

type Opened = PublicSigningKey & { privateKey: KeyObject };
type Parts = { masterKey: Buffer; store: SigningKeyStore; now: () => string; newKid: () => string };

/** Other processes notice a rotation after this long; it is far below the life of the retired keys. */
const cacheMs = 30_000;
const associatedWith = (projectId: string, kid: string) => `signing key ${kid} of ${projectId}`;

/** ES256 keys (P-256), one current key per project, wrapped by the master key (32 bytes). */
export function createSigningKeys({ masterKey, store, now, newKid }: Parts): SigningKeys {
  const cache = new Map<string, { keys: Promise<readonly Opened[]>; freshUntil: number }>();

  function make(projectId: string): StoredSigningKey {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kid = newKid();
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    return {
      kid,
      projectId,
      wrapped: seal(masterKey, der, associatedWith(projectId, kid)),
      publicJwk: { kty, crv, alg: 'ES256', kid, x, y },
      createdAt: now(),
    };
  }

  function unwrap({ kid, projectId, wrapped, publicJwk }: StoredSigningKey): Opened {
    const der = open(masterKey, wrapped, associatedWith(projectId, kid));
    return { kid, jwk: publicJwk, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
  }

  async function load(projectId: string): Promise<readonly Opened[]> {
    const stored = await store.load(projectId);
    if (stored.length > 0) return stored.map(unwrap);
    await store.add(make(projectId), { onlyAsFirst: true });
    return (await store.load(projectId)).map(unwrap);
  }

  function keysOf(projectId: string): Promise<readonly Opened[]> {
    const cached = cache.get(projectId);
    if (cached && cached.freshUntil > performance.now()) return cached.keys;
    const keys = load(projectId);
    cache.set(projectId, { keys, freshUntil: performance.now() + cacheMs });
    keys.catch(() => cache.delete(projectId));
    return keys;
  }

  return {
    current: async (projectId) => {
      const [newest] = await keysOf(projectId);
      if (!newest) throw new Error(`project ${projectId} has no signing key`);
      return newest;
    },
    publicKeys: keysOf,
    rotate: async (projectId) => {
      await store.add(make(projectId), { onlyAsFirst: false });
      cache.delete(projectId);
    },
  };
}
