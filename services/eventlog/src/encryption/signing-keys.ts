import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto';
import { createMasterKey, type MasterKey } from './master-key.ts';
import { createRecent } from './recent.ts';

/**
 * A signing key as stored: the private key wrapped by the master key (null once withdrawn), the public key in plain.
 */
export type StoredSigningKey = {
  kid: string;
  projectId: string;
  wrapped: string | null;
  publicJwk: JsonWebKey;
  createdAt: string;
  /** ISO time from which it signs new tokens. */
  signsFrom: string;
};

export type SigningKeyStore = {
  /** All keys of a project, including withdrawn ones, newest first. */
  load(projectId: string): Promise<readonly StoredSigningKey[]>;
  /** The project of a key; null for an unknown key. */
  projectOf(kid: string): Promise<string | null>;
  /**
   * Destroys a private key and, if one is given, adds a replacement in the same step. @returns whether the key was not
   * withdrawn before
   */
  withdraw(kid: string, replacement: StoredSigningKey | null): Promise<boolean>;
  /** Calls back with the project whose keys any process changed, or with `onGap` if changes may have been missed. */
  onChanged(listener: (projectId: string) => void, onGap: () => void): Promise<() => Promise<void>>;
  /** Adds a key. As a project's first key, only if it has none yet. @returns whether it was added */
  add(key: StoredSigningKey, options: { onlyAsFirst: boolean }): Promise<boolean>;
};

export type PublicSigningKey = { kid: string; jwk: JsonWebKey };
export type SigningKeys = {
  /** The key that signs new tokens of the project, created on first use. */
  current(projectId: string): Promise<{ kid: string; privateKey: KeyObject }>;
  /** The public keys that current and upcoming tokens can be signed with, newest first. */
  publicKeys(projectId: string): Promise<readonly PublicSigningKey[]>;
  /** Publishes a new key now and signs with it a minute later. Tokens of older keys stay valid until they expire. */
  rotate(projectId: string): Promise<{ kid: string }>;
  /**
   * Withdraws a key at once: no process accepts its tokens, and it is no longer published. If it was the signing key, a
   * new one signs from now on. @returns its project; null for an unknown key
   */
  withdraw(kid: string): Promise<{ projectId: string; replacedBy: string | null } | null>;
  /** Learns at once of changes by other processes. @returns a function that stops watching */
  watch(): Promise<() => Promise<void>>;
};

/** `privateKey` is null for a withdrawn key. */
type Opened = PublicSigningKey & { privateKey: KeyObject | null; signsFromMs: number };
type Parts = {
  /** 32 bytes of a permanent key, or master keys that can be rotated. */
  masterKey: Buffer | MasterKey;
  store: SigningKeyStore;
  now: () => string;
  newKid?: () => string;
};

/** Other processes learn of a new key within this time. */
const cacheMs = 30_000;
/** Sign with a new key only when all processes have learned of it. */
const announcedMs = 60_000;
/** How long a replaced key stays published: far longer than the longest life of an access token (1 h). */
const retiredMs = 24 * 3_600_000;
const maxCachedProjects = 10_000;
export const signingKeyAssociation = (projectId: string, kid: string) => `signing key ${kid} of ${projectId}`;

/** 12 characters of base64url. Never begins with a dash, which a command line would read as an option. */
export function randomKid(): string {
  const kid = randomBytes(9).toString('base64url');
  return kid.startsWith('-') ? randomKid() : kid;
}

/**
 * ES256 keys (P-256), one current key per project, wrapped by the master key. `newKid` returns 12 characters of
 * base64url.
 */
export function createSigningKeys({ masterKey, store, now, newKid = randomKid }: Parts): SigningKeys {
  const master = Buffer.isBuffer(masterKey) ? createMasterKey(masterKey) : masterKey;
  const cache = createRecent<{ keys: Promise<readonly Opened[]>; freshUntil: number }>(maxCachedProjects);

  async function make(projectId: string, delayMs = announcedMs): Promise<StoredSigningKey> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kid = newKid();
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    return {
      kid,
      projectId,
      wrapped: await master.wrap(der, signingKeyAssociation(projectId, kid)),
      publicJwk: { kty, crv, alg: 'ES256', kid, x, y },
      createdAt: now(),
      signsFrom: new Date(Date.parse(now()) + delayMs).toISOString(),
    };
  }

  async function unwrap({ kid, projectId, wrapped, publicJwk, signsFrom }: StoredSigningKey): Promise<Opened> {
    const opened = { kid, jwk: publicJwk, signsFromMs: Date.parse(signsFrom) };
    if (wrapped === null) return { ...opened, privateKey: null };
    const der = await master.unwrap(wrapped, signingKeyAssociation(projectId, kid));
    return { ...opened, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
  }

  async function load(projectId: string): Promise<readonly Opened[]> {
    const stored = await store.load(projectId);
    if (stored.length > 0) return Promise.all(stored.map(unwrap));
    await store.add(await make(projectId), { onlyAsFirst: true });
    return Promise.all((await store.load(projectId)).map(unwrap));
  }

  function keysOf(projectId: string): Promise<readonly Opened[]> {
    const cached = cache.get(projectId);
    if (cached && cached.freshUntil > performance.now()) return cached.keys;
    const keys = load(projectId);
    cache.set(projectId, { keys, freshUntil: performance.now() + cacheMs });
    keys.catch(() => cache.delete(projectId));
    return keys;
  }

  async function current(projectId: string): Promise<{ kid: string; privateKey: KeyObject }> {
    const nowMs = Date.parse(now());
    const keys = (await keysOf(projectId)).flatMap(({ kid, privateKey, signsFromMs }) =>
      privateKey ? [{ kid, privateKey, signsFromMs }] : [],
    );
    const signing = keys.find(({ signsFromMs }) => signsFromMs <= nowMs) ?? keys.at(-1);
    if (!signing) throw new Error(`project ${projectId} has no signing key`);
    return signing;
  }

  return {
    current,
    publicKeys: async (projectId) => {
      const keys = await keysOf(projectId);
      const nowMs = Date.parse(now());
      const replacedAt = (index: number) => keys[index - 1]?.signsFromMs ?? nowMs;
      return keys.flatMap(({ kid, jwk, privateKey }, index) =>
        privateKey && replacedAt(index) + retiredMs > nowMs ? [{ kid, jwk }] : [],
      );
    },
    rotate: async (projectId) => {
      // Without another signing key for the next minute, no process would know the new one yet.
      await keysOf(projectId);
      const key = await make(projectId);
      await store.add(key, { onlyAsFirst: false });
      cache.delete(projectId);
      return { kid: key.kid };
    },
    withdraw: async (kid) => {
      const projectId = await store.projectOf(kid);
      if (projectId === null) return null;
      cache.delete(projectId);
      const isSigning = (await current(projectId)).kid === kid;
      const replacement = isSigning ? await make(projectId, 0) : null;
      const isDone = await store.withdraw(kid, replacement);
      cache.delete(projectId);
      return { projectId, replacedBy: isDone && replacement ? replacement.kid : null };
    },
    watch: () => store.onChanged(cache.delete, cache.clear),
  };
}
