import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ProviderId } from '@gatebook/commands/oauth-providers';
import { DomainError } from '@gatebook/domain/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { longestAnswerBytes } from './ask.ts';
import { createOAuthProviders } from './client.ts';
import { providerEntries } from './providers/list.ts';
import {
  entryAt,
  idToken,
  keySet,
  type ProviderServer,
  startProviderServer,
  type Told,
} from './testing/provider-server.ts';

const now = '2026-11-21T12:00:00.000Z';
const nowSeconds = Date.parse(now) / 1000;
const visit = {
  redirectUri: 'https://auth.example.com/api/v1/auth/oauth/callback/any',
  state: 's'.repeat(43),
  verifier: 'v'.repeat(43),
};
/** Words that no error may repeat. */
const secrets = ['swordfish', 'the-code', 'access-42', 'refresh-42'];
const keysOf = (id: ProviderId) => ({ id, type: 'standard', clientId: 'our-id', clientSecret: 'swordfish' }) as const;

const microsoftTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';
const claims = {
  iss: 'https://accounts.google.com',
  aud: 'our-id',
  sub: 'ann-1',
  iat: nowSeconds,
  exp: nowSeconds + 3600,
};
const tokens = { access_token: 'access-42', token_type: 'Bearer', expires_in: 3600, refresh_token: 'refresh-42' };
const github = { id: 42, name: 'Ann' };
const emails = [{ email: 'ann@example.com', primary: true, verified: true }];

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
/** A server on which github and google are well. */
beforeEach(() => {
  server.forget();
  server.tell({
    '/token': { json: { ...tokens, id_token: idToken(claims) } },
    '/keys': { json: keySet },
    '/profile': { json: { ...github, sub: 'ann-1' } },
    '/profile/emails': { json: emails },
  });
});
afterAll(() => server.close());

const providers = ({ timeoutMs = 5000 }: { timeoutMs?: number } = {}) =>
  createOAuthProviders({
    ...{ sharedKeys: {}, sharedIssuer: null, timeoutMs, now: () => now },
    entries: {
      github: entryAt(providerEntries.github, server.url),
      google: entryAt(providerEntries.google, server.url),
      microsoft: entryAt(providerEntries.microsoft, server.url),
      facebook: entryAt(providerEntries.facebook, server.url),
      linkedin: entryAt(providerEntries.linkedin, server.url),
      x: entryAt(providerEntries.x, server.url),
      bitbucket: entryAt(providerEntries.bitbucket, server.url),
      gitlab: entryAt(providerEntries.gitlab, server.url),
    },
  });
const answered = (more: Record<string, string> = {}) =>
  new URLSearchParams({ code: 'the-code', state: visit.state, ...more });
const signIn = (id: ProviderId, answer = answered()) => providers().identify(keysOf(id), visit, answer);

/** The refusal, which holds nothing secret in any of its parts. */
async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => expect.fail('this should have been refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DomainError)) throw error;
  const said = `${error.message} ${error.stack} ${JSON.stringify(error.details)} ${String(error.cause)}`;
  for (const secret of secrets) expect(said).not.toContain(secret);
  return error.code.replace(/^OAUTH_PROVIDER_/, '');
}

const status =
  (code: number, body = '', type = 'text/html'): Told =>
  (response: ServerResponse) => {
    response.writeHead(code, { 'content-type': type });
    response.end(body);
  };
const redirect: Told = (response) => {
  response.writeHead(302, { location: `${server.url}/elsewhere` });
  response.end();
};
const html = '<html>Sorry</html>';
const silence: Told = () => undefined;
const halfAnAnswer: Told = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"access_token":"access-42"');
  response.destroy();
};
const endless: Told = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};
const huge: Told = { json: { ...tokens, id: 1, padding: 'x'.repeat(longestAnswerBytes) } };

test('the server of these tests is well, unless a test says otherwise', async () => {
  expect((await signIn('github')).profile.accountId).toBe('42');
  expect((await signIn('google')).profile.accountId).toBe('ann-1');
});

describe('the way back', () => {
  test.each([
    ['access_denied', 'ACCESS_DENIED'],
    ['consent_required', 'ACCESS_DENIED'],
    ['user_cancelled_login', 'ACCESS_DENIED'],
    ['user_cancelled_authorize', 'ACCESS_DENIED'],
    ['invalid_scope', 'SCOPE_REFUSED'],
    ['unauthorized_scope_error', 'SCOPE_REFUSED'],
    ['unauthorized_client', 'KEYS_REFUSED'],
    ['redirect_uri_mismatch', 'KEYS_REFUSED'],
    ['server_error', 'UNREACHABLE'],
    ['temporarily_unavailable', 'UNREACHABLE'],
    ['interaction_required', 'ANSWER_INVALID'],
    ['__proto__', 'ANSWER_INVALID'],
    ['swordfish', 'ANSWER_INVALID'],
  ])('error %s is %s', async (error, code) => {
    const answer = new URLSearchParams({ error, state: visit.state, error_description: 'the-code' });
    expect(await refusalOf(signIn('github', answer))).toBe(code);
    expect(server.seen).toEqual([]);
  });

  test('a refused scope is named where the provider names it', async () => {
    const error_description = 'Scope "r_liteprofile" is not authorized for your application';
    const answer = new URLSearchParams({ error: 'unauthorized_scope_error', state: visit.state, error_description });
    await expect(signIn('linkedin', answer)).rejects.toMatchObject({ details: { scope: 'r_liteprofile' } });
  });

  test.each([
    ['another state', 'github', { state: 't'.repeat(43) }],
    ['an error under another state', 'github', { state: 't'.repeat(43), error: 'access_denied' }],
    ['the issuer of another provider', 'google', { iss: 'https://login.microsoftonline.com/common/v2.0' }],
    ['another issuer at a provider that is no OpenID provider', 'github', { iss: 'https://github.com' }],
    ['a tenant that is none', 'microsoft', { iss: 'https://login.microsoftonline.com/../v2.0' }],
    ['an issuer from elsewhere at a provider without a name', 'bitbucket', { iss: 'https://evil.example' }],
    ['an ID token of the implicit flow', 'google', { id_token: 'x' }],
    ['a token of the implicit flow', 'github', { token: 'x' }],
    ['an empty code', 'github', { code: '' }],
  ] as const)('%s is refused before anything is asked', async (_, id, changes) => {
    expect(await refusalOf(signIn(id, answered(changes)))).toBe('ANSWER_INVALID');
    expect(server.seen.filter(({ form }) => form.code !== '')).toEqual([]);
  });

  test.each([['state'], ['code'], ['iss']])('two of %s are refused', async (name) => {
    const answer = answered({ iss: 'https://accounts.google.com' });
    answer.append(name, answer.get(name) ?? '');
    expect(await refusalOf(signIn('google', answer))).toBe('ANSWER_INVALID');
    expect(server.seen).toEqual([]);
  });

  test('a provider without a name may name itself by its own address', async () => {
    server.tell({ '/profile': { json: { account_id: 'ann-1' } }, '/profile/emails': { json: { values: [] } } });
    expect((await signIn('bitbucket', answered({ iss: 'https://bitbucket.org' }))).profile.accountId).toBe('ann-1');
  });
});

describe('the token endpoint', () => {
  const says = (id: ProviderId, json: unknown, code: string, at = 400) => [id, json, code, at] as const;
  test.each([
    says('google', { error: 'invalid_grant', error_description: 'Malformed auth code: the-code' }, 'CODE_REFUSED'),
    says('google', { error: 'invalid_client', error_description: 'Unauthorized' }, 'KEYS_REFUSED', 401),
    says('google', { error: 'unauthorized_client' }, 'KEYS_REFUSED'),
    says('google', { error: 'invalid_scope' }, 'SCOPE_REFUSED'),
    says('google', { error: 'access_denied' }, 'ACCESS_DENIED'),
    says('google', { error: 'internal_failure' }, 'ANSWER_INVALID'),
    says('google', { message: 'no' }, 'ANSWER_INVALID', 403),
    says('google', { message: 'no' }, 'KEYS_REFUSED', 401),
    // Errors with status 200, and words of its own.
    says('github', { error: 'bad_verification_code', error_uri: 'https://docs.github.com' }, 'CODE_REFUSED', 200),
    says('github', { error: 'incorrect_client_credentials' }, 'KEYS_REFUSED', 200),
    says('github', { error: 'redirect_uri_mismatch' }, 'KEYS_REFUSED', 200),
    says('github', { error: '' }, 'ANSWER_INVALID', 200),
    // Errors that are objects.
    says('facebook', { error: { message: 'Error validating client secret.', code: 1 } }, 'KEYS_REFUSED'),
    says('facebook', { error: { message: 'Invalid application ID.', code: 101 } }, 'KEYS_REFUSED'),
    says('facebook', { error: { message: 'This authorization code has been used.', code: 100 } }, 'CODE_REFUSED'),
    says('facebook', { error: { message: 'Please reduce the amount.', code: 4 } }, 'ANSWER_INVALID'),
    // A wrong code, told in the text alone.
    says(
      'linkedin',
      { error: 'invalid_request', error_description: 'Unable to retrieve access token: authorization code not found' },
      'CODE_REFUSED',
    ),
    says(
      'x',
      { error: 'invalid_request', error_description: 'Value passed for the authorization code was invalid.' },
      'CODE_REFUSED',
    ),
    says('x', { error: 'invalid_request', error_description: 'Missing required parameter' }, 'ANSWER_INVALID'),
    says(
      'x',
      { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
      'KEYS_REFUSED',
      401,
    ),
    says('gitlab', { error: 'invalid_grant' }, 'CODE_REFUSED'),
  ])('of %s says %j: %s', async (id, json, code, at) => {
    server.tell({ '/token': { json, status: at } });
    expect(await refusalOf(signIn(id))).toBe(code);
    expect(server.seen.map(({ path }) => path)).toEqual(['/token']);
  });

  test('that says who may not come in by a header is understood all the same', async () => {
    server.tell({
      '/token': (response) => {
        response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' });
        response.end(JSON.stringify({ error: 'invalid_client' }));
      },
    });
    expect(await refusalOf(signIn('github'))).toBe('KEYS_REFUSED');
  });

  test.each<[string, Told, string]>([
    ['is broken', status(500, html), 'UNREACHABLE'],
    ['is under repair', status(503, '{}', 'application/json'), 'UNREACHABLE'],
    ['has enough of us', status(429), 'UNREACHABLE'],
    ['leads elsewhere', redirect, 'UNREACHABLE'],
    ['breaks off', halfAnAnswer, 'UNREACHABLE'],
    ['answers with a page', status(200, html), 'ANSWER_INVALID'],
    ['refuses with a page', status(400, html), 'ANSWER_INVALID'],
    ['answers nothing', status(200, ''), 'ANSWER_INVALID'],
    ['answers half of a text', status(200, '{"access_token":', 'application/json'), 'ANSWER_INVALID'],
    ['answers too much', huge, 'ANSWER_INVALID'],
    ['does not stop', endless, 'ANSWER_INVALID'],
    ['answers a list', { json: [tokens] }, 'ANSWER_INVALID'],
    ['answers null', { json: null }, 'ANSWER_INVALID'],
    ['gives no token', { json: { token_type: 'bearer' } }, 'ANSWER_INVALID'],
    ['gives an empty token', { json: { ...tokens, access_token: '' } }, 'ANSWER_INVALID'],
    ['gives a token that splits a header', { json: { ...tokens, access_token: 'a\r\nx: y' } }, 'ANSWER_INVALID'],
    ['gives a token of another kind', { json: { ...tokens, token_type: 'mac' } }, 'ANSWER_INVALID'],
    ['gives a number', { json: { ...tokens, access_token: 42 } }, 'ANSWER_INVALID'],
  ])('%s', async (_, told, code) => {
    server.tell({ '/token': told });
    expect(await refusalOf(signIn('github'))).toBe(code);
    expect(server.seen.map(({ path }) => path)).toEqual(['/token']);
  });

  test('a code that was used already is refused as the provider says', async () => {
    let uses = 0;
    server.tell({
      '/token': (response) => {
        uses += 1;
        response.writeHead(uses === 1 ? 200 : 400, { 'content-type': 'application/json' });
        response.end(JSON.stringify(uses === 1 ? tokens : { error: 'invalid_grant' }));
      },
    });
    await signIn('gitlab');
    expect(await refusalOf(signIn('gitlab'))).toBe('CODE_REFUSED');
  });

  test('nobody listens', async () => {
    const gone = await startProviderServer();
    await gone.close();
    const alone = createOAuthProviders({
      ...{ sharedKeys: {}, sharedIssuer: null, now: () => now },
      entries: { github: entryAt(providerEntries.github, gone.url) },
    });
    expect(await refusalOf(alone.identify(keysOf('github'), visit, answered()))).toBe('UNREACHABLE');
  });

  test('plain HTTP to anywhere but this machine is not spoken', async () => {
    const plain = createOAuthProviders({
      ...{ sharedKeys: {}, sharedIssuer: null, now: () => now },
      entries: { github: { ...providerEntries.github, tokenEndpoint: 'http://github.invalid/token' } },
    });
    expect(await refusalOf(plain.identify(keysOf('github'), visit, answered()))).toBe('UNREACHABLE');
  });
});

describe('a provider that takes its time', () => {
  test.each(['/token', '/keys', '/profile'])('at %s', async (path) => {
    server.tell({ [path]: silence });
    const started = performance.now();
    const hurried = providers({ timeoutMs: 150 });
    expect(await refusalOf(hurried.identify(keysOf('google'), visit, answered()))).toBe('UNREACHABLE');
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('in small pieces, over the whole visit', async () => {
    server.tell({
      '/token': (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const dripping = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(dripping));
      },
    });
    expect(await refusalOf(providers({ timeoutMs: 150 }).identify(keysOf('github'), visit, answered()))).toBe(
      'UNREACHABLE',
    );
    const shortly = providers({ timeoutMs: 150 }).refresh(keysOf('github'), 'refresh-42', null);
    expect(await refusalOf(shortly)).toBe('UNREACHABLE');
  });
});

describe('the ID token', () => {
  const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const [, payload = '', signature = ''] = idToken(claims).split('.');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  const [head = ''] = idToken(claims).split('.');
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody-else' })).toString('base64url');

  test.each([
    ['is missing', undefined],
    ['is no token', 'abc'],
    ['has no JSON in it', 'a.b.c'],
    ['has odd parts', 'bnVsbA.bnVsbA.bnVsbA'],
    ['is of another issuer', idToken({ ...claims, iss: 'https://evil.example' })],
    ['is for another client', idToken({ ...claims, aud: 'somebody-else' })],
    ['is for several, and given to another', idToken({ ...claims, aud: ['our-id', 'b'], azp: 'b' })],
    ['has expired', idToken({ ...claims, exp: nowSeconds - 31 })],
    ['is not good yet', idToken({ ...claims, nbf: nowSeconds + 40 })],
    ['never expires', idToken({ ...claims, exp: undefined })],
    ['has nobody in it', idToken({ ...claims, sub: undefined })],
    ['is of another person than the profile', idToken({ ...claims, sub: 'somebody-else' })],
    ['answers another question', idToken({ ...claims, nonce: 'n' })],
    ['is signed by another key', idToken(claims, { key: otherKey })],
    ['is signed by a key that nobody knows', idToken(claims, { header: { kid: 'two' } })],
    ['was changed', `${head}.${forged}.${signature}`],
    ['is not signed', `${unsigned}.${payload}.`],
    ['is signed by our secret, or says so', idToken(claims, { header: { alg: 'HS256' } })],
    ['is signed in a way that nobody announced', idToken(claims, { header: { alg: 'ES256' } })],
    ['brings a rule of its own', idToken(claims, { header: { crit: ['b64'], b64: true } })],
    ['is encrypted', 'a.b.c.d.e'],
  ])('that %s is refused', async (_, token) => {
    server.tell({ '/token': { json: { ...tokens, id_token: token } } });
    expect(await refusalOf(signIn('google'))).toBe('ANSWER_INVALID');
    const profileSeen = server.seen.some(({ path }) => path === '/profile');
    expect(profileSeen).toBe(token === idToken({ ...claims, sub: 'somebody-else' }));
  });

  test.each([
    ['just expired', { exp: nowSeconds - 20 }],
    ['not quite good yet', { nbf: nowSeconds + 29 }],
  ])('that is %s by our clock is taken', async (_, changes) => {
    server.tell({ '/token': { json: { ...tokens, id_token: idToken({ ...claims, ...changes }) } } });
    expect((await signIn('google')).profile.accountId).toBe('ann-1');
  });

  test.each<[string, Told, string]>([
    ['are gone', { json: {}, status: 404 }, 'ANSWER_INVALID'],
    ['are broken', status(500), 'UNREACHABLE'],
    ['are elsewhere', redirect, 'UNREACHABLE'],
    ['are a page', status(200, html), 'ANSWER_INVALID'],
    ['are no list', { json: { keys: 'x' } }, 'ANSWER_INVALID'],
    ['are no keys', { json: { keys: [null, 1, {}] } }, 'ANSWER_INVALID'],
    ['are malformed', { json: { keys: [{ kty: 'RSA', kid: 'one', n: 1, e: {} }] } }, 'ANSWER_INVALID'],
    ['are too many', { json: { keys: [], padding: 'x'.repeat(longestAnswerBytes) } }, 'ANSWER_INVALID'],
  ])('whose keys %s is refused', async (_, told, code) => {
    server.tell({ '/keys': told });
    expect(await refusalOf(signIn('google'))).toBe(code);
  });

  test('has its keys asked for once', async () => {
    const same = providers();
    for (const _ of [1, 2, 3]) await same.identify(keysOf('google'), visit, answered());
    expect(server.seen.filter(({ path }) => path === '/keys')).toHaveLength(1);
  });

  test.each([
    ['its tenant', { iss: `https://login.microsoftonline.com/${microsoftTenant}/v2.0`, tid: microsoftTenant }, null],
    [
      'another tenant than it names',
      { iss: 'https://login.microsoftonline.com/00000000-0000-4000-8000-000000000000/v2.0', tid: microsoftTenant },
      'ANSWER_INVALID',
    ],
    ['no tenant', { iss: `https://login.microsoftonline.com/${microsoftTenant}/v2.0` }, 'ANSWER_INVALID'],
    ['somewhere else', { iss: `https://evil.example/${microsoftTenant}/v2.0`, tid: microsoftTenant }, 'ANSWER_INVALID'],
  ])('of microsoft, issued by %s', async (_, changes, code) => {
    server.tell({
      '/token': { json: { ...tokens, id_token: idToken({ ...claims, ...changes }) } },
      '/profile': { json: { id: 'ann-1' } },
    });
    const answer = answered({ iss: `https://login.microsoftonline.com/${microsoftTenant}/v2.0` });
    const signed = signIn('microsoft', answer);
    if (code === null) expect((await signed).profile.accountId).toBe('ann-1');
    else expect(await refusalOf(signed)).toBe(code);
  });

  test('of a provider that need not give one is not looked at', async () => {
    server.tell({ '/token': { json: { ...tokens, id_token: 'nonsense' } } });
    expect((await signIn('github')).profile.accountId).toBe('42');
  });
});

describe('the profile', () => {
  test.each<[string, Told, string]>([
    ['is refused', { json: { message: 'Bad credentials' }, status: 401 }, 'ANSWER_INVALID'],
    ['is broken', status(502, html), 'UNREACHABLE'],
    ['is elsewhere', redirect, 'UNREACHABLE'],
    ['is a page', status(200, html), 'ANSWER_INVALID'],
    ['is too long', huge, 'ANSWER_INVALID'],
    ['does not stop', endless, 'ANSWER_INVALID'],
    ['breaks off', halfAnAnswer, 'UNREACHABLE'],
    ['is a list', { json: [github] }, 'ANSWER_INVALID'],
    ['is null', { json: null }, 'ANSWER_INVALID'],
    ['is of nobody', { json: { name: 'Ann' } }, 'ANSWER_INVALID'],
    ['is of a person without an id', { json: { id: ' ' } }, 'ANSWER_INVALID'],
    ['is of a person with half a number', { json: { id: 1.5 } }, 'ANSWER_INVALID'],
    ['is of a person with a number that is not exact', status(200, '{"id":9007199254740993}'), 'ANSWER_INVALID'],
    ['is of a person with an odd id', { json: { id: { $gt: '' } } }, 'ANSWER_INVALID'],
    ['is of a person with an endless id', { json: { id: 'x'.repeat(256) } }, 'ANSWER_INVALID'],
    ['is of a person with an invisible id', { json: { id: 'a\u0000b' } }, 'ANSWER_INVALID'],
  ])('that %s', async (_, told, code) => {
    server.tell({ '/profile': told });
    expect(await refusalOf(signIn('github'))).toBe(code);
    expect(server.seen.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  test('with addresses that can not be read is refused: without them the person would be somebody new', async () => {
    for (const told of [{ json: { emails } }, { json: {}, status: 403 }, status(500), status(200, html)]) {
      server.tell({ '/profile/emails': told });
      expect(await refusalOf(signIn('github'))).toMatch(/ANSWER_INVALID|UNREACHABLE/);
    }
  });
});

describe('renewing', () => {
  const refresh = (id: ProviderId, scope: string | null = null) => providers().refresh(keysOf(id), 'refresh-42', scope);

  test('asks for the scope as it is, or for none, and proves who we are', async () => {
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
    ['refused', { json: { error: 'invalid_grant' }, status: 400 }, 'PROVIDER_REJECTED'],
    ['refused with 200', { json: { error: 'bad_refresh_token' } }, 'PROVIDER_REJECTED'],
    ['refused for our keys', { json: { error: 'invalid_client' }, status: 401 }, 'PROVIDER_REJECTED'],
    ['refused for the scope', { json: { error: 'invalid_scope' }, status: 400 }, 'PROVIDER_REJECTED'],
    ['refused without a word', { json: {}, status: 401 }, 'PROVIDER_REJECTED'],
    ['put off', { json: { error: 'temporarily_unavailable' }, status: 400 }, 'UNREACHABLE'],
    ['broken', status(500), 'UNREACHABLE'],
    ['elsewhere', redirect, 'UNREACHABLE'],
    ['a page', status(200, html), 'UNREACHABLE'],
    ['no token', { json: {} }, 'UNREACHABLE'],
    ['too much', huge, 'UNREACHABLE'],
  ])('that is %s', async (_, told, code) => {
    server.tell({ '/token': told });
    expect(await refusalOf(refresh('github'))).toBe(code);
  });
});

describe('the life of an access token', () => {
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

test.each([
  { clientId: '', clientSecret: 'x' },
  { clientId: 'x', clientSecret: '' },
])('keys that are empty are none: %j', async (empty) => {
  const keys = { id: 'github', type: 'standard', ...empty } as const;
  expect(await refusalOf(providers().authorizationUrl(keys, visit, []))).toBe('KEYS_REFUSED');
  expect(await refusalOf(providers().identify(keys, visit, answered()))).toBe('KEYS_REFUSED');
});
