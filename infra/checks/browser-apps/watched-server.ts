import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Faults } from './faults.ts';

export type WatchedServer = { url: string; close(): void };

/** A second address of Gatebook, for the server of an app. It reports every response of 400 or more. */
export async function startWatchedServer(target: string, faults: Faults): Promise<WatchedServer> {
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const forwarded = request(new URL(path, target), { method, headers }, (response) => {
      const { statusCode: status = 0 } = response;
      faults.addResponse({ method, path, status, header: (name) => [response.headers[name]].flat()[0] });
      outgoing.writeHead(status, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
