import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto';
import { createMasterKey, type MasterKey } from './master-key.ts';
import { createRecent } from './recent.ts';

/** A signing key as it is stored: the private key wrapped by the master key (null once withdrawn), the public one plain. */
export type StoredSigningKey = {
  kid: string;
  projectId: string;
  wrapped: string | null;
  publicJwk: JsonWebKey;
  createdAt: string;
  /** ISO time; from then on it signs new tokens. */
  signsFrom: string;
};

export type SigningKeyStore = {
  /** All keys of a project, withdrawn ones too, the one added last first. */
  load(projectId: string): Promise<readonly StoredSigningKey[]>;
  /** The project of a key; null for an unknown one. */
  projectOf(kid: string): Promise<string | null>;
  /** Destroys a private key and adds one in its place, if one is given, in one step. @returns whether it was not withdrawn before */
  withdraw(kid: string, replacement: StoredSigningKey | null): Promise<boolean>;
  /** Calls back with the project whose keys any process changed, or with `onGap` when some may have been missed. */
  onChanged(listener: (projectId: string) => void, onGap: () => void): Promise<() => Promise<void>>;
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
  rotate(projectId: string): Promise<{ kid: string }>;
  /**
   * Ends a key at once: no process believes its tokens any more, and it is not published. If it signed, a new one signs from now on.
   * @returns its project, null for an unknown key
   */
  withdraw(kid: string): Promise<{ projectId: string; replacedBy: string | null } | null>;
  /** Learns at once of what other processes change. @returns a function that ends the watch */
  watch(): Promise<() => Promise<void>>;
};

/** `privateKey` is null for a withdrawn key. */
type Opened = PublicSigningKey & { privateKey: KeyObject | null; signsFromMs: number };
type Parts = {
  /** 32 bytes of one that stays the same, or master keys that can be replaced. */
  masterKey: Buffer | MasterKey;
  store: SigningKeyStore;
  now: () => string;
  newKid?: () => string;
};

/** Other processes learn of a new key after this long at the latest, */
const cacheMs = 30_000;
/** and sign with it only when all of them can have learned of it. */
const announcedMs = 60_000;
/** A replaced key is published this long, far beyond the longest life of an access token (1 h). */
const retiredMs = 24 * 3_600_000;
const maxCachedProjects = 10_000;
export const signingKeyAssociation = (projectId: string, kid: string) => `signing key ${kid} of ${projectId}`;

/** 12 characters of base64url. Never begins with a dash, which a command line would read as an option. */
export function randomKid(): string {
  const kid = randomBytes(9).toString('base64url');
  return kid.startsWith('-') ? randomKid() : kid;
}

/** ES256 keys (P-256), one current key per project, wrapped by the master key. `newKid`: 12 characters of base64url. */
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
      // Without a key to go on signing for the next minute, the new one would be known to nobody.
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
