import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from './free-port.ts';
import { type Health, type MetricsPage, startHealthServer } from './health-server.ts';

let url: string;
let found: () => Promise<Health>;
let measured: () => Promise<MetricsPage>;
let server: Awaited<ReturnType<typeof startHealthServer>>;
beforeAll(async () => {
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  server = await startHealthServer({ host: '127.0.0.1', port, check: () => found(), metrics: () => measured() });
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

test('/metrics responds with the page in its format, and with 500 if there is none', async () => {
  measured = async () => ({ contentType: 'text/plain; version=0.0.4', text: 'gatebook_ready 1\n' });
  const answer = await fetch(`${url}/metrics`);
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    'text/plain; version=0.0.4',
    'gatebook_ready 1\n',
  ]);
  measured = () => Promise.reject(new Error('the database is away'));
  expect((await get('/metrics')).status).toBe(500);
});

test('the health server rejects other paths and methods', async () => {
  expect((await get('/')).status).toBe(404);
  expect((await get('/health', 'POST')).status).toBe(405);
});
