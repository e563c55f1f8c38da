import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../testing/api.ts';
import { dashboardPages } from './page-paths.ts';

let api: TestApi;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatebook-pages-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Gatebook</title>');
  await mkdir(join(folder, 'pages'));
  for (const page of new Set(Object.values(dashboardPages))) {
    if (page) await writeFile(join(folder, 'pages', `${page}.html`), `<!doctype html><title>Gatebook ${page}</title>`);
  }
  await writeFile(join(folder, 'handler.html'), '<!doctype html><title>Signing in</title>');
  await writeFile(join(folder, 'assets', 'index-4f2a.js'), 'export {}');
  await writeFile(join(folder, 'assets', 'index-4f2a.js.gz'), gzipSync('export {}'));
  await writeFile(join(folder, 'favicon.svg'), '<svg/>');
  api = await startTestApi({ overrides: () => ({ dashboardFolder: folder }) });
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

test.each([
  ['/', 'Gatebook projects'],
  ['/sign-in', 'Gatebook'],
  ['/projects/1/users?query=a', 'Gatebook users'],
  ['/projects/', 'Gatebook projects'],
  ['/projects/1/users/2/', 'Gatebook user'],
  ['/operations', 'Gatebook operations'],
  ['/setup?token=a.b', 'Gatebook setup'],
  ['/handler/sign-in?after_auth_return_to=%2Fprojects', 'Signing in'],
  ['/handler/magic-link-callback?code=a.b', 'Signing in'],
  ['/handler/sign-in/', 'Signing in'],
  ['/handler/signin', 'Signing in'],
  ['/handler/login', 'Signing in'],
])('%s serves the page %s', async (url, title) => {
  const answer = await api.app.inject(url);
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain(`<title>${title}</title>`);
  expect(answer.headers['content-type']).toMatch(/^text\/html/);
  expect(answer.headers['cache-control']).toBe('no-cache');
  expect(String(answer.headers['content-security-policy'])).toContain("script-src 'self'");
});

describe.each(['GET', 'HEAD'] as const)('%s of an unknown path', (method) => {
  test.each([
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/change-password',
    '/scim/v2/Users',
    '/metrics',
    '/metrics/',
    '/oauth2/token',
    '/saml/metadata',
    '/dashboard',
    '/handlers',
    '/project',
    '/operations/1',
    '/sign-in/more',
    '//projects',
    '/wp-login.php?a=b',
  ])('%s gets 404 without a page', async (url) => {
    for (const one of [url, `${url.replace(/\/$/, '')}/`]) {
      const answer = await api.app.inject({ method, url: one, headers: { accept: 'text/html' } });
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    }
  });

  test.each([
    ['/projects/1/nowhere', 'Gatebook'],
    ['/projects/1/users/2/3', 'Gatebook'],
    ['/handler', 'Signing in'],
    ['/handler/', 'Signing in'],
    ['/handler/not.a.page', 'Signing in'],
  ])('%s gets 404 with the page %s, which says so', async (url, title) => {
    const answer = await api.app.inject({ method, url });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    if (method === 'GET') expect(answer.body).toContain(`<title>${title}</title>`);
  });
});

test('HEAD of a page gets its headers', async () => {
  const { statusCode, headers, body } = await api.app.inject({ method: 'HEAD', url: '/projects' });
  expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', '']);
});

test('pages can’t be framed and run no foreign scripts', async () => {
  const { headers } = await api.app.inject('/');
  const policy = String(headers['content-security-policy']);
  for (const part of [
    "default-src 'self'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'self'",
  ]) {
    expect(policy).toContain(part);
  }
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  });
  expect(headers['strict-transport-security']).toBeUndefined();
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('a precompressed file is sent to clients that accept the encoding', async () => {
  const url = '/assets/index-4f2a.js';
  const packed = await api.app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: expect.stringContaining('accept-encoding'),
  });
  expect(packed.headers['content-type']).toMatch(/javascript/);
  expect(gunzipSync(packed.rawPayload).toString()).toBe('export {}');
  expect((await api.app.inject(url)).body).toBe('export {}');
});

test.each(['/docs', '/docs/', '/openapi.json'])('%s is sent compressed to clients that accept it', async (url) => {
  const plain = await api.app.inject(url);
  expect([plain.statusCode, plain.headers['content-encoding']]).toEqual([200, undefined]);
  const packed = await api.app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
  expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 1.5);
  expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
});

test('files with a content hash in their name are cached forever, others are revalidated', async () => {
  const hashed = await api.app.inject('/assets/index-4f2a.js');
  expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect((await api.app.inject('/favicon.svg')).headers['cache-control']).toBe('no-cache');
});

test('a missing file gets 404, and API paths never serve the application', async () => {
  expect((await api.app.inject('/assets/gone-1234.js')).statusCode).toBe(404);
  for (const url of ['/api/v1/nowhere', '/api/nowhere', '/api']) {
    const answer = await api.app.inject(url);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
  }
  expect((await api.app.inject({ method: 'POST', url: '/projects' })).statusCode).toBe(404);
  expect((await api.app.inject('/../package.json')).body).not.toContain('gatebook"');
  expect((await api.app.inject('/health')).json()).toEqual({ status: 'ok' });
});

test('under HTTPS, responses send strict-transport-security', async () => {
  const secure = await startTestApi({
    publicUrl: 'https://auth.example.com',
    overrides: () => ({ dashboardFolder: folder }),
  });
  for (const url of ['/', '/api/v1', '/api/nowhere', '/api/v1/users/%ff', '/health', '/docs/', '/openapi.json']) {
    const { headers } = await secure.app.inject(url);
    expect(headers['strict-transport-security'], url).toBe('max-age=31536000');
  }
  await secure.close();
});

test('without a built dashboard, everything else still works', async () => {
  const bare = await startTestApi({ overrides: () => ({ dashboardFolder: join(folder, 'missing') }) });
  expect((await bare.app.inject('/')).statusCode).toBe(404);
  expect((await bare.app.inject('/health')).statusCode).toBe(200);
  await bare.close();
});
