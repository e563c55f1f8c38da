import { describe, expect, test } from 'vitest';
import { startTestApi } from '../testing/api.ts';
import { createProject, expectPlain, senderOf } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);

const asServer = () => ({
  'x-stack-access-type': 'server',
  'x-stack-project-id': project.projectId,
  'x-stack-secret-server-key': project.keys.server,
});

type Raw = { method?: string; url?: string; headers?: Record<string, string>; payload?: string | Buffer };
async function raw({ method = 'POST', url = '/api/v1/users', headers = {}, payload }: Raw) {
  const answer = await api.app.inject({
    method: method as 'GET',
    url,
    headers: { ...asServer(), ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  const body = isJson && answer.body !== '' ? answer.json() : null;
  return { status: answer.statusCode, text: answer.body, headers: answer.headers, body };
}
const json = (payload: string | Buffer, headers = {}) =>
  raw({ payload, headers: { 'content-type': 'application/json', ...headers } });

function expectBodyRejected(answer: Awaited<ReturnType<typeof raw>>, says: string): void {
  expect(answer).toMatchObject({
    status: 400,
    headers: { 'x-stack-known-error': 'BODY_PARSING_ERROR' },
    body: { code: 'BODY_PARSING_ERROR', details: { message: expect.stringContaining(says) } },
  });
  expect(answer.body.error).toBe(answer.body.details.message);
}

describe('responses', () => {
  test('have a unique request ID and are not cached', async () => {
    const [one, other] = [await raw({ method: 'GET' }), await raw({ method: 'GET' })];
    expect(one.headers['x-stack-request-id']).toMatch(/^[0-9a-hjkmnp-tv-z]{16}$/);
    expect(one.headers['x-stack-request-id']).not.toBe(other.headers['x-stack-request-id']);
    expect(one.headers['cache-control']).toBe('no-store, max-age=0');
    expect(one.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('forbid browsers to load resources, frame pages and send referrers', async () => {
    const answers = [
      await raw({ method: 'GET' }),
      await json('{'),
      await raw({ method: 'OPTIONS' }),
      await raw({ method: 'PUT' }),
      await raw({ method: 'GET', url: '/api/v1/users/%ff' }),
      await raw({ method: 'GET', url: '/api/nowhere' }),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });

  test('are compact for programs and indented for browsers', async () => {
    const compact = await raw({ method: 'GET' });
    expect(compact.text).toBe(JSON.stringify(compact.body));
    const pretty = await raw({ method: 'GET', headers: { accept: 'text/html,*/*' } });
    expect(pretty.text).toBe(JSON.stringify(compact.body, null, 2));
  });

  test('are always indented for known errors', async () => {
    const answer = await json('{');
    expect(answer.text).toBe(JSON.stringify(answer.body, null, 2));
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('with the override header, errors have status 200 and the real status in a header', async () => {
    for (const name of ['x-stack-override-error-status', 'x-hexclave-override-error-status']) {
      const known = await json('{', { [name]: 'anything' });
      expect(known.status).toBe(200);
      expect(known.headers['x-stack-actual-status']).toBe('400');
      expect(known.body.code).toBe('BODY_PARSING_ERROR');
      const plain = await raw({ url: '/api/v1/nowhere', headers: { [name]: 'true' } });
      expect([plain.status, plain.headers['x-stack-actual-status']]).toEqual([200, '404']);
      const fine = await raw({ method: 'GET', headers: { [name]: 'true' } });
      expect([fine.status, fine.headers['x-stack-actual-status']]).toEqual([200, undefined]);
    }
    const empty = await json('{', { 'x-stack-override-error-status': '' });
    expect(empty.status).toBe(400);
  });
});

describe('CORS', () => {
  const origin = 'https://app.example';
  const corsHeaders = (answer: Awaited<ReturnType<typeof raw>>) =>
    Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));

  test.each(['/api/v1/users', '/api/v1/nowhere', '/api/anything', '/api/v1/users/me?x=1'])(
    'OPTIONS %s',
    async (url) => {
      const answer = await raw({ method: 'OPTIONS', url, headers: { 'x-stack-access-type': 'root' } });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-max-age': '86400',
      });
      const allowed = String(answer.headers['access-control-allow-headers']).split(', ');
      for (const name of [
        'content-type',
        'authorization',
        'idempotency-key',
        'baggage',
        'sentry-trace',
        'traceparent',
        'tracestate',
        'ngrok-skip-browser-warning',
      ]) {
        expect(allowed).toContain(name);
      }
      for (const name of ['access-type', 'refresh-token', 'allow-anonymous-user', 'super-secret-admin-key']) {
        expect(allowed).toContain(`x-stack-${name}`);
        expect(allowed).toContain(`x-hexclave-${name}`);
      }
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  const answersTo = async (headers: Record<string, string>) => [
    await raw({ method: 'GET', headers }),
    await json('{', headers),
    await raw({ method: 'PUT', headers }),
    await raw({ method: 'GET', url: '/api/v1/users/%ff', headers }),
    await raw({ url: '/api/v1/nowhere', headers }),
    await raw({ headers: { ...headers, 'x-stack-secret-server-key': 'wrong' } }),
  ];

  test('a response without an Origin in the request has no headers for it', async () => {
    for (const answer of await answersTo({})) expect(corsHeaders(answer)).toEqual([]);
  });

  test('every response to an Origin, errors too, can be read by any page, and nothing else is sent', async () => {
    for (const answer of await answersTo({ origin })) {
      expect(corsHeaders(answer)).toEqual(['access-control-allow-origin', 'access-control-expose-headers']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-expose-headers']).toContain('x-stack-known-error');
      expect(answer.headers['access-control-expose-headers']).toContain('idempotency-replayed');
    }
  });
});

describe('paths', () => {
  test('unknown ones are reported after the caller is checked', async () => {
    for (const url of ['/api/v1/nowhere?a=1', '/api/v2/users', '/api', '/api/v1/users/', '/api/v1/users/me/x']) {
      const answer = await raw({ method: 'GET', url });
      expectPlain(answer as never, 404);
      expect(answer.text).toContain(url);
    }
    const wrong = await raw({ url: '/api/v1/nowhere', headers: { 'x-stack-secret-server-key': 'no' } });
    expect(wrong.body.code).toBe('INVALID_SECRET_SERVER_KEY');
  });

  test('unsupported methods are reported before anything else', async () => {
    for (const [method, url] of [
      ['PUT', '/api/v1/users/me'],
      ['POST', '/api/v1/users/me'],
      ['GET', '/api/v1/auth/password/sign-in'],
      ['DELETE', '/api/v1/auth/oauth/token'],
      ['PATCH', '/api/v1'],
      ['POST', '/health'],
    ] as const) {
      const answer = await raw({
        method,
        url,
        payload: '{',
        headers: { 'content-type': 'x/y', 'x-stack-access-type': 'root' },
      });
      expectPlain(answer as never, 405);
      expect(answer.headers.allow).toEqual(expect.any(String));
    }
  });

  test('HEAD works on every GET route', async () => {
    const answer = await raw({ method: 'HEAD', url: '/api/v1/projects/current' });
    expect([answer.status, answer.text]).toEqual([200, '']);
    const closed = await raw({ method: 'HEAD', url: '/api/v1/internal/metrics' });
    expect(closed.status).toBe(401);
  });

  test('a malformed escape is rejected', async () => {
    const answer = await raw({ method: 'GET', url: '/api/v1/users/%ff' });
    expectPlain(answer as never, 404);
  });
});

describe('bodies', () => {
  test('are parsed by their content type without its parameters', async () => {
    expect((await json('{}', { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(201);
    expect((await json('{}', { 'content-type': 'application/json;charset="UTF-8"' })).status).toBe(201);
    const text = await raw({ payload: '{}', headers: { 'content-type': 'text/plain' } });
    expect(text.body.code).toBe('SCHEMA_ERROR');
    const bytes = await raw({ payload: '{}', headers: { 'content-type': 'application/octet-stream' } });
    expect(bytes.body.code).toBe('SCHEMA_ERROR');
  });

  test('are ignored without a content type', async () => {
    const sent: Record<string, string>[] = [{}, { 'content-type': '' }];
    for (const headers of sent) {
      const answer = await raw({ payload: '{"display_name":"x"}', headers });
      expect(answer.body.error).toContain('body is required');
    }
  });

  test('as forms are parsed if the route accepts them', async () => {
    const form = await raw({
      url: '/api/v1/auth/oauth/token',
      payload: `grant_type=x&grant_type=refresh_token&client_id=${project.projectId}&client_secret=%C3%9C`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(form.body.code).toBe('INVALID_OAUTH_CLIENT_ID_OR_SECRET');
  });

  test('as forms are rejected by routes that take JSON, since any site can send them', async () => {
    const payload = 'display_name=Mallory';
    const form = await json(payload, { 'content-type': 'application/x-www-form-urlencoded' });
    expectBodyRejected(form, 'send application/json');
  });

  test('in another encoding than UTF-8 are rejected, whatever they contain', async () => {
    for (const charset of ['utf-16', 'iso-8859-1', '"utf-7"']) {
      expectBodyRejected(await json('{}', { 'content-type': `application/json; charset=${charset}` }), 'charset');
    }
  });

  test('with other content types are rejected, and the error names the type', async () => {
    for (const type of ['application/xml', 'multipart/form-data; boundary=x', 'json', 'application/json+x']) {
      expectBodyRejected(await json('{}', { 'content-type': type }), type.split(';')[0] ?? '');
    }
  });

  test('of GET requests are ignored', async () => {
    const answer = await raw({ method: 'GET', payload: 'nonsense', headers: { 'content-type': 'application/xml' } });
    expect(answer.status).toBe(200);
  });

  test('are rejected if they are malformed, empty or not UTF-8', async () => {
    expectBodyRejected(await json('{"a":'), 'not valid JSON');
    expectBodyRejected(await json(''), 'empty');
    expectBodyRejected(await json(' \n'), 'empty');
    expectBodyRejected(await json(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), 'UTF-8');
    expectBodyRejected(
      await raw({ payload: 'a=%ff', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      'form',
    );
  });

  test('are rejected if parsers disagree about them', async () => {
    expectBodyRejected(await json('{"display_name":"a","display_name":"b"}'), 'twice');
    expectBodyRejected(await json('{"client_metadata":[{"a":1,"\\u0061":2}]}'), 'twice');
    expectBodyRejected(await json('{"client_metadata":{"__proto__":{}}}'), '__proto__');
    expectBodyRejected(await json('{"client_metadata":{"constructor":{"prototype":1}}}'), 'prototype');
  });

  test('are rejected if they are too deep, too large or have too many keys', async () => {
    expectBodyRejected(await json(`{"client_metadata":${'['.repeat(64)}${']'.repeat(64)}}`), 'deeper');
    expectBodyRejected(await json(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), 'deeper');
    const keys = Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`).join();
    expectBodyRejected(await json(`{"client_metadata":{${keys}}}`), 'keys');
    expectBodyRejected(await json(`"${'x'.repeat(1_572_864)}"`), 'larger');
    const image = `data:image/png;base64,${'A'.repeat(999_978)}`;
    expect((await json(JSON.stringify({ profile_image_url: image }))).status).toBe(201);
  });

  test('are rejected if they contain NUL or lone surrogates', async () => {
    expect((await json('{"display_name":"a\\u0000"}')).body.error).toContain('body.display_name');
    expect((await json('{"client_metadata":{"a\\u0000":1}}')).body.error).toContain('body.client_metadata');
    expect((await json('{"server_metadata":"\\udc00"}')).body.error).toContain('body.server_metadata');
  });
});

describe('internal errors', () => {
  test('reveal nothing but the request ID', async () => {
    const { rows } = api.deps.db;
    Object.assign(api.deps.db, { rows: () => Promise.reject(new Error('secret detail')) });
    const answer = await raw({ method: 'GET' });
    Object.assign(api.deps.db, { rows });
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toContain(String(answer.headers['x-stack-request-id']));
    expect(answer.text).not.toContain('secret');
  });

  test('report 503 with retry-after on overload and while read models are not ready', async () => {
    const { rows } = api.deps.db;
    for (const error of [
      Object.assign(new Error('busy'), { name: 'OverloadedError', retryAfterSeconds: 3 }),
      Object.assign(new Error('building'), { name: 'ReadModelNotReadyError' }),
    ]) {
      Object.assign(api.deps.db, { rows: () => Promise.reject(error) });
      const answer = await raw({ method: 'GET' });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    Object.assign(api.deps.db, { rows });
  });

  test('report 409 if a write conflicts on every retry', async () => {
    const { rows } = api.deps.db;
    const error = Object.assign(new Error('x'), { name: 'ConcurrencyError' });
    Object.assign(api.deps.db, { rows: () => Promise.reject(error) });
    expectPlain((await raw({ method: 'GET' })) as never, 409);
    Object.assign(api.deps.db, { rows });
  });
});

test('logs contain nothing secret or personal', async () => {
  const lines: string[] = [];
  const { createLogger } = await import('@gatebook/runtime/logger');
  const logger = createLogger({ level: 'trace' }, { write: (line) => lines.push(line) });
  const logged = await startTestApi({ logger });
  const sendLogged = senderOf(logged);
  const body = {
    email: 'canary@example.com',
    password: 'canary password',
    verification_callback_url: 'http://localhost',
  };
  const user = await sendLogged('POST', '/auth/password/sign-up', { body });
  await sendLogged('GET', '/users/me', { as: user.body.access_token });
  await sendLogged('POST', '/auth/password/sign-in', { body: { email: body.email, password: 'canary guess' } });
  await sendLogged('GET', '/users', { as: user.body.access_token });
  Object.assign(logged.deps.db, { rows: () => Promise.reject(new Error('broken')) });
  await sendLogged('GET', '/users/me', { as: user.body.access_token });
  await logged.close().catch(() => undefined);
  const all = lines.join('');
  expect(all).toContain('request failed');
  const rejectedCodes = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'access rejected');
  expect(rejectedCodes).toMatchObject([
    { code: 'EMAIL_PASSWORD_MISMATCH', projectId: 'internal', accessType: 'client' },
    { code: 'INSUFFICIENT_ACCESS_TYPE', userId: user.body.user_id },
  ]);
  for (const secret of ['canary', user.body.access_token, user.body.refresh_token, logged.keys.client]) {
    expect(all).not.toContain(secret);
  }
});
