import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from './free-port.ts';
import { type Health, startHealthServer } from './health-server.ts';

let url: string;
let found: () => Promise<Health>;
let server: Awaited<ReturnType<typeof startHealthServer>>;
beforeAll(async () => {
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  server = await startHealthServer({ host: '127.0.0.1', port, check: () => found() });
});
afterAll(() => server.close());

const get = async (path: string, method = 'GET') => {
  const answer = await fetch(url + path, { method });
  return { status: answer.status, body: await answer.json() };
};

test('/health responds with 200 whatever the check returns', async () => {
  found = () => Promise.reject(new Error('the database is away'));
  expect(await get('/health')).toEqual({ status: 200, body: { status: 'ok' } });
});

test('/health/ready responds with the result of the check', async () => {
  found = async () => ({ isReady: true, facts: { lag: 0 } });
  expect(await get('/health/ready')).toEqual({ status: 200, body: { status: 'ok', lag: 0 } });
  found = async () => ({ isReady: false, facts: { database: 'failed' } });
  expect(await get('/health/ready')).toEqual({ status: 503, body: { status: 'unavailable', database: 'failed' } });
  found = () => Promise.reject(new Error('the database is away'));
  expect(await get('/health/ready')).toEqual({ status: 503, body: { status: 'unavailable' } });
});

test('the health server rejects other paths and methods', async () => {
  expect((await get('/')).status).toBe(404);
  expect((await get('/health', 'POST')).status).toBe(405);
});
