import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { maxResponseBytes } from './request.ts';
import { answered, authorization, nowSeconds } from './testing/authorization.ts';
import {
  claims,
  emails,
  endless,
  github,
  halfAnAnswer,
  html,
  huge,
  keysOf,
  startMisbehavingProvider,
  status,
  tokens,
  toRejection,
} from './testing/misbehaving-provider.ts';
import { idToken, type Told } from './testing/provider-server.ts';

const { server, providers, signIn, redirect } = await startMisbehavingProvider();

const microsoftTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';

describe('an ID token', () => {
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
  ])('that %s is rejected', async (_, token) => {
    server.tell({ '/token': { json: { ...tokens, id_token: token } } });
    expect(await toRejection(signIn('google'))).toBe('RESPONSE_INVALID');
    const profileSeen = server.seen.some(({ path }) => path === '/profile');
    expect(profileSeen).toBe(token === idToken({ ...claims, sub: 'somebody-else' }));
  });

  test.each([
    ['just expired', { exp: nowSeconds - 20 }],
    ['not quite good yet', { nbf: nowSeconds + 29 }],
  ])('that is %s by our clock is accepted', async (_, changes) => {
    server.tell({ '/token': { json: { ...tokens, id_token: idToken({ ...claims, ...changes }) } } });
    expect((await signIn('google')).profile.accountId).toBe('ann-1');
  });

  test.each<[string, Told, string]>([
    ['are gone', { json: {}, status: 404 }, 'RESPONSE_INVALID'],
    ['are broken', status(500), 'UNREACHABLE'],
    ['are elsewhere', redirect, 'UNREACHABLE'],
    ['are a page', status(200, html), 'RESPONSE_INVALID'],
    ['are not a list', { json: { keys: 'x' } }, 'RESPONSE_INVALID'],
    ['are not keys', { json: { keys: [null, 1, {}] } }, 'RESPONSE_INVALID'],
    ['are malformed', { json: { keys: [{ kty: 'RSA', kid: 'one', n: 1, e: {} }] } }, 'RESPONSE_INVALID'],
    ['are too many', { json: { keys: [], padding: 'x'.repeat(maxResponseBytes) } }, 'RESPONSE_INVALID'],
  ])('whose keys %s is rejected', async (_, told, code) => {
    server.tell({ '/keys': told });
    expect(await toRejection(signIn('google'))).toBe(code);
  });

  test('has its keys fetched once', async () => {
    const same = providers();
    for (const _ of [1, 2, 3]) await same.identify(keysOf('google'), authorization, answered());
    expect(server.seen.filter(({ path }) => path === '/keys')).toHaveLength(1);
  });

  test.each([
    ['its tenant', { iss: `https://login.microsoftonline.com/${microsoftTenant}/v2.0`, tid: microsoftTenant }, null],
    [
      'another tenant than it names',
      { iss: 'https://login.microsoftonline.com/00000000-0000-4000-8000-000000000000/v2.0', tid: microsoftTenant },
      'RESPONSE_INVALID',
    ],
    ['no tenant', { iss: `https://login.microsoftonline.com/${microsoftTenant}/v2.0` }, 'RESPONSE_INVALID'],
    [
      'somewhere else',
      { iss: `https://evil.example/${microsoftTenant}/v2.0`, tid: microsoftTenant },
      'RESPONSE_INVALID',
    ],
  ])('of microsoft, issued by %s', async (_, changes, code) => {
    server.tell({
      '/token': { json: { ...tokens, id_token: idToken({ ...claims, ...changes }) } },
      '/profile': { json: { id: 'ann-1' } },
    });
    const answer = answered({ iss: `https://login.microsoftonline.com/${microsoftTenant}/v2.0` });
    const signed = signIn('microsoft', answer);
    if (code === null) expect((await signed).profile.accountId).toBe('ann-1');
    else expect(await toRejection(signed)).toBe(code);
  });

  test('of a provider that does not require one is ignored', async () => {
    server.tell({ '/token': { json: { ...tokens, id_token: 'nonsense' } } });
    expect((await signIn('github')).profile.accountId).toBe('42');
  });
});

describe('a profile', () => {
  test.each<[string, Told, string]>([
    ['is rejected', { json: { message: 'Bad credentials' }, status: 401 }, 'RESPONSE_INVALID'],
    ['is broken', status(502, html), 'UNREACHABLE'],
    ['is elsewhere', redirect, 'UNREACHABLE'],
    ['is a page', status(200, html), 'RESPONSE_INVALID'],
    ['is too long', huge, 'RESPONSE_INVALID'],
    ['does not stop', endless, 'RESPONSE_INVALID'],
    ['breaks off', halfAnAnswer, 'UNREACHABLE'],
    ['is a list', { json: [github] }, 'RESPONSE_INVALID'],
    ['is null', { json: null }, 'RESPONSE_INVALID'],
    ['is of nobody', { json: { name: 'Ann' } }, 'RESPONSE_INVALID'],
    ['is of a person without an id', { json: { id: ' ' } }, 'RESPONSE_INVALID'],
    ['is of a person with half a number', { json: { id: 1.5 } }, 'RESPONSE_INVALID'],
    ['is of a person with a number that is not exact', status(200, '{"id":9007199254740993}'), 'RESPONSE_INVALID'],
    ['is of a person with an odd id', { json: { id: { $gt: '' } } }, 'RESPONSE_INVALID'],
    ['is of a person with an endless id', { json: { id: 'x'.repeat(256) } }, 'RESPONSE_INVALID'],
    ['is of a person with an invisible id', { json: { id: 'a\u0000b' } }, 'RESPONSE_INVALID'],
  ])('that %s', async (_, told, code) => {
    server.tell({ '/profile': told });
    expect(await toRejection(signIn('github'))).toBe(code);
    expect(server.seen.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  test("is rejected when its addresses can't be read", async () => {
    for (const told of [{ json: { emails } }, { json: {}, status: 403 }, status(500), status(200, html)]) {
      server.tell({ '/profile/emails': told });
      expect(await toRejection(signIn('github'))).toMatch(/RESPONSE_INVALID|UNREACHABLE/);
    }
  });
});
