import { describe, expect, test } from 'vitest';
import { answered, authorization } from './testing/authorization.ts';
import { keysOf, silence, startMisbehavingProvider, toRejection } from './testing/misbehaving-provider.ts';

const { server, providers, signIn } = await startMisbehavingProvider();

test('the test provider accepts a sign-in by default', async () => {
  expect((await signIn('github')).profile.accountId).toBe('42');
  expect((await signIn('google')).profile.accountId).toBe('ann-1');
});

describe('an authorization response', () => {
  test.each([
    ['access_denied', 'ACCESS_DENIED'],
    ['consent_required', 'ACCESS_DENIED'],
    ['user_cancelled_login', 'ACCESS_DENIED'],
    ['user_cancelled_authorize', 'ACCESS_DENIED'],
    ['invalid_scope', 'SCOPE_REJECTED'],
    ['unauthorized_scope_error', 'SCOPE_REJECTED'],
    ['unauthorized_client', 'KEYS_REJECTED'],
    ['redirect_uri_mismatch', 'KEYS_REJECTED'],
    ['server_error', 'UNREACHABLE'],
    ['temporarily_unavailable', 'UNREACHABLE'],
    ['interaction_required', 'RESPONSE_INVALID'],
    ['__proto__', 'RESPONSE_INVALID'],
    ['swordfish', 'RESPONSE_INVALID'],
  ])('error %s is %s', async (error, code) => {
    const answer = new URLSearchParams({ error, state: authorization.state, error_description: 'the-code' });
    expect(await toRejection(signIn('github', answer))).toBe(code);
    expect(server.seen).toEqual([]);
  });

  test('names the rejected scope if the provider does', async () => {
    const error_description = 'Scope "r_liteprofile" is not authorized for your application';
    const answer = new URLSearchParams({
      error: 'unauthorized_scope_error',
      state: authorization.state,
      error_description,
    });
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
  ] as const)('with %s is rejected before any request', async (_, id, changes) => {
    expect(await toRejection(signIn(id, answered(changes)))).toBe('RESPONSE_INVALID');
    expect(server.seen.filter(({ form }) => form.code !== '')).toEqual([]);
  });

  test.each([['state'], ['code'], ['iss']])('with two %s parameters is rejected', async (name) => {
    const answer = answered({ iss: 'https://accounts.google.com' });
    answer.append(name, answer.get(name) ?? '');
    expect(await toRejection(signIn('google', answer))).toBe('RESPONSE_INVALID');
    expect(server.seen).toEqual([]);
  });

  test('of a provider without an issuer may use its origin as iss', async () => {
    server.tell({ '/profile': { json: { account_id: 'ann-1' } }, '/profile/emails': { json: { values: [] } } });
    expect((await signIn('bitbucket', answered({ iss: 'https://bitbucket.org' }))).profile.accountId).toBe('ann-1');
  });
});

describe('a slow provider', () => {
  test.each(['/token', '/keys', '/profile'])('at %s', async (path) => {
    server.tell({ [path]: silence });
    const hurried = providers({ timeoutMs: 150 });
    expect(await toRejection(hurried.identify(keysOf('google'), authorization, answered()))).toBe('UNREACHABLE');
  });

  test('in small pieces over the whole sign-in', async () => {
    server.tell({
      '/token': (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const dripping = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(dripping));
      },
    });
    expect(await toRejection(providers({ timeoutMs: 150 }).identify(keysOf('github'), authorization, answered()))).toBe(
      'UNREACHABLE',
    );
    const shortly = providers({ timeoutMs: 150 }).refresh(keysOf('github'), 'refresh-42', null);
    expect(await toRejection(shortly)).toBe('UNREACHABLE');
  });
});

test.each([
  { clientId: '', clientSecret: 'x' },
  { clientId: 'x', clientSecret: '' },
])('empty keys are rejected: %j', async (empty) => {
  const keys = { id: 'github', type: 'standard', ...empty } as const;
  expect(await toRejection(providers().authorizationUrl(keys, authorization, []))).toBe('KEYS_REJECTED');
  expect(await toRejection(providers().identify(keys, authorization, answered()))).toBe('KEYS_REJECTED');
});
