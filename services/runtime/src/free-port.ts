import { createServer } from 'node:net';

/** A port of the loopback address that nobody listens on now; somebody else may be faster. */
export function findFreePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
