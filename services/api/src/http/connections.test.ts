import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createLogger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { describe, expect, test } from 'vitest';
import { startSuite } from '../testing/suite.ts';

const lines: { level: number; msg: string; err?: unknown }[] = [];
const logger = createLogger({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
const { api } = await startSuite({ logger });
await api.app.listen({ host: '127.0.0.1', port: 0 });
const port = (api.app.server.address() as AddressInfo).port;

const head = (length: number) =>
  [
    'POST /api/v1/auth/password/sign-in HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    `content-length: ${length}`,
    '\r\n',
  ].join('\r\n');

async function opened(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

describe('a client that disconnects', () => {
  test('in the middle of a body is not logged as a server error', async () => {
    for (let nth = 0; nth < 5; nth += 1) {
      const socket = await opened(`${head(100)}{"email":`);
      await pause(20);
      socket.destroy();
    }
    const abandoned = () => lines.filter(({ msg }) => msg === 'request abandoned by the client');
    for (let waited = 0; abandoned().length < 5 && waited < 5_000; waited += 50) await pause(50);
    expect(abandoned()).toHaveLength(5);
    expect(abandoned().every((line) => line.level === 20 && !('err' in line))).toBe(true);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });
});

describe('a connection that is held open', () => {
  test('by an incomplete body or incomplete headers is closed after the request timeout', async () => {
    const { server } = api.app;
    expect([server.requestTimeout, server.headersTimeout]).toEqual([30_000, 30_000]);
    // The same clock, sooner.
    server.requestTimeout = 500;
    server.headersTimeout = 500;
    try {
      for (const text of [`${head(100)}{"email":`, 'POST /api/v1/users HTTP/1.1\r\nhost: x\r\n', '']) {
        const socket = await opened(text);
        socket.resume();
        await once(socket, 'close');
        expect(socket.closed, JSON.stringify(text)).toBe(true);
      }
    } finally {
      server.requestTimeout = 30_000;
      server.headersTimeout = 30_000;
    }
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });
});

test('a request with too large a header gets a response with connection: close', async () => {
  const socket = await opened(`GET /health HTTP/1.1\r\nhost: localhost\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`);
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString();
  });
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(answer).toContain('\r\nconnection: close\r\n');
});
