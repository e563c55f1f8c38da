import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import type { Deps } from '../deps.ts';
import { serveReference } from './pages.ts';
import { createReference } from './reference.ts';

vi.mock('./reference.ts', () => ({
  createReference: vi.fn(async () => async () => ({ status: 200, headers: {}, body: Buffer.from('reference') })),
}));

test('the API reference is served after a request that could not load it', async () => {
  vi.mocked(createReference).mockRejectedValueOnce(new Error('too many open files'));
  const app = Fastify();
  serveReference(app, { config: { http: { publicUrl: 'http://localhost:8102' } } } as Deps);
  const get = async () => (await app.inject('/docs')).statusCode;
  expect([await get(), await get()]).toEqual([500, 200]);
});
