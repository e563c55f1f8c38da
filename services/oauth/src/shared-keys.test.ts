import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOAuthProviders } from './client.ts';
import type { SharedProviders } from './provider-client.ts';
import { answered, authorization, now, nowSeconds } from './testing/authorization.ts';
import { idToken, keySet, type ProviderServer, startProviderServer } from './testing/provider-server.ts';

const answer = answered();
const keys = { clientId: 'shared-id', clientSecret: 'swordfish' };
const shared = (id: ProviderId) => ({ id, type: 'shared' }) as const;

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
beforeEach(() => server.forget());
afterAll(() => server.close());

const providers = (settings: Partial<SharedProviders>, at = () => now) =>
  createOAuthProviders({ sharedKeys: {}, sharedIssuer: null, ...settings, now: at });

test('without shared keys, every shared provider is rejected', async () => {
  const none = providers({});
  for (const id of ['google', 'github', 'discord'] as const) {
    const rejected = { code: 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED' };
    expect(none.hasSharedKeys(id)).toBe(false);
    await expect(none.authorizationUrl(shared(id), authorization, [])).rejects.toMatchObject(rejected);
    await expect(none.identify(shared(id), authorization, answer)).rejects.toMatchObject(rejected);
    await expect(none.refresh(shared(id), 'r', null)).rejects.toMatchObject(rejected);
  }
});

test('with ID and secret only, the endpoints of the provider are used', async () => {
  const some = providers({ sharedKeys: { github: keys } });
  expect([some.hasSharedKeys('github'), some.hasSharedKeys('google')]).toEqual([true, false]);
  const url = await some.authorizationUrl(shared('github'), authorization, []);
  expect(url.href).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?/);
  expect(url.searchParams.get('client_id')).toBe('shared-id');
});

test('with endpoints, requests go to a provider with the same API', async () => {
  const enterprise = providers({
    sharedKeys: {
      github: {
        ...keys,
        authorizationEndpoint: `${server.url}/login/oauth/authorize`,
        tokenEndpoint: `${server.url}/login/oauth/access_token`,
        userinfoEndpoint: `${server.url}/api/v3/user`,
      },
    },
  });
  const url = await enterprise.authorizationUrl(shared('github'), authorization, []);
  expect(url.href.startsWith(`${server.url}/login/oauth/authorize?`)).toBe(true);
  expect(url.searchParams.get('scope')).toBe('user:email');
  server.tell({
    '/login/oauth/access_token': { json: { access_token: 'a' } },
    '/api/v3/user': { json: { id: 7, name: 'Ann' } },
    '/api/v3/user/emails': { json: [{ email: 'ann@example.com', primary: true, verified: true }] },
  });
  const { profile } = await enterprise.identify(shared('github'), authorization, answer);
  expect(profile).toMatchObject({ accountId: '7', email: 'ann@example.com', isEmailVerified: true });
});

describe('with an issuer', () => {
  const metadata = () => ({
    issuer: server.url,
    authorization_endpoint: `${server.url}/auth`,
    token_endpoint: `${server.url}/token`,
    userinfo_endpoint: `${server.url}/me`,
    jwks_uri: `${server.url}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  });
  const discovery = '/.well-known/openid-configuration';
  const withIssuer = (at?: () => string) => providers({ sharedKeys: { spotify: { ...keys, issuer: server.url } } }, at);
  const asAll = () => providers({ sharedIssuer: { url: server.url, secret: 'swordfish' } });
  const claims = (aud: string) => ({
    iss: server.url,
    aud,
    sub: 'ann@example.com',
    iat: nowSeconds,
    exp: nowSeconds + 60,
  });
  const tell = (aud: string, person: Record<string, unknown>) =>
    server.tell({
      [discovery]: { json: metadata() },
      '/token': { json: { access_token: 'a', token_type: 'Bearer', id_token: idToken(claims(aud)) } },
      '/keys': { json: keySet },
      '/me': { json: person },
    });

  test('of one provider, its email verification counts like that of any provider', async () => {
    tell('shared-id', { sub: 'ann@example.com', email: 'ann@example.com', email_verified: false, name: 'Ann' });
    const { profile } = await withIssuer().identify(shared('spotify'), authorization, answer);
    expect(profile).toMatchObject({ displayName: 'Ann', email: 'ann@example.com', isEmailVerified: false });
  });

  test('of one provider, a subject is not used as an address', async () => {
    tell('shared-id', { sub: 'ann@example.com' });
    const { profile } = await withIssuer().identify(shared('spotify'), authorization, answer);
    expect(profile).toMatchObject({ email: null, isEmailVerified: false });
  });

  test('of all providers, the client ID is the provider ID and every address is verified', async () => {
    tell('microsoft', { sub: 'ann@example.com', email_verified: false });
    const { profile } = await asAll().identify(shared('microsoft'), authorization, answer);
    expect(profile).toMatchObject({ accountId: 'ann@example.com', email: 'ann@example.com', isEmailVerified: true });
    const basic = server.seen.find(({ path }) => path === '/token')?.headers.authorization;
    expect(basic).toBe(`Basic ${btoa('microsoft:swordfish')}`);
  });

  test('of all providers, keys of one provider take precedence', async () => {
    server.tell({ [discovery]: { json: metadata() } });
    const both = providers({ sharedKeys: { github: keys }, sharedIssuer: { url: server.url, secret: 'swordfish' } });
    expect((await both.authorizationUrl(shared('github'), authorization, [])).origin).toBe('https://github.com');
    expect((await both.authorizationUrl(shared('google'), authorization, [])).origin).toBe(server.url);
  });

  test('uses the supported scopes and client authentication', async () => {
    tell('google', { sub: 'ann@example.com' });
    server.tell({
      [discovery]: {
        json: {
          ...metadata(),
          scopes_supported: ['openid', 'email'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        },
      },
    });
    const url = await asAll().authorizationUrl(shared('google'), authorization, []);
    expect(url.searchParams.get('scope')).toBe('openid email');
    await asAll().identify(shared('google'), authorization, answer);
    const exchange = server.seen.find(({ path }) => path === '/token');
    expect(exchange?.form).toMatchObject({ client_id: 'google', client_secret: 'swordfish' });
    expect(exchange?.headers.authorization).toBeUndefined();
  });

  test('is discovered once in ten minutes and again after a failure', async () => {
    let at = now;
    const same = withIssuer(() => at);
    server.tell({ [discovery]: { json: {}, status: 500 } });
    await expect(same.authorizationUrl(shared('spotify'), authorization, [])).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_UNREACHABLE',
    });
    server.tell({ [discovery]: { json: metadata() } });
    await Promise.all([1, 2, 3].map(() => same.authorizationUrl(shared('spotify'), authorization, [])));
    at = '2026-11-21T12:09:59.000Z';
    await same.authorizationUrl(shared('spotify'), authorization, []);
    expect(server.seen).toHaveLength(2);
    at = '2026-11-21T12:10:00.000Z';
    await same.authorizationUrl(shared('spotify'), authorization, []);
    expect(server.seen).toHaveLength(3);
  });

  test.each([
    ['names another issuer', { issuer: 'https://evil.example' }],
    ['has no token endpoint', { token_endpoint: undefined }],
    ['has its token endpoint in the open', { token_endpoint: 'http://id.example.com/token' }],
    ['leads the person to a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['has nothing to tell of people', { userinfo_endpoint: 7 }],
  ])('an issuer that %s is rejected', async (_, changes) => {
    server.tell({ [discovery]: { json: { ...metadata(), ...changes } } });
    await expect(asAll().authorizationUrl(shared('google'), authorization, [])).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_UNREACHABLE',
    });
  });
});
