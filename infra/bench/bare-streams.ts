import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/* The least server of idle streams: node:http, one timer for all heartbeats. Started with the flags of Gatebook. */

const beatMs = 14_000;
const streams = new Set<ServerResponse>();
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  connection: 'close',
};
const server = createServer((_request, response) => {
  streams.add(response);
  response.once('close', () => streams.delete(response));
  response.writeHead(200, headers).write('retry: 2000\n\n');
});
setInterval(() => {
  for (const stream of streams) stream.write(': hb\n\n');
}, beatMs).unref();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
process.once('disconnect', () => process.exit());
