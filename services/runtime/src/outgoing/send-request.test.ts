import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  findTargetProblem,
  isAllowedTarget,
  type OutgoingError,
  resolveTargetProblem,
  sendRequest,
} from './send-request.ts';

const limits = { deadlineMs: 1_000, maxResponseBytes: 1_000, allowPrivate: true };
const get = { method: 'GET', headers: {} } as const;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://localhost:${typeof address === 'object' ? address?.port : 0}/`;
}
const reasonOf = async (url: string, given: Partial<typeof limits> = {}) =>
  sendRequest(url, get, { ...limits, ...given }).then(
    () => 'sent',
    (error: OutgoingError) => error.reason,
  );

test('sends method, headers and body, and reads the response', async () => {
  const url = await serve(async (request, response) => {
    const body = (await Array.fromAsync(request)).join('');
    response.writeHead(201).end(`${request.method} ${request.headers['x-test']} ${body}`);
  });
  const request = { method: 'POST', headers: { 'x-test': 'a' }, body: 'b' } as const;
  expect(await sendRequest(url, request, limits)).toEqual({ status: 201, body: 'POST a b' });
});

test('follows no redirect', async () => {
  let requests = 0;
  const url = await serve((_, response) => {
    requests += 1;
    response.writeHead(302, { location: '/other' }).end();
  });
  expect(await sendRequest(url, get, limits)).toMatchObject({ status: 302 });
  expect(requests).toBe(1);
});

describe('a request fails', () => {
  test('at the deadline, whether headers or body are slow', async () => {
    expect(await reasonOf(await serve(() => {}), { deadlineMs: 50 })).toBe('timeout');
    const slow = await serve((_, response) => void response.writeHead(200).write('x'));
    expect(await reasonOf(slow, { deadlineMs: 50 })).toBe('timeout');
  });

  test('if the response is too large', async () => {
    const url = await serve((_, response) => void response.end('x'.repeat(1_001)));
    expect(await reasonOf(url)).toBe('too_large');
  });

  test('if nothing listens or the connection breaks', async () => {
    const url = await serve((request) => void request.socket.destroy());
    expect(await reasonOf(url)).toBe('unreachable');
  });

  test('if the server switches protocols', async () => {
    const url = await serve(
      (request) =>
        void request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    expect(await reasonOf(url)).toBe('unreachable');
  });

  test('if a name leads to this machine and private networks are not allowed', async () => {
    // The name, because it passes the check of the URL.
    expect(await reasonOf('https://localhost/', { allowPrivate: false })).toBe('forbidden');
  });
});

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'https://user:secret@example.com/',
  'https://example.com:25/',
  'https://example.com:22/',
  'https://127.0.0.1/',
  'https://0.0.0.0/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00:ec2::254]/',
  'http://localhost:8080/',
  'nonsense',
  '',
])('%s is no target', async (url) => {
  expect(isAllowedTarget(url, false)).toBe(false);
  expect(await reasonOf(url, { allowPrivate: false })).toBe('forbidden');
});

test('where private networks are allowed, metadata services are still no targets', () => {
  expect(isAllowedTarget('http://localhost:8080/', true)).toBe(true);
  expect(isAllowedTarget('https://10.0.0.1/', true)).toBe(true);
  expect(isAllowedTarget('https://169.254.169.254/', true)).toBe(false);
  expect(isAllowedTarget('http://10.0.0.1/', true)).toBe(false);
});

test.each([
  ['nonsense', 'malformed'],
  ['https://user:secret@example.com/', 'credentials'],
  ['http://example.com/', 'not_https'],
  ['https://example.com:25/', 'port'],
  ['https://[::ffff:127.0.0.1]/', 'private_network'],
  ['https://1.1.1.1/hooks', null],
])('the problem of %s is %s', (url, problem) => expect(findTargetProblem(url, false)).toBe(problem));

test('a name that leads to this machine is found, unless private networks are allowed', async () => {
  const find = (url: string, allowPrivate: boolean) => resolveTargetProblem(url, { allowPrivate, timeoutMs: 5_000 });
  expect(await find('https://localhost/', false)).toBe('private_network');
  expect(await find('https://localhost/', true)).toBeNull();
  expect(await find('https://no-such-host.invalid/', false)).toBeNull();
});
