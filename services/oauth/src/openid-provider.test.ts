import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createOAuthProviders } from './client.ts';
import { maxResponseBytes } from './request.ts';
import { answered, authorization, now, nowSeconds } from './testing/authorization.ts';
import { endless, silence, status, toRejection } from './testing/misbehaving-provider.ts';
import { idToken, keySet, type ProviderServer, startProviderServer, type Told } from './testing/provider-server.ts';

const discovery = '/.well-known/openid-configuration';
let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

const metadata = () => ({
  issuer: server.url,
  authorization_endpoint: `${server.url}/auth`,
  token_endpoint: `${server.url}/token`,
  userinfo_endpoint: `${server.url}/me`,
  jwks_uri: `${server.url}/keys`,
  id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
});
const keys = () =>
  ({ id: 'acme', type: 'openid', issuer: server.url, clientId: 'our-id', clientSecret: 'swordfish' }) as const;
const providers = (settings: { timeoutMs?: number; allowPrivate?: boolean; now?: () => string } = {}) =>
  createOAuthProviders({ sharedKeys: {}, sharedIssuer: null, allowPrivate: true, now: () => now, ...settings });

let nonce = '';
const claims = (changes: Record<string, unknown> = {}) => ({
  iss: server.url,
  aud: 'our-id',
  sub: 'ann-1',
  iat: nowSeconds,
  exp: nowSeconds + 300,
  nonce,
  ...changes,
});
const tell = (token: string | undefined, more: Record<string, Told> = {}) =>
  server.tell({ '/token': { json: { access_token: 'access-42', token_type: 'Bearer', id_token: token } }, ...more });
const signIn = (by = providers()) => by.identify(keys(), authorization, answered());

beforeEach(async () => {
  server.forget();
  server.tell({
    [discovery]: { json: metadata() },
    '/keys': { json: keySet },
    '/me': { json: { sub: 'ann-1', name: 'Ann', email: 'ann@example.com', email_verified: true } },
  });
  const url = await providers().authorizationUrl(keys(), authorization, []);
  nonce = url.searchParams.get('nonce') ?? '';
  server.seen.length = 0;
  tell(idToken(claims()));
});

test('the authorization request has PKCE, a state, a nonce and the scopes of a profile', async () => {
  const url = await providers().authorizationUrl(keys(), authorization, ['groups']);
  expect(`${url.origin}${url.pathname}`).toBe(`${server.url}/auth`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'our-id',
    response_type: 'code',
    redirect_uri: authorization.redirectUri,
    scope: 'openid email profile groups',
    state: authorization.state,
    access_type: 'offline',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  });
  const other = await providers().authorizationUrl(keys(), { ...authorization, verifier: 'w'.repeat(43) }, []);
  expect(other.searchParams.get('nonce')).not.toBe(nonce);
});

test('the user information completes the ID token', async () => {
  const { profile } = await signIn();
  const expected = { accountId: 'ann-1', displayName: 'Ann', email: 'ann@example.com', isEmailVerified: true };
  expect(profile).toEqual({ ...expected, profileImageUrl: null });
});

test('nothing is requested if the ID token contains the profile', async () => {
  tell(idToken(claims({ name: 'Ann B', email: 'ann@example.com', email_verified: false })));
  const { profile } = await signIn();
  expect(profile).toMatchObject({ displayName: 'Ann B', email: 'ann@example.com', isEmailVerified: false });
  expect(server.seen.map(({ path }) => path)).not.toContain('/me');
});

test('the ID token suffices where the provider has no user information', async () => {
  server.tell({ [discovery]: { json: { ...metadata(), userinfo_endpoint: undefined } } });
  tell(idToken(claims({ email: 'ann@example.com' })));
  expect((await signIn()).profile).toMatchObject({ accountId: 'ann-1', displayName: null, isEmailVerified: false });
});

test.each([
  [undefined, false],
  [false, false],
  ['false', false],
  [1, false],
  ['true', true],
])('an address with email_verified %j counts as verified: %s', async (email_verified, isEmailVerified) => {
  server.tell({ '/me': { json: { sub: 'ann-1', email: 'ann@example.com', email_verified } } });
  expect((await signIn()).profile.isEmailVerified).toBe(isEmailVerified);
});

test('the flag of one address says nothing about another', async () => {
  tell(idToken(claims({ email: 'old@example.com', email_verified: true })));
  server.tell({ '/me': { json: { sub: 'ann-1', email: 'new@example.com' } } });
  expect((await signIn()).profile).toMatchObject({ email: 'new@example.com', isEmailVerified: false });
});

describe('an ID token is rejected', () => {
  const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const unsigned = () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${encode({ alg: 'none' })}.${encode(claims())}.`;
  };
  test.each<[string, () => string | undefined]>([
    ['that is missing', () => undefined],
    ['of another issuer', () => idToken(claims({ iss: 'https://evil.example' }))],
    ['for another client', () => idToken(claims({ aud: 'another' }))],
    ['for several clients, without azp', () => idToken(claims({ aud: ['our-id', 'another'] }))],
    ['that another client requested', () => idToken(claims({ aud: ['our-id', 'another'], azp: 'another' }))],
    ['that has expired', () => idToken(claims({ exp: nowSeconds - 31 }))],
    ['that never expires', () => idToken(claims({ exp: undefined }))],
    ['with another nonce', () => idToken(claims({ nonce: 'n'.repeat(43) }))],
    ['without a nonce', () => idToken(claims({ nonce: undefined }))],
    ['without a subject', () => idToken(claims({ sub: undefined }))],
    ['without a signature, although the provider lists none', unsigned],
    [
      'signed with the client secret, although the provider lists HS256',
      () => idToken(claims(), { header: { alg: 'HS256' } }),
    ],
    ['signed by another key', () => idToken(claims(), { key: otherKey })],
    ['of another user than the user information', () => idToken(claims({ sub: 'bob-1' }))],
  ])('%s', async (_, token) => {
    tell(token());
    expect(await toRejection(signIn())).toBe('RESPONSE_INVALID');
  });
});

test('metadata and keys are fetched once, and the keys again for an unknown key ID', async () => {
  const same = providers();
  for (const _ of [1, 2, 3]) await signIn(same);
  const fetched = (path: string) => server.seen.filter((each) => each.path === path).length;
  expect([fetched(discovery), fetched('/keys')]).toEqual([1, 1]);
  server.tell({ '/keys': { json: { keys: [{ ...keySet.keys[0], kid: 'two' }] } } });
  tell(idToken(claims(), { header: { kid: 'two' } }));
  // openid-client measures the age of keys with the clock of the process.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  try {
    await signIn(same);
  } finally {
    vi.useRealTimers();
  }
  expect([fetched(discovery), fetched('/keys')]).toEqual([1, 2]);
});

test('tokens are refreshed', async () => {
  server.tell({ '/token': { json: { access_token: 'access-43', expires_in: 60 } } });
  expect(await providers().refresh(keys(), 'refresh-42', 'groups')).toMatchObject({ accessToken: 'access-43' });
  expect(server.seen.at(-1)?.form).toMatchObject({ grant_type: 'refresh_token', scope: 'groups' });
});

describe('an issuer in a private network', () => {
  test('is not requested', async () => {
    const strict = providers({ allowPrivate: false });
    expect(await toRejection(strict.authorizationUrl(keys(), authorization, []))).toBe('UNREACHABLE');
    expect(await strict.testIssuer(server.url)).toEqual({ reason: 'not_allowed', detail: null });
    expect(await strict.testIssuer('https://169.254.169.254')).toEqual({ reason: 'not_allowed', detail: null });
    expect(server.seen).toEqual([]);
  });

  test.each(['token_endpoint', 'userinfo_endpoint', 'jwks_uri'])('is not requested as the %s', async (field) => {
    server.tell({ [discovery]: { json: { ...metadata(), [field]: 'https://169.254.169.254/latest' } } });
    expect(await toRejection(signIn())).toBe('UNREACHABLE');
    expect(await providers().testIssuer(server.url)).toEqual({ reason: 'endpoint_not_allowed', detail: field });
  });
});

describe('the test of an issuer', () => {
  test('finds no fault in one that works, with or without a slash at the end', async () => {
    expect(await providers().testIssuer(server.url)).toBeNull();
    expect(await providers().testIssuer(`${server.url}/`)).toBeNull();
  });

  test.each<[string, Told, unknown]>([
    ['is slow', silence, { reason: 'timeout', detail: null }],
    ['does not stop', endless, { reason: 'too_large', detail: null }],
    ['is huge', { json: 'x'.repeat(maxResponseBytes) }, { reason: 'too_large', detail: null }],
    [
      'leads elsewhere',
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      { reason: 'redirect', detail: null },
    ],
    ['does not exist', status(404), { reason: 'status', detail: '404' }],
    ['is a page', status(200, '<html>'), { reason: 'not_metadata', detail: null }],
    [
      'lacks fields',
      { json: { issuer: 'https://x' } },
      { reason: 'not_metadata', detail: expect.stringContaining('jwks_uri') },
    ],
    ['breaks off', (response) => void response.destroy(), { reason: 'unreachable', detail: null }],
  ])('says that the metadata %s', async (_, told, fault) => {
    server.tell({ [discovery]: told });
    expect(await providers({ timeoutMs: 300 }).testIssuer(server.url)).toEqual(fault);
    expect(await toRejection(providers({ timeoutMs: 300 }).authorizationUrl(keys(), authorization, []))).toBe(
      'UNREACHABLE',
    );
  });

  test.each([
    [{ issuer: 'https://other.example' }, { reason: 'issuer_mismatch', detail: 'https://other.example' }],
    [{ authorization_endpoint: 'javascript:alert(1)' }, { reason: 'not_metadata', detail: 'authorization_endpoint' }],
    [
      { id_token_signing_alg_values_supported: ['none', 'HS256'] },
      { reason: 'not_metadata', detail: 'id_token_signing_alg_values_supported' },
    ],
  ])('says what is wrong in %j', async (changes, fault) => {
    server.tell({ [discovery]: { json: { ...metadata(), ...changes } } });
    expect(await providers().testIssuer(server.url)).toEqual(fault);
  });

  test.each<[string, Told, string | null]>([
    ['are gone', status(404), 'status'],
    ['are none', { json: { keys: [] } }, null],
    ['are shared secrets', { json: { keys: [{ kty: 'oct', k: 'x' }] } }, null],
  ])('says that the keys %s', async (_, told, detail) => {
    server.tell({ '/keys': told });
    expect(await providers().testIssuer(server.url)).toEqual({ reason: 'keys_unusable', detail });
  });
});
