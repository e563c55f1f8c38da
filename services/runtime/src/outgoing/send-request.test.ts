import dns, { type LookupAddress } from 'node:dns';
import { getEventListeners } from 'node:events';
import { Agent, createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, isIP, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { forbiddenTargets, rebindingNames } from '../testing/forbidden-targets.ts';
import {
  createConnections,
  findTargetProblem,
  isAllowedTarget,
  type OutgoingError,
  resolveTargetProblem,
  sendRequest,
} from './send-request.ts';

/** The answer of the resolver. */
const resolved = vi.fn<(name: string) => Promise<LookupAddress[]>>();
type Done = (error: Error | null, addresses: LookupAddress[]) => void;
const lookup = (name: string, _: object, done: Done) =>
  void resolved(name).then(
    (addresses) => done(null, addresses),
    (error) => done(error, []),
  );
beforeEach(() => {
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
  resolved.mockReset();
  resolved.mockResolvedValue([{ address: '127.0.0.1', family: 4 }]);
});
afterEach(() => void vi.restoreAllMocks());

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
  expect(await sendRequest(url, request, limits)).toMatchObject({ status: 201, body: 'POST a b' });
});

test('leaves neither a timer nor a listener behind', async () => {
  const url = await serve((_, response) => void response.end('x'));
  const { signal } = new AbortController();
  const add = vi.spyOn(globalThis, 'setTimeout');
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  await sendRequest(url, get, { ...limits, deadlineMs: 54_321, signal });
  const nth = add.mock.calls.findIndex(([, ms]) => ms === 54_321);
  expect(clear).toHaveBeenCalledWith(add.mock.results[nth]?.value);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
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

test('check 15: no less than 60 targets are tried', () =>
  expect(forbiddenTargets.length + Object.keys(rebindingNames).length).toBeGreaterThanOrEqual(60));

test.each(forbiddenTargets)('check 15: %s is not a target, when it is saved and when it is sent to', async (url) => {
  expect(isAllowedTarget(url, false)).toBe(false);
  expect(await reasonOf(url, { allowPrivate: false })).toBe('forbidden');
});

describe('check 15: a name', () => {
  const answers = (name: string) => {
    const addresses = rebindingNames[name] ?? [];
    resolved.mockResolvedValueOnce(addresses.map((address) => ({ address, family: isIP(address) })));
  };

  test.each(Object.keys(rebindingNames))('%s that resolves to a private address is not a target', async (name) => {
    answers(name);
    expect(await resolveTargetProblem(`https://${name}/`, { allowPrivate: false, timeoutMs: 1_000 })).toBe(
      'private_network',
    );
    answers(name);
    expect(await reasonOf(`https://${name}/`, { allowPrivate: false })).toBe('forbidden');
    expect(resolved).toHaveBeenCalledTimes(2);
  });

  test('that resolves to a metadata service is not a target where private networks are allowed', async () => {
    answers('metadata.example');
    expect(await reasonOf('https://metadata.example/')).toBe('forbidden');
  });

  test('is resolved once per connection, so that the second answer of a rebinding server is not used', async () => {
    const url = new URL(await serve((_, response) => void response.end('reached')));
    // The server resolved its own address.
    resolved.mockClear();
    resolved.mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }]);
    resolved.mockResolvedValue([{ address: '169.254.169.254', family: 4 }]);
    expect(await sendRequest(url.href, get, limits)).toMatchObject({ body: 'reached' });
    expect(resolved).toHaveBeenCalledOnce();
    expect(await reasonOf(url.href)).toBe('forbidden');
  });
});

test('check 15: errors do not tell an open port from a closed one', async () => {
  const open = createTcpServer((socket) => void socket.end('220 mail\r\n'));
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  const openPort = (open.address() as AddressInfo).port;
  const closed = createTcpServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const closedPort = (closed.address() as AddressInfo).port;
  await new Promise<unknown>((resolve) => closed.close(resolve));
  const errorOf = async (port: number, allowPrivate: boolean) => {
    resolved.mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }]);
    const url = allowPrivate ? `http://localhost:${port}/` : `https://private.example:${port}/`;
    return sendRequest(url, get, { ...limits, allowPrivate }).catch((error: OutgoingError) => error.message);
  };
  for (const allowPrivate of [true, false]) {
    expect(await errorOf(openPort, allowPrivate)).toBe(await errorOf(closedPort, allowPrivate));
  }
  open.close();
});

describe('connections that stay open', () => {
  test('serve further requests, also when the server has closed one of them', async () => {
    let opened = 0;
    const url = await serve((_, response) => void response.end('x'));
    servers[0]?.on('connection', () => {
      opened += 1;
    });
    const connections = createConnections();
    for (let nth = 0; nth < 3; nth += 1) await sendRequest(url, get, { ...limits, connections });
    expect(opened).toBe(1);
    servers[0]?.closeIdleConnections();
    expect(await sendRequest(url, get, { ...limits, connections })).toMatchObject({ status: 200 });
    connections.close();
  });
});

test.each(['ECONNRESET', 'EPIPE'])(
  'a connection that ends with %s when it is used again is replaced by a new one',
  async (code) => {
    const url = await serve((_, response) => void response.end('x'));
    const http = new Agent({ keepAlive: true });
    let requests = 0;
    http.on('free', (socket: Socket) => {
      socket.write = () => {
        requests += 1;
        socket.destroy(Object.assign(new Error('the connection ended'), { code }));
        return false;
      };
    });
    const connections = { ...createConnections(), http };
    expect(await sendRequest(url, get, { ...limits, connections })).toMatchObject({ status: 200 });
    expect(await sendRequest(url, get, { ...limits, connections })).toMatchObject({ status: 200 });
    expect(requests).toBe(1);
    connections.close();
    http.destroy();
  },
);

test('a long response is cut if the caller wants that, and ends the connection', async () => {
  let isClosed = false;
  const url = await serve((request, response) => {
    request.socket.once('close', () => {
      isClosed = true;
    });
    response.write('x'.repeat(1_500));
  });
  const { body } = await sendRequest(url, get, { ...limits, isCut: true });
  expect(body).toBe('x'.repeat(1_000));
  await expect.poll(() => isClosed).toBe(true);
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
  resolved.mockRejectedValueOnce(new Error('no such host'));
  expect(await find('https://no-such-host.invalid/', false)).toBeNull();
});
