import type { AddressInfo } from 'node:net';
import { loadOnce } from '@gatebook/runtime/load-once';
import { createServer } from '@gatebook/runtime/node-http';
import type { Settings } from './handler.ts';

export type SimulatorProvider = { url: string; close(): Promise<void> };

/**
 * An OpenID provider for development, on the loopback address only, used in place of every provider with shared keys:
 * client ID = provider ID. It signs in anyone as anyone. So it must not run where others can reach it or the Gatebook
 * that trusts it. Its library is loaded with the first request.
 */
export async function startSimulatorProvider({
  port = 0,
  ...settings
}: Settings & {
  /** Default: a free port. */
  port?: number;
}): Promise<SimulatorProvider> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const handler = loadOnce(async () => (await import('./handler.ts')).createHandler(url, settings));
  server.on('request', (request, response) => {
    handler().then(
      (handle) => handle(request, response),
      () => response.writeHead(500).end('The simulator could not be loaded.'),
    );
  });

  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
