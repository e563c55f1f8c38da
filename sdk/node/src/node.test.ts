import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { generateKeyPair } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuthOptions } from './authenticate.ts';
import * as forExpress from './express.ts';
import * as forFastify from './fastify.ts';
import * as forHono from './hono.ts';
import { createAuthenticate, readAccessToken, UnavailableError } from './index.ts';
import { type Issuer, projectId, startIssuer, userId } from './testing/issuer.ts';

type Answer = { status: number; challenge: string | null; retryAfter: string | null; body: unknown };
type Get = (path: string, headers: Record<string, string>) => Promise<Answer>;
/** An app with `/me`, which requires a user, and `/hello`, which does not. */
type Framework = { name: string; start(options: AuthOptions): Promise<{ get: Get; stop(): Promise<unknown> }> };

let issuer: Issuer;
beforeEach(async () => {
  issuer = await startIssuer();
});
afterEach(() => issuer.stop());

const optionsOf = (changes: Partial<AuthOptions> = {}) => ({ baseUrl: issuer.url, projectId, ...changes });
const toAnswer = async (response: Response): Promise<Answer> => ({
  status: response.status,
  challenge: response.headers.get('www-authenticate'),
  retryAfter: response.headers.get('retry-after'),
  body: await response.json().catch(() => null),
});

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const get: Get = async (path, headers) => toAnswer(await fetch(`http://127.0.0.1:${port}${path}`, { headers }));
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { get, stop };
}

const frameworks: Framework[] = [
  {
    name: 'Hono',
    start: async (options) => {
      const app = new Hono()
        .get('/me', forHono.requireUser(options), (c) => c.json({ id: c.var.user.id }))
        .get('/hello', forHono.readUser(options), (c) => c.json({ id: c.var.user?.id ?? null }));
      return { get: async (path, headers) => toAnswer(await app.request(path, { headers })), stop: async () => {} };
    },
  },
  {
    name: 'Express',
    start: async (options) => {
      const app = express();
      app.get('/me', forExpress.requireUser(options), (request, response) => {
        response.json({ id: forExpress.getUser(request).id });
      });
      app.get('/hello', forExpress.readUser(options), (request, response) => {
        response.json({ id: forExpress.findUser(request)?.id ?? null });
      });
      return listen(app);
    },
  },
  {
    name: 'Fastify',
    start: async (options) => {
      const app = fastify();
      app.get('/me', { onRequest: forFastify.requireUser(options) }, (request) => ({
        id: forFastify.getUser(request).id,
      }));
      app.get('/hello', { onRequest: forFastify.readUser(options) }, (request) => ({
        id: forFastify.findUser(request)?.id ?? null,
      }));
      await app.ready();
      return listen((request, response) => app.routing(request, response));
    },
  },
];

describe.each(frameworks)('the middleware for $name', ({ start }) => {
  let app: Awaited<ReturnType<Framework['start']>>;
  beforeEach(async () => {
    app = await start(optionsOf());
  });
  afterEach(() => app.stop());
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('gives a route the signed-in user', async () => {
    const headers = bearer(await issuer.issue());
    expect(await app.get('/me', headers)).toMatchObject({ status: 200, body: { id: userId } });
    expect(await app.get('/hello', headers)).toMatchObject({ status: 200, body: { id: userId } });
  });

  test('rejects requests without a token, with a challenge', async () => {
    expect(await app.get('/me', {})).toMatchObject({
      status: 401,
      challenge: 'Bearer',
      body: { error: 'unauthorized' },
    });
    expect(await app.get('/hello', {})).toMatchObject({ status: 200, body: { id: null } });
  });

  test('rejects invalid tokens, with a challenge', async () => {
    const headers = bearer(await issuer.issue({ exp: 1_700_000_000 }));
    expect(await app.get('/me', headers)).toEqual({
      status: 401,
      retryAfter: null,
      challenge: expect.stringMatching(/^Bearer error="invalid_token", error_description="[^"]+"$/),
      body: { error: 'invalid_token', error_description: expect.stringContaining('exp') },
    });
    expect(await app.get('/hello', headers)).toMatchObject({ status: 200, body: { id: null } });
  });

  test('rejects restricted users with 403', async () => {
    const restriction = { is_restricted: true, restricted_reason: { type: 'email_not_verified' } };
    expect(await app.get('/me', bearer(await issuer.issue(restriction)))).toMatchObject({
      status: 403,
      body: { error: 'restricted_user' },
    });
  });

  test.each([429, 503])('responds with 503, not 401, if Gatebook answers %i', async (status) => {
    const checking = await start(optionsOf({ sessionCheckSeconds: 0 }));
    const headers = bearer(await issuer.issue());
    for (const path of ['/me', '/hello']) expect(await checking.get(path, headers)).toMatchObject({ status: 200 });
    Object.assign(issuer.state, { isUp: false, downStatus: status });
    for (const path of ['/me', '/hello']) {
      expect(await checking.get(path, headers)).toMatchObject({ status: 503, challenge: null, retryAfter: '7' });
      expect(await app.get(path, headers)).toMatchObject({ status: 503, challenge: null });
    }
    await checking.stop();
  });
});

describe('a token', () => {
  const authenticate = async (token: string, options: Partial<AuthOptions> = {}) =>
    createAuthenticate(optionsOf(options))({ authorization: `Bearer ${token}` });

  test('gives the user with all claims', async () => {
    const accessToken = await issuer.issue();
    const { user } = await authenticate(accessToken);
    expect(user).toEqual({
      id: userId,
      email: 'ann@example.com',
      isEmailVerified: true,
      displayName: 'Ann',
      selectedTeamId: null,
      isAnonymous: false,
      restrictedReason: null,
      signedUpAt: new Date(1_700_000_000_000),
      sessionId: issuer.claims.refresh_token_id,
      authenticatedAt: new Date(1_700_000_100_000),
      impersonator: null,
      expiresAt: new Date(issuer.claims.exp * 1000),
      accessToken,
    });
  });

  test('names who acts in the name of the user', async () => {
    const token = await issuer.issue({
      is_impersonation: true,
      act: { kind: 'owner', sub: 'o1' },
      auth_time: undefined,
    });
    const { user } = await authenticate(token);
    expect(user).toMatchObject({ impersonator: { kind: 'owner', id: 'o1' }, authenticatedAt: null });
  });

  test.each([
    ['of another project', () => issuer.issue({ aud: 'another' })],
    ['of another issuer', () => issuer.issue({ iss: 'https://other.example/api/v1/projects/p' })],
    ['without a session', () => issuer.issue({ refresh_token_id: undefined })],
    ['without an expiry', () => issuer.issue({ exp: undefined })],
    ['signed with another key', async () => issuer.issue({}, (await generateKeyPair('ES256')).privateKey)],
    [
      'signed with the public key as a secret',
      () => issuer.issue({}, Buffer.from(JSON.stringify(issuer.jwks.keys[0])), 'HS256'),
    ],
    ['that is no JWT', async () => 'abc'],
  ])('%s is rejected', async (_, issue) => {
    expect(await authenticate(await issue())).toMatchObject({ user: null, rejection: { status: 401 } });
  });

  test('of an anonymous user is accepted only if that is allowed', async () => {
    const token = await issuer.issue({
      is_anonymous: true,
      is_restricted: true,
      restricted_reason: { type: 'anonymous' },
    });
    expect(await authenticate(token)).toMatchObject({ rejection: { status: 401 } });
    expect(await authenticate(token, { allowAnonymous: true })).toMatchObject({ user: { isAnonymous: true } });
  });

  test('of a restricted user is accepted only if that is allowed', async () => {
    const token = await issuer.issue({ is_restricted: true, restricted_reason: { type: 'email_not_verified' } });
    const { user } = await authenticate(token, { allowRestricted: true });
    expect(user).toMatchObject({ restrictedReason: 'email_not_verified' });
  });

  test('may name a public URL that differs from the one of this server', async () => {
    const token = await issuer.issue({ iss: `https://auth.example/api/v1/projects/${projectId}` });
    expect(await authenticate(token, { publicUrl: 'https://auth.example/' })).toMatchObject({ user: { id: userId } });
  });
});

test('public keys are loaded once', async () => {
  const authenticate = createAuthenticate(optionsOf());
  for (const _ of [1, 2, 3]) await authenticate({ authorization: `Bearer ${await issuer.issue()}` });
  expect(issuer.requests).toHaveLength(1);
});

describe('a session check', () => {
  test('rejects tokens of ended sessions', async () => {
    const authenticate = createAuthenticate(optionsOf({ sessionCheckSeconds: 0 }));
    const headers = { authorization: `Bearer ${await issuer.issue()}` };
    expect(await authenticate(headers)).toMatchObject({ user: { id: userId } });
    issuer.state.endedSession = true;
    expect(await authenticate(headers)).toMatchObject({ rejection: { status: 401 } });
  });

  test('is repeated after the given time only', async () => {
    const authenticate = createAuthenticate(optionsOf({ sessionCheckSeconds: 60 }));
    const headers = { authorization: `Bearer ${await issuer.issue()}` };
    await authenticate(headers);
    issuer.state.endedSession = true;
    expect(await authenticate(headers)).toMatchObject({ user: { id: userId } });
  });

  test('fails if Gatebook cannot be asked', async () => {
    const authenticate = createAuthenticate(optionsOf({ sessionCheckSeconds: 0 }));
    const headers = { authorization: `Bearer ${await issuer.issue()}` };
    await authenticate(headers);
    issuer.state.isUp = false;
    await expect(authenticate(headers)).rejects.toThrow('answered the session check with 503');
    await expect(authenticate(headers)).rejects.toThrow(UnavailableError);
    await issuer.stop();
    await expect(authenticate(headers)).rejects.toThrow(UnavailableError);
  });
});

test.each([
  ['a bearer token', { authorization: 'bearer abc' }, 'abc'],
  ['the JSON of a client library', { 'x-stack-auth': '{"accessToken":"abc","refreshToken":"r"}' }, 'abc'],
  ['the JSON as a bearer token', { authorization: `Bearer stackauth_${btoa('{"accessToken":"abc"}')}` }, 'abc'],
  ['the header of the API', { 'x-stack-access-token': 'abc' }, 'abc'],
  ['headers of Fetch', new Headers({ Authorization: 'Bearer abc' }), 'abc'],
  ['the JSON of a newer client library', { 'x-hexclave-auth': '{"accessToken":"abc"}' }, 'abc'],
  ['its JSON as a bearer token', { authorization: `Bearer hexclave_${btoa('{"accessToken":"abc"}')}` }, 'abc'],
  ['its header of the API', { 'x-hexclave-access-token': 'abc' }, 'abc'],
  ['malformed JSON', { 'x-stack-auth': '{' }, null],
  ['malformed Base64', { authorization: 'Bearer stackauth_%' }, null],
  ['another scheme', { authorization: 'Basic abc' }, null],
])('the access token is read from %s', (_, headers, token) => {
  expect(readAccessToken(headers)).toBe(token);
});

describe('cookies', () => {
  const access = (token: string) => encodeURIComponent(JSON.stringify(['r1', token]));
  const newer = encodeURIComponent('{"refresh_token":"r1","updated_at_millis":1}');
  test.each([
    ['of 2.8.15', (token: string) => `stack-refresh-${projectId}=r1; stack-access=${access(token)}`],
    [
      'of 2.8.108',
      (token: string) => `hexclave-refresh-${projectId}--default=${newer}; hexclave-access=${access(token)}`,
    ],
  ])('%s are accepted only if that is allowed', async (_, cookiesOf) => {
    const headers = { cookie: cookiesOf(await issuer.issue()) };
    expect(await createAuthenticate(optionsOf({ acceptsCookies: true }))(headers)).toMatchObject({
      user: { id: userId },
    });
    expect(await createAuthenticate(optionsOf())(headers)).toMatchObject({ rejection: { status: 401 } });
  });

  test('of another project are ignored, and headers come first', async () => {
    const cookie = `stack-refresh-another=r1; stack-access=${access('abc')}`;
    expect(readAccessToken({ cookie }, projectId)).toBeNull();
    const own = `stack-refresh-${projectId}=r1; stack-access=${access('abc')}`;
    expect(readAccessToken({ cookie: own, authorization: 'Bearer def' }, projectId)).toBe('def');
  });
});
