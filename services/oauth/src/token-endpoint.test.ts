import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import { testKeys } from '@gatebook/commands/oauth/test-keys';
import { describe, expect, test } from 'vitest';
import { createOAuthProviders } from './client.ts';
import { providerEntries } from './providers/list.ts';
import { answered, authorization, now, nowSeconds } from './testing/authorization.ts';
import {
  endless,
  halfAnAnswer,
  html,
  huge,
  keysOf,
  startMisbehavingProvider,
  status,
  tokens,
  toRejection,
} from './testing/misbehaving-provider.ts';
import { entryAt, startProviderServer, type Told } from './testing/provider-server.ts';

const { server, providers, signIn, redirect } = await startMisbehavingProvider();

describe('the token endpoint', () => {
  const says = (id: ProviderId, json: unknown, code: string, at = 400) => [id, json, code, at] as const;
  test.each([
    says('google', { error: 'invalid_grant', error_description: 'Malformed auth code: the-code' }, 'CODE_REJECTED'),
    says('google', { error: 'invalid_client', error_description: 'Unauthorized' }, 'KEYS_REJECTED', 401),
    says('google', { error: 'unauthorized_client' }, 'KEYS_REJECTED'),
    says('google', { error: 'invalid_scope' }, 'SCOPE_REJECTED'),
    says('google', { error: 'access_denied' }, 'ACCESS_DENIED'),
    says('google', { error: 'internal_failure' }, 'RESPONSE_INVALID'),
    says('google', { message: 'no' }, 'RESPONSE_INVALID', 403),
    says('google', { message: 'no' }, 'KEYS_REJECTED', 401),
    // Errors with status 200, and words of its own.
    says('github', { error: 'bad_verification_code', error_uri: 'https://docs.github.com' }, 'CODE_REJECTED', 200),
    says('github', { error: 'incorrect_client_credentials' }, 'KEYS_REJECTED', 200),
    says('github', { error: 'redirect_uri_mismatch' }, 'KEYS_REJECTED', 200),
    says('github', { error: '' }, 'RESPONSE_INVALID', 200),
    // Errors that are objects.
    says('facebook', { error: { message: 'Error validating client secret.', code: 1 } }, 'KEYS_REJECTED'),
    says('facebook', { error: { message: 'Invalid application ID.', code: 101 } }, 'KEYS_REJECTED'),
    says('facebook', { error: { message: 'This authorization code has been used.', code: 100 } }, 'CODE_REJECTED'),
    says('facebook', { error: { message: 'Please reduce the amount.', code: 4 } }, 'RESPONSE_INVALID'),
    // A wrong code, told in the text alone.
    says(
      'linkedin',
      { error: 'invalid_request', error_description: 'Unable to retrieve access token: authorization code not found' },
      'CODE_REJECTED',
    ),
    says(
      'x',
      { error: 'invalid_request', error_description: 'Value passed for the authorization code was invalid.' },
      'CODE_REJECTED',
    ),
    says('x', { error: 'invalid_request', error_description: 'Missing required parameter' }, 'RESPONSE_INVALID'),
    says(
      'x',
      { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
      'KEYS_REJECTED',
      401,
    ),
    says('gitlab', { error: 'invalid_grant' }, 'CODE_REJECTED'),
  ])('of %s says %j: %s', async (id, json, code, at) => {
    server.tell({ '/token': { json, status: at } });
    expect(await toRejection(signIn(id))).toBe(code);
    expect(server.seen.map(({ path }) => path)).toEqual(['/token']);
  });

  test.each([
    ['google', { error: 'invalid_grant' }, 400, 'accepted'],
    ['github', { error: 'bad_verification_code' }, 200, 'accepted'],
    ['github', { error: 'incorrect_client_credentials' }, 200, 'keys_rejected'],
    ['google', { error: 'invalid_client' }, 401, 'keys_rejected'],
    ['google', { error: 'temporarily_unavailable' }, 503, 'unreachable'],
    ['google', { error: 'internal_failure' }, 400, 'unclear'],
  ] as const)('of %s says %j about keys that are tested', async (id, json, at, result) => {
    server.tell({ '/token': { json, status: at } });
    expect(await testKeys(providers(), keysOf(id), authorization.redirectUri)).toBe(result);
    expect(server.seen.map(({ path }) => path)).toEqual(['/token']);
  });

  test('that rejects the client in a header only is understood', async () => {
    server.tell({
      '/token': (response) => {
        response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' });
        response.end(JSON.stringify({ error: 'invalid_client' }));
      },
    });
    expect(await toRejection(signIn('github'))).toBe('KEYS_REJECTED');
  });

  test.each<[string, Told, string]>([
    ['is broken', status(500, html), 'UNREACHABLE'],
    ['is under repair', status(503, '{}', 'application/json'), 'UNREACHABLE'],
    ['has enough of us', status(429), 'UNREACHABLE'],
    ['leads elsewhere', redirect, 'UNREACHABLE'],
    ['breaks off', halfAnAnswer, 'UNREACHABLE'],
    ['answers with a page', status(200, html), 'RESPONSE_INVALID'],
    ['rejects with a page', status(400, html), 'RESPONSE_INVALID'],
    ['answers nothing', status(200, ''), 'RESPONSE_INVALID'],
    ['answers half of a text', status(200, '{"access_token":', 'application/json'), 'RESPONSE_INVALID'],
    ['answers too much', huge, 'RESPONSE_INVALID'],
    ['does not stop', endless, 'RESPONSE_INVALID'],
    ['answers a list', { json: [tokens] }, 'RESPONSE_INVALID'],
    ['answers null', { json: null }, 'RESPONSE_INVALID'],
    ['gives no token', { json: { token_type: 'bearer' } }, 'RESPONSE_INVALID'],
    ['gives an empty token', { json: { ...tokens, access_token: '' } }, 'RESPONSE_INVALID'],
    ['gives a token that splits a header', { json: { ...tokens, access_token: 'a\r\nx: y' } }, 'RESPONSE_INVALID'],
    ['gives a token of another kind', { json: { ...tokens, token_type: 'mac' } }, 'RESPONSE_INVALID'],
    ['gives a number', { json: { ...tokens, access_token: 42 } }, 'RESPONSE_INVALID'],
  ])('%s', async (_, told, code) => {
    server.tell({ '/token': told });
    expect(await toRejection(signIn('github'))).toBe(code);
    expect(server.seen.map(({ path }) => path)).toEqual(['/token']);
  });

  test('a used code is rejected as the provider reports', async () => {
    let uses = 0;
    server.tell({
      '/token': (response) => {
        uses += 1;
        response.writeHead(uses === 1 ? 200 : 400, { 'content-type': 'application/json' });
        response.end(JSON.stringify(uses === 1 ? tokens : { error: 'invalid_grant' }));
      },
    });
    await signIn('gitlab');
    expect(await toRejection(signIn('gitlab'))).toBe('CODE_REJECTED');
  });

  test('an unreachable provider is reported as unreachable', async () => {
    const gone = await startProviderServer();
    await gone.close();
    const alone = createOAuthProviders({
      sharedKeys: {},
      sharedIssuer: null,
      now: () => now,
      entries: { github: entryAt(providerEntries.github, gone.url) },
    });
    expect(await toRejection(alone.identify(keysOf('github'), authorization, answered()))).toBe('UNREACHABLE');
  });

  test('plain HTTP to other machines is rejected', async () => {
    const plain = createOAuthProviders({
      sharedKeys: {},
      sharedIssuer: null,
      now: () => now,
      entries: { github: { ...providerEntries.github, tokenEndpoint: 'http://github.invalid/token' } },
    });
    expect(await toRejection(plain.identify(keysOf('github'), authorization, answered()))).toBe('UNREACHABLE');
  });
});

describe('refreshing a token', () => {
  const refresh = (id: ProviderId, scope: string | null = null) => providers().refresh(keysOf(id), 'refresh-42', scope);

  test('sends the scope unchanged or none and authenticates the client', async () => {
    await refresh('google', 'a b');
    await refresh('google');
    const [withScope, without] = server.seen.map(({ form }) => form);
    expect(withScope).toEqual({ grant_type: 'refresh_token', refresh_token: 'refresh-42', scope: 'a b' });
    expect(without).toEqual({ grant_type: 'refresh_token', refresh_token: 'refresh-42' });
    expect(server.seen[0]?.headers.authorization).toBe(`Basic ${btoa('our-id:swordfish')}`);
  });

  test.each([
    ['a new refresh token', { refresh_token: 'refresh-43' }, 'refresh-43'],
    ['none', { refresh_token: undefined }, null],
    ['null', { refresh_token: null }, null],
    ['an empty one', { refresh_token: '' }, null],
    ['the same one', { refresh_token: 'refresh-42' }, null],
    ['an ID token, which says nothing new', { refresh_token: undefined, id_token: 'nonsense' }, null],
  ])('with %s', async (_, changes, refreshToken) => {
    server.tell({ '/token': { json: { ...tokens, ...changes } } });
    expect(await refresh('google')).toEqual({
      accessToken: 'access-42',
      expiresAt: '2026-11-21T13:00:00.000Z',
      refreshToken,
    });
  });

  test.each<[string, Told, string]>([
    ['rejected', { json: { error: 'invalid_grant' }, status: 400 }, 'PROVIDER_REJECTED'],
    ['rejected with 200', { json: { error: 'bad_refresh_token' } }, 'PROVIDER_REJECTED'],
    ['rejected for our keys', { json: { error: 'invalid_client' }, status: 401 }, 'PROVIDER_REJECTED'],
    ['rejected for the scope', { json: { error: 'invalid_scope' }, status: 400 }, 'PROVIDER_REJECTED'],
    ['rejected without a word', { json: {}, status: 401 }, 'PROVIDER_REJECTED'],
    ['put off', { json: { error: 'temporarily_unavailable' }, status: 400 }, 'UNREACHABLE'],
    ['broken', status(500), 'UNREACHABLE'],
    ['elsewhere', redirect, 'UNREACHABLE'],
    ['a page', status(200, html), 'UNREACHABLE'],
    ['no token', { json: {} }, 'UNREACHABLE'],
    ['too much', huge, 'UNREACHABLE'],
  ])('that is %s', async (_, told, code) => {
    server.tell({ '/token': told });
    expect(await toRejection(refresh('github'))).toBe(code);
  });
});

describe('the lifetime of an access token', () => {
  test.each([
    ['github', { expires_in: 28800 }, '2026-11-21T20:00:00.000Z'],
    ['github', { expires_in: '28800' }, '2026-11-21T20:00:00.000Z'],
    ['github', { expires_in: undefined }, '2027-11-21T12:00:00.000Z'],
    ['gitlab', { expires_in: undefined }, '2026-11-21T13:00:00.000Z'],
    ['gitlab', { expires_in: null, expires_at: nowSeconds + 60 }, '2026-11-21T12:01:00.000Z'],
    ['gitlab', { expires_in: 120, expires_at: nowSeconds + 60 }, '2026-11-21T12:02:00.000Z'],
    ['gitlab', { expires_in: undefined, expires_at: nowSeconds - 60 }, now],
    ['gitlab', { expires_in: 0 }, now],
    ['gitlab', { expires_in: -5 }, '2026-11-21T13:00:00.000Z'],
    ['gitlab', { expires_in: 'soon' }, '2026-11-21T13:00:00.000Z'],
    ['gitlab', { expires_in: 1e300 }, '2036-11-18T12:00:00.000Z'],
    ['gitlab', { expires_in: { value: 5 } }, '2026-11-21T13:00:00.000Z'],
  ] as const)('%s, %j: %s', async (id, told, expiresAt) => {
    server.tell({ '/token': { json: { ...tokens, ...told } } });
    expect((await signIn(id)).tokens.expiresAt).toBe(expiresAt);
  });
});
