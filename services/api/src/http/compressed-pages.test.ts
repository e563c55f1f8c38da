import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { createCompressedPages } from './compressed-pages.ts';

const pageOf = (status: number) => ({ status, headers: {}, body: Buffer.from('page') });

function serve(load: () => Promise<ReturnType<typeof pageOf>>) {
  const app = Fastify();
  app.get('/docs/page', createCompressedPages(load));
  return async (path = '/docs/page') => (await app.inject(path)).statusCode;
}

test('a page is made once, however its path is spelled', async () => {
  const load = vi.fn(async () => pageOf(200));
  const get = serve(load);
  const paths = ['/docs/page', '/docs/p%61ge', '/%64ocs/page', '/docs/page?a', '/docs/page?b'];
  expect(await Promise.all(paths.map(get))).toEqual(paths.map(() => 200));
  expect(load).toHaveBeenCalledExactlyOnceWith('/docs/page');
});

test('a page that could not be made is made at the next request', async () => {
  const load = vi.fn(async () => pageOf(200));
  load.mockRejectedValueOnce(new Error('broken')).mockResolvedValueOnce(pageOf(301));
  const get = serve(load);
  expect([await get(), await get(), await get(), await get()]).toEqual([500, 301, 200, 200]);
  expect(load).toHaveBeenCalledTimes(3);
});

test.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['br, GZIP;q=0.8', true],
  ['gzip; q=0.001', true],
  ['gzip;q=0', false],
  ['gzip ; q=0.000, *', false],
  ['*', true],
  ['br, *;q=0.1', true],
  ['*;q=0', false],
  ['*;q=0, gzip', true],
  ['gzip-like, not-gzip', false],
])('a page is compressed for a client that accepts %s: %s', async (accepted, isCompressed) => {
  const app = Fastify();
  app.get(
    '/docs/page',
    createCompressedPages(async () => pageOf(200)),
  );
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const { headers: answered, rawPayload } = await app.inject({ url: '/docs/page', headers });
  expect(answered).toMatchObject({ vary: 'accept-encoding' });
  expect(answered['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
  expect(String(isCompressed ? gunzipSync(rawPayload) : rawPayload)).toBe('page');
});
