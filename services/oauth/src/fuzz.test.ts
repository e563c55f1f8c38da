import type { ProviderProfile } from '@gatebook/commands/oauth/oauth-providers';
import { DomainError } from '@gatebook/domain/errors';
import { providerIds } from '@gatebook/domain/project/config';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOAuthProviders } from './client.ts';
import { createOpenIdEntry } from './open-id.ts';
import { checkProfile } from './profile.ts';
import { providerEntries } from './providers/list.ts';
import { entryAt, idToken, keySet, type ProviderServer, startProviderServer } from './testing/provider-server.ts';

const simulator = createOpenIdEntry(
  'google',
  {
    issuer: 'https://id.example.com',
    authorization_endpoint: 'https://id.example.com/auth',
    token_endpoint: 'https://id.example.com/token',
    userinfo_endpoint: 'https://id.example.com/me',
    jwks_uri: 'https://id.example.com/jwks',
  },
  true,
);
const entries = [...providerIds.map((id) => providerEntries[id]), ...(simulator ? [simulator] : [])];

/** Texts that are nearly right, and ones that are not. */
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom(
    'ann@example.com',
    'https://images.example/a.png',
    'javascript:alert(1)',
    'a\u0000b',
    '\ud800',
    'true',
  ),
  fc.emailAddress(),
  fc.webUrl(),
  fc.jsonValue(),
);
const fields = [
  ...['id', 'sub', 'account_id', 'name', 'display_name', 'displayName', 'global_name', 'username', 'email', 'mail'],
  ...['userPrincipalName', 'verified', 'email_verified', 'picture', 'avatar', 'avatar_url', 'images', 'links', 'data'],
  ...['primary', 'is_confirmed', 'confirmed_at', 'values', 'url', 'href', 'profile_image_url', '__proto__', 'toString'],
];
const record = fc.dictionary(fc.constantFrom(...fields), odd, { maxKeys: 12 });
const shape = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, odd, record, fc.array(record, { maxLength: 3 }), tie('nested')),
  nested: fc.dictionary(fc.constantFrom(...fields), tie('any'), { maxKeys: 6 }),
})).any;
/** Mostly a person of the right kind, or else nothing would get past the account id. */
const person = fc.oneof(
  shape,
  fc
    .tuple(record, fc.oneof(fc.string({ minLength: 1, maxLength: 300 }), fc.integer(), fc.double()))
    .map(([rest, id]) => {
      const told = { ...rest, id, sub: id, account_id: id };
      return { ...told, data: told };
    }),
);

function expectWithinLimits(profile: ProviderProfile): void {
  const { accountId, displayName, profileImageUrl, email, isEmailVerified } = profile;
  expect(Object.keys(profile).toSorted()).toEqual(
    ['accountId', 'displayName', 'email', 'isEmailVerified', 'profileImageUrl'].toSorted(),
  );
  expect(accountId.length).toBeGreaterThan(0);
  expect(accountId.length).toBeLessThanOrEqual(255);
  expect(displayName ?? 'x').toMatch(/^[^\p{Cc}]{1,256}$/u);
  expect(profileImageUrl ?? 'https://').toMatch(/^https?:\/\/\S*$/i);
  expect((profileImageUrl ?? '').length).toBeLessThanOrEqual(2048);
  expect(email ?? 'a@b').toMatch(/^[^\s@]+@[^\s@]+$/);
  expect(typeof isEmailVerified).toBe('boolean');
  if (email === null) expect(isEmailVerified).toBe(false);
  // Postgres takes neither.
  const text = [accountId, displayName, profileImageUrl, email].join('');
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toContain('\u0000');
}

test('any profile of a provider is normalized within limits or rejected', () => {
  let profiles = 0;
  fc.assert(
    fc.property(fc.constantFrom(...entries), person, shape, (entry, first, second) => {
      const answers = [first, second].slice(0, entry.profile.requests.length || 1);
      const told = Object(first).sub;
      const sub = typeof told === 'number' ? String(told) : told;
      try {
        expectWithinLimits(checkProfile(entry, answers, { sub }));
        profiles += 1;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        expect(error.code).toMatch(/^OAUTH_PROVIDER_(RESPONSE_INVALID|EMAIL_MISSING)$/);
      }
    }),
    { numRuns: 3000, seed: 5 },
  );
  // Else this test would say nothing.
  expect(profiles).toBeGreaterThan(300);
});

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

test('any HTTP response of a provider is a profile or a rejection', async () => {
  const now = '2026-11-21T12:00:00.000Z';
  const providers = createOAuthProviders({
    sharedKeys: {},
    sharedIssuer: null,
    now: () => now,
    entries: {
      google: entryAt(providerEntries.google, server.url),
      gitlab: entryAt(providerEntries.gitlab, server.url),
    },
  });
  const authorization = {
    redirectUri: 'https://auth.example.com/callback',
    state: 's'.repeat(43),
    verifier: 'v'.repeat(43),
  };
  const seconds = Date.parse(now) / 1000;
  const right = { iss: 'https://accounts.google.com', aud: 'us', sub: 'ann', iat: seconds, exp: seconds + 60 };
  const claims = fc.dictionary(
    fc.constantFrom('iss', 'aud', 'sub', 'iat', 'exp', 'nbf', 'azp', 'nonce', 'auth_time'),
    odd,
  );
  const header = fc.dictionary(fc.constantFrom('alg', 'kid', 'typ', 'crit', 'jwk', 'jku'), odd, { maxKeys: 2 });
  const signed = fc.tuple(claims, header).map(([changes, head]) => idToken({ ...right, ...changes }, { header: head }));
  const tokens = fc.oneof(
    shape,
    fc.record({
      access_token: fc.oneof(fc.constant('access'), odd),
      token_type: fc.oneof(fc.constant('Bearer'), odd),
      expires_in: odd,
      expires_at: odd,
      refresh_token: odd,
      id_token: fc.oneof(fc.constant(idToken(right)), signed, odd),
      error: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, odd),
    }),
  );
  const keys = fc.oneof({ weight: 4, arbitrary: fc.constant(keySet) }, shape, fc.record({ keys: fc.array(shape) }));
  const status = fc.oneof({ weight: 6, arbitrary: fc.constant(200) }, fc.constantFrom(201, 302, 400, 401, 404, 500));
  const ann = fc.oneof(
    person,
    record.map((rest) => ({ ...rest, id: 'ann', sub: 'ann' })),
  );
  const emails = fc.oneof(shape, fc.array(record));
  const ids = fc.constantFrom('google' as const, 'gitlab' as const);
  let people = 0;
  await fc.assert(
    fc.asyncProperty(ids, tokens, keys, ann, emails, status, async (id, token, keySetTold, first, second, code) => {
      server.tell({
        '/token': { json: token, status: code },
        '/keys': { json: keySetTold },
        '/profile': { json: first },
        '/profile/emails': { json: second },
      });
      const answer = new URLSearchParams({ code: 'c', state: authorization.state });
      const ours = { id, type: 'standard', clientId: 'us', clientSecret: 's' } as const;
      try {
        const { profile, tokens: given } = await providers.identify(ours, authorization, answer);
        expectWithinLimits(profile);
        expect(new Date(given.expiresAt).toISOString()).toBe(given.expiresAt);
        expect(given.accessToken).toMatch(/^[\x20-\x7e]+$/);
        expect(given.refreshToken ?? 'x').toMatch(/^[\x20-\x7e]+$/);
        people += 1;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        expect(error.code).toMatch(/^OAUTH_PROVIDER_/);
      }
    }),
    { numRuns: 600, seed: 5 },
  );
  expect(people).toBeGreaterThan(20);
});
