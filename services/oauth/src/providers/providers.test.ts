import type { ProviderId, ProviderProfile } from '@gatebook/commands/oauth/oauth-providers';
import { providerIds } from '@gatebook/domain/project/config';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOAuthProviders } from '../client.ts';
import { answered as answer, authorization, now } from '../testing/authorization.ts';
import { providerCases as cases, client } from '../testing/provider-cases.ts';
import { entryAt, keySet, type ProviderServer, startProviderServer } from '../testing/provider-server.ts';
import { providerEntries } from './list.ts';

const challenge = '7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM';
const basic = `Basic ${Buffer.from('client-id.of_us:se%2Bcr%25et').toString('base64')}`;

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
beforeEach(() => server.forget());
afterAll(() => server.close());

const providersAt = () =>
  createOAuthProviders({
    sharedKeys: {},
    sharedIssuer: null,
    now: () => now,
    entries: Object.fromEntries(providerIds.map((id) => [id, entryAt(providerEntries[id], server.url)])),
  });
const keysOf = (id: ProviderId) => ({ id, type: 'standard', ...client }) as const;

describe('the authorization URL', () => {
  const common = {
    client_id: client.clientId,
    response_type: 'code',
    redirect_uri: authorization.redirectUri,
    state: authorization.state,
    access_type: 'offline',
  };
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  const google = 'https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile';

  test.each<[ProviderId, string, Record<string, string>]>([
    ['google', 'https://accounts.google.com/o/oauth2/v2/auth', { scope: google, ...pkce }],
    ['github', 'https://github.com/login/oauth/authorize', { scope: 'user:email', ...pkce }],
    [
      'microsoft',
      'https://login.microsoftonline.com/consumers/oauth2/v2.0/authorize',
      { scope: 'User.Read openid', ...pkce },
    ],
    ['spotify', 'https://accounts.spotify.com/authorize', { scope: 'user-read-email user-read-private', ...pkce }],
    ['facebook', 'https://facebook.com/v20.0/dialog/oauth/', { scope: 'openid public_profile email', ...pkce }],
    ['discord', 'https://discord.com/oauth2/authorize', { scope: 'identify email', ...pkce }],
    ['gitlab', 'https://gitlab.com/oauth/authorize', { scope: 'read_user', ...pkce }],
    ['bitbucket', 'https://bitbucket.org/site/oauth2/authorize', { scope: 'account email', ...pkce }],
    ['linkedin', 'https://www.linkedin.com/oauth/v2/authorization', { scope: 'openid profile email' }],
    ['apple', 'https://appleid.apple.com/auth/authorize', { scope: 'name email', response_mode: 'form_post', ...pkce }],
    ['x', 'https://twitter.com/i/oauth2/authorize', { scope: 'users.read offline.access tweet.read', ...pkce }],
  ])('%s', async (id, address, parameters) => {
    const url = await providersAt().authorizationUrl(keysOf(id), authorization, []);
    expect(`${url.origin}${url.pathname}`).toBe(address);
    expect(Object.fromEntries(url.searchParams)).toEqual({ ...common, ...parameters });
    expect(providersAt().baseScopes(keysOf(id))).toEqual((parameters.scope ?? '').split(' '));
    expect(server.seen).toEqual([]);
  });

  test('has extra scopes after the base scopes, without duplicates', async () => {
    const url = await providersAt().authorizationUrl(keysOf('discord'), authorization, ['guilds', 'email', 'guilds']);
    expect(url.searchParams.get('scope')).toBe('identify email guilds');
  });

  test('includes the configuration ID of facebook', async () => {
    const url = await providersAt().authorizationUrl(
      { ...keysOf('facebook'), facebookConfigId: '7001' },
      authorization,
      [],
    );
    expect(url.searchParams.get('config_id')).toBe('7001');
  });

  test.each(['common', 'contoso.onmicrosoft.com', '9188040d-6c67-4c5b-b112-36a304b66dad'])(
    "microsoft's tenant may be %s",
    async (microsoftTenantId) => {
      const url = await providersAt().authorizationUrl(
        { ...keysOf('microsoft'), microsoftTenantId },
        authorization,
        [],
      );
      expect(url.pathname).toBe(`/${microsoftTenantId}/oauth2/v2.0/authorize`);
    },
  );

  test.each(['a/b', '../x', 'a..b', 'a?b', 'a#b', '@evil.example', 'a b', 'a%2fb', 'x'.repeat(255), '.'])(
    "microsoft's tenant may not be %s, before it goes into an address",
    async (microsoftTenantId) => {
      const keys = { ...keysOf('microsoft'), microsoftTenantId };
      const code = 'OAUTH_PROVIDER_KEYS_REJECTED';
      await expect(providersAt().authorizationUrl(keys, authorization, [])).rejects.toMatchObject({ code });
      await expect(providersAt().identify(keys, authorization, answer())).rejects.toMatchObject({ code });
    },
  );
});

const json = (answers: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(answers).map(([path, body]) => [path, { json: body }]));

describe('the identified profile', () => {
  test('every provider has a case', () => {
    expect(cases.map(({ id }) => id).toSorted()).toEqual(providerIds.toSorted());
  });

  test.each(cases)('$id', async ({ id, token, answers, profile, expiresAt, refreshToken = null }) => {
    server.tell({ '/token': { json: token }, '/keys': { json: keySet }, ...json(answers) });
    const identified = await providersAt().identify(keysOf(id), authorization, answer());
    const accessToken = token.access_token;
    expect(identified).toEqual({ profile, tokens: { accessToken, expiresAt, refreshToken } });

    const [exchange, ...others] = server.seen;
    const inBody = id === 'apple' || id === 'linkedin';
    expect(exchange).toMatchObject({
      method: 'POST',
      path: '/token',
      form: {
        grant_type: 'authorization_code',
        code: 'the-code',
        redirect_uri: authorization.redirectUri,
        ...(id === 'linkedin' ? {} : { code_verifier: authorization.verifier }),
        ...(inBody ? { client_id: client.clientId, client_secret: client.clientSecret } : {}),
      },
    });
    expect(exchange?.headers.authorization).toBe(inBody ? undefined : basic);
    expect(exchange?.form).not.toHaveProperty(inBody ? 'nothing' : 'client_secret');
    if (id === 'linkedin') expect(exchange?.form).not.toHaveProperty('code_verifier');
    const asked = others.filter(({ path }) => path !== '/keys');
    expect(asked.map(({ path }) => path)).toEqual(Object.keys(answers ?? {}));
    const bearer = id === 'facebook' ? undefined : `Bearer ${accessToken}`;
    for (const { headers } of asked) expect(headers.authorization).toBe(bearer);
    if (id === 'github') for (const { headers } of asked) expect(headers['x-github-api-version']).toBe('2022-11-28');
  });

  const variants: [string, ProviderId, Record<string, unknown>, Partial<ProviderProfile>][] = [
    ['github: no primary address', 'github', { '/profile/emails': [] }, { email: null, isEmailVerified: false }],
    [
      'github: a primary address that is not verified',
      'github',
      { '/profile/emails': [{ email: 'ann@example.com', primary: true, verified: false }, { odd: true }, null] },
      { email: 'ann@example.com', isEmailVerified: false },
    ],
    ['microsoft: a mailbox', 'microsoft', { '/profile': { id: '1', mail: 'a@b.example' } }, { email: 'a@b.example' }],
    [
      'microsoft: a guest',
      'microsoft',
      { '/profile': { id: '1', userPrincipalName: 'ann_a.example#EXT#@b.onmicrosoft.com' } },
      { email: null },
    ],
    ['spotify: no image', 'spotify', { '/profile': { id: '1', images: [] } }, { profileImageUrl: null }],
    [
      'discord: an old account without a display name, a still image, an address that is not verified',
      'discord',
      { '/profile': { id: '1', username: 'nelly', avatar: '8342', email: 'n@example.com', verified: false } },
      {
        displayName: 'nelly',
        email: 'n@example.com',
        isEmailVerified: false,
        profileImageUrl: 'https://cdn.discordapp.com/avatars/1/8342.png',
      },
    ],
    ['discord: no image', 'discord', { '/profile': { id: '1', avatar: null } }, { profileImageUrl: null }],
    [
      'gitlab: an address that is not confirmed',
      'gitlab',
      { '/profile/emails': [{ email: 'ann@example.com', confirmed_at: null }] },
      { email: 'ann@example.com', isEmailVerified: false },
    ],
    ['bitbucket: no address', 'bitbucket', { '/profile/emails': { values: [] } }, { email: null }],
    [
      'linkedin: the text "false"',
      'linkedin',
      { '/profile': { sub: '782bbtaQ', email: 'ann@example.com', email_verified: 'false' } },
      { isEmailVerified: false, displayName: null },
    ],
    [
      'x: no name',
      'x',
      { '/profile?user.fields=id,name,profile_image_url': { data: { id: 12, username: 'ann' } } },
      { accountId: '12', displayName: 'ann', profileImageUrl: null },
    ],
  ];
  test.each(variants)('%s', async (_, id, changed, expected) => {
    const known = cases.find((each) => each.id === id);
    server.tell({
      '/token': { json: known?.token },
      '/keys': { json: keySet },
      ...json({ ...known?.answers, ...changed }),
    });
    const { profile } = await providersAt().identify(keysOf(id), authorization, answer());
    expect(profile).toMatchObject(expected);
  });

  test("facebook's image may be missing", async () => {
    const known = cases.find(({ id }) => id === 'facebook');
    server.tell({ '/token': { json: known?.token }, '/keys': { json: keySet }, ...json(known?.answers) });
    server.tell({ [Object.keys(known?.answers ?? {})[1] ?? '']: { json: { error: { code: 100 } }, status: 400 } });
    const { profile } = await providersAt().identify(keysOf('facebook'), authorization, answer());
    expect(profile).toEqual({ ...known?.profile, profileImageUrl: null });
  });

  test('facebook without an email is rejected', async () => {
    const known = cases.find(({ id }) => id === 'facebook');
    server.tell({ '/token': { json: known?.token }, '/keys': { json: keySet }, ...json(known?.answers) });
    server.tell({ '/profile?fields=id%2Cname%2Cemail&access_token=EAAG': { json: { id: '10224455', name: 'Ann' } } });
    await expect(providersAt().identify(keysOf('facebook'), authorization, answer())).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_EMAIL_MISSING',
    });
  });

  test('github sends its issuer in responses', async () => {
    const known = cases.find(({ id }) => id === 'github');
    server.tell({ '/token': { json: known?.token }, ...json(known?.answers) });
    const own = answer({ iss: 'https://github.com/login/oauth' });
    expect(await providersAt().identify(keysOf('github'), authorization, own)).toMatchObject({
      profile: known?.profile,
    });
  });
});
