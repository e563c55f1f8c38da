import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A receiver of webhooks. Paths below /hang never answer. GET requests ask what has arrived: /count says how often and
 * until when, and /arrival?path=…&id=… when the event about an object arrived at a path. Times are in milliseconds
 * since 1970.
 */
let count = 0;
let last = 0;
const arrivals = new Map<string, number>();
const now = () => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET') {
    const key = `${searchParams.get('path')} ${searchParams.get('id')}`;
    const answer = pathname === '/count' ? { count, last } : { at: arrivals.get(key) ?? null };
    response.end(JSON.stringify(answer));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (pathname.startsWith('/hang')) return;
    count += 1;
    last = now();
    if (pathname.startsWith('/timed')) {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { id?: string } };
      arrivals.set(`${pathname} ${data.id}`, last);
    }
    response.end('{"received":true}');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://localhost:${(server.address() as AddressInfo).port}\n`);
});
