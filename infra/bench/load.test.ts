import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Call, callAtRate, callInTurn, originOf, sendOnce } from './load.ts';

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return originOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
}

const get = (path: string): Call => ({ method: 'GET', path });

test('whole bodies are read, with a length and in chunks, however they are cut', async () => {
  const text = JSON.stringify({ text: 'ä'.repeat(100_000) });
  const origin = await serve((request, response) => {
    if (request.url === '/api/length') response.setHeader('content-length', Buffer.byteLength(text));
    else response.write(text.slice(0, 50_000));
    response.end(request.url === '/api/length' ? text : text.slice(50_000));
  });
  expect((await sendOnce(origin, get('/length'))).body).toBe(text);
  expect((await sendOnce(origin, get('/chunks'))).body).toBe(text);
});

test('each caller sends the next call when the last is answered', async () => {
  const paths: string[] = [];
  let [open, most] = [0, 0];
  const origin = await serve((request, response) => {
    paths.push(request.url ?? '');
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end('{}');
    }, 5);
  });
  let n = 0;
  const nextCall = () => {
    n += 1;
    return get(`/${n}`);
  };
  const load = await callInTurn({ origin, nextCall }, 3, 60);
  expect(most).toBe(3);
  expect(new Set(paths).size).toBe(paths.length);
  expect(load.answers).toBe(paths.length);
  expect(load.times).toHaveLength(load.answers);
});

test('calls at a rate do not wait for slow answers', async () => {
  const origin = await serve((_request, response) => void setTimeout(() => response.end('{}'), 100));
  const load = await callAtRate({ origin, nextCall: () => get('/') }, 100, 200);
  expect(load.answers).toBe(20);
  expect(load.ms).toBeLessThan(20 * 100);
});

test('a response with an error ends the measurement', async () => {
  const origin = await serve((_request, response) => {
    response.statusCode = 503;
    response.end('too busy');
  });
  await expect(callInTurn({ origin, nextCall: () => get('/') }, 1, 50)).rejects.toThrow('answered 503: too busy');
  await expect(sendOnce(origin, get('/x'))).rejects.toThrow('GET /x');
});
