import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto';
import { createMasterKey } from './master-key.ts';
import { createRecent } from './recent.ts';

/** A signing key as it is stored: the private key wrapped by the master key, the public one plain. */
export type StoredSigningKey = {
  kid: string;
  projectId: string;
  wrapped: string;
  publicJwk: JsonWebKey;
  createdAt: string;
};

export type SigningKeyStore = {
  /** All keys of a project, the one added last first. */
  load(projectId: string): Promise<readonly StoredSigningKey[]>;
  /** Adds a key; as the project's first one only if it has none yet. @returns whether it was added */
  add(key: StoredSigningKey, options: { onlyAsFirst: boolean }): Promise<boolean>;
};

export type PublicSigningKey = { kid: string; jwk: JsonWebKey };
export type SigningKeys = {
  /** The key that signs new tokens of the project; made when first asked for. */
  current(projectId: string): Promise<{ kid: string; privateKey: KeyObject }>;
  /** Keys that live tokens may have been signed with, or will be, newest first. */
  publicKeys(projectId: string): Promise<readonly PublicSigningKey[]>;
  /** Publishes a new key now and signs with it a minute later; tokens of the old ones stay good until they expire. */
  rotate(projectId: string): Promise<void>;
};

type Opened = PublicSigningKey & { privateKey: KeyObject; createdAtMs: number };
type Parts = {
  masterKey: Buffer;
  formerMasterKeys?: readonly Buffer[];
  store: SigningKeyStore;
  now: () => string;
  newKid?: () => string;
};

/** Other processes learn of a new key after this long, */
const cacheMs = 30_000;
/** and sign with it only when all of them can have learned of it. */
const announcedMs = 60_000;
/** A replaced key is published this long, far beyond the longest life of an access token (1 h). */
const retiredMs = 24 * 3_600_000;
const maxCachedProjects = 10_000;
const associatedWith = (projectId: string, kid: string) => `signing key ${kid} of ${projectId}`;
const randomKid = () => randomBytes(9).toString('base64url');

/** ES256 keys (P-256), one current key per project, wrapped by the master key (32 bytes). `newKid`: 12 characters of base64url. */
export function createSigningKeys({ masterKey, formerMasterKeys, store, now, newKid = randomKid }: Parts): SigningKeys {
  const master = createMasterKey(masterKey, formerMasterKeys);
  const cache = createRecent<{ keys: Promise<readonly Opened[]>; freshUntil: number }>(maxCachedProjects);

  function make(projectId: string): StoredSigningKey {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kid = newKid();
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    return {
      kid,
      projectId,
      wrapped: master.wrap(der, associatedWith(projectId, kid)),
      publicJwk: { kty, crv, alg: 'ES256', kid, x, y },
      createdAt: now(),
    };
  }

  function unwrap({ kid, projectId, wrapped, publicJwk, createdAt }: StoredSigningKey): Opened {
    const der = master.unwrap(wrapped, associatedWith(projectId, kid));
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    return { kid, jwk: publicJwk, privateKey, createdAtMs: Date.parse(createdAt) };
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
      const keys = await keysOf(projectId);
      const announced = Date.parse(now()) - announcedMs;
      const current = keys.find(({ createdAtMs }) => createdAtMs <= announced) ?? keys.at(-1);
      if (!current) throw new Error(`project ${projectId} has no signing key`);
      return current;
    },
    publicKeys: async (projectId) => {
      const keys = await keysOf(projectId);
      const nowMs = Date.parse(now());
      const replacedAt = (index: number) => (keys[index - 1]?.createdAtMs ?? nowMs) + announcedMs;
      return keys.filter((_, index) => replacedAt(index) + retiredMs > nowMs).map(({ kid, jwk }) => ({ kid, jwk }));
    },
    rotate: async (projectId) => {
      // Without a key to go on signing for the next minute, the new one would be known to nobody.
      await keysOf(projectId);
      await store.add(make(projectId), { onlyAsFirst: false });
      cache.delete(projectId);
    },
  };
}
