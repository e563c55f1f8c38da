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
