import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createMemorySigningKeyStore } from '@gatebook/eventlog/encryption/memory-signing-key-store';
import { createSigningKeys, type StoredSigningKey } from '@gatebook/eventlog/encryption/signing-keys';
import { createFixedClock } from '@gatebook/runtime/testing/fixed';
import { exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { type AccessTokens, createAccessTokens, type TokenFacts } from './tokens.ts';

const publicUrl = 'https://auth.example.com';
const facts: TokenFacts = {
  projectId: 'p1',
  userId: '00000000-0000-4000-8000-000000000001',
  session: {
    id: '00000000-0000-4000-8000-000000000002',
    authenticatedAt: Date.parse('2026-01-15T11:00:00.000Z'),
    impersonation: null,
    endsAt: null,
  },
  displayName: 'Ann',
  email: 'ann@example.com',
  isEmailVerified: true,
  isAnonymous: false,
  restriction: null,
  requiresTotpMfa: false,
  selectedTeamId: null,
  signedUpAtMillis: 1_700_000_000_500,
  lifeSeconds: null,
};

let clock: ReturnType<typeof createFixedClock>;
let stored: StoredSigningKey[];
let tokens: AccessTokens;
let signingKeys: ReturnType<typeof createSigningKeys>;

beforeEach(() => {
  clock = createFixedClock();
  stored = [];
  let made = 0;
  signingKeys = createSigningKeys({
    masterKey: randomBytes(32),
    now: clock,
    newKid: () => {
      made += 1;
      return `kid-${made}`;
    },
    store: {
      ...createMemorySigningKeyStore(),
      load: async (projectId) => stored.filter((key) => key.projectId === projectId).reverse(),
      add: async (key, { onlyAsFirst }) => {
        if (onlyAsFirst && stored.some(({ projectId }) => projectId === key.projectId)) return false;
        stored.push(key);
        return true;
      },
    },
  });
  tokens = createAccessTokens({
    signingKeys,
    publicUrl,
    lifeSeconds: 600,
    now: clock,
    projectExists: async (projectId) => projectId === 'p1' || projectId === 'p2',
  });
});

const issue = async (changes: Partial<TokenFacts> = {}) => (await tokens.issue({ ...facts, ...changes })).token;
const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const unparsable = { outcome: 'unparsable' };
const now = () => Math.floor(Date.parse(clock()) / 1000);

/** A token by the project's own key, with claims of the attacker's choice. */
async function forge(claims: JWTPayload = {}, header: Record<string, unknown> = {}): Promise<string> {
  const { kid, privateKey } = await signingKeys.current('p1');
  const good = {
    iss: `${publicUrl}/api/v1/projects/p1`,
    aud: 'p1',
    sub: facts.userId,
    refreshTokenId: facts.session.id,
    iat: now(),
    exp: now() + 600,
  };
  return new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(privateKey);
}

test('verification accepts an issued token repeatedly and returns its user', async () => {
  const token = await issue();
  const expected = {
    outcome: 'valid',
    projectId: 'p1',
    userId: facts.userId,
    sessionId: facts.session.id,
    expiresAtMillis: (now() + 600) * 1000,
  };
  expect(await tokens.verify(token)).toMatchObject(expected);
  expect(await tokens.verify(token)).toMatchObject(expected);
  expect(await tokens.verify(await forge())).toMatchObject(expected);
});

test('a token expires on the second, even if it was verified before', async () => {
  const token = await issue();
  clock.advance(599_999);
  expect(await tokens.verify(token)).toMatchObject({ outcome: 'valid' });
  clock.advance(1);
  const expected = { outcome: 'expired', expiredAtMillis: now() * 1000 };
  expect(await tokens.verify(token)).toEqual(expected);
  expect(await tokens.verify(token)).toEqual(expected);
});

test('tokens signed with another algorithm are rejected', async () => {
  const claims = JSON.parse(Buffer.from((await forge()).split('.')[1] ?? '', 'base64url').toString());
  expect(await tokens.verify(new UnsecuredJWT(claims).encode())).toEqual(unparsable);
  // The public key, which everybody can read, as the secret of a MAC.
  const [{ kid, jwk } = { kid: '', jwk: {} }] = await signingKeys.publicKeys('p1');
  const publicKey = (await importJWK({ ...jwk, ext: true } as never, 'ES256')) as CryptoKey;
  for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), String(jwk.x)]) {
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(secret));
    expect(await tokens.verify(confused)).toEqual(unparsable);
  }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const asRsa = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(rsa.privateKey);
  expect(await tokens.verify(asRsa)).toEqual(unparsable);
});

test('tokens signed with another key are rejected, whatever keys the header contains', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kid } = await signingKeys.current('p1');
  const claims = JSON.parse(Buffer.from((await forge()).split('.')[1] ?? '', 'base64url').toString());
  const jwk = publicKey.export({ format: 'jwk' }) as { kty: string };
  for (const header of [{ kid }, { kid: 'other' }, {}, { kid, jwk }]) {
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', ...header }).sign(privateKey);
    expect(await tokens.verify(forged)).toEqual(unparsable);
  }
});

test('a signature over other content is rejected', async () => {
  const [header, payload, signature] = (await issue()).split('.');
  const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: facts.session.id })).toString('base64url');
  expect(await tokens.verify(`${header}.${changed}.${signature}`)).toEqual(unparsable);
  expect(await tokens.verify(`${header}.${payload}.`)).toEqual(unparsable);
});

test.each([
  ['another issuer', { iss: 'https://evil.example/api/v1/projects/p1' }],
  ['the issuer of another project', { iss: `${publicUrl}/api/v1/projects/p2` }],
  ['no issuer', { iss: undefined }],
  ['no audience', { aud: undefined }],
  ['several audiences', { aud: ['p1', 'p2'] }],
  ['another project of the same server', { aud: 'p2' }],
  ['an unknown project', { aud: 'p3', iss: `${publicUrl}/api/v1/projects/p3` }],
  ['no subject', { sub: undefined }],
  ['no expiry', { exp: undefined }],
  ['no session', { refreshTokenId: undefined }],
])('a valid signature does not make these claims valid: %s', async (_name, claims) => {
  expect(await tokens.verify(await forge(claims as JWTPayload))).toEqual(unparsable);
});

test('a token of another type is rejected', async () => {
  expect(await tokens.verify(await forge({}, { typ: 'refresh+jwt' }))).toEqual(unparsable);
  expect(await tokens.verify(await forge({}, { typ: 'JWT' }))).toMatchObject({ outcome: 'valid' });
});

test.each(['', 'undefined', 'null', 'a.b.c', '..', 'x'.repeat(10_000)])(
  'malformed tokens are rejected: %.20s',
  async (text) => {
    expect(await tokens.verify(text)).toEqual(unparsable);
  },
);

test('a lookup of unknown projects creates no keys', async () => {
  await tokens.verify(await forge({ aud: 'p3' }));
  expect(stored.map(({ projectId }) => projectId)).toEqual(['p1']);
});

test('each project signs with its own keys', async () => {
  const [one, two] = [await issue(), await issue({ projectId: 'p2' })];
  expect(await tokens.verify(two)).toMatchObject({ outcome: 'valid', projectId: 'p2' });
  expect(kidOf(one)).not.toBe(kidOf(two));
});

test('a new key signs once all processes know it; tokens of a withdrawn key are rejected', async () => {
  const token = await issue();
  expect(await tokens.verify(token)).toMatchObject({ outcome: 'valid' });
  await signingKeys.rotate('p1');
  clock.advance(61_000);
  const after = await issue();
  expect(kidOf(after)).not.toBe(kidOf(token));
  expect(await tokens.verify(token)).toMatchObject({ outcome: 'valid' });
  expect(await tokens.verify(after)).toMatchObject({ outcome: 'valid' });
  stored.shift();
  // What is cached about keys is dropped by a rotation.
  await signingKeys.rotate('p1');
  expect(await tokens.verify(token)).toEqual(unparsable);
  expect(await tokens.verify(after)).toMatchObject({ outcome: 'valid' });
});
