import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above well-known ports and below ephemeral ports, which start at 32,768 on Linux and at 49,152 elsewhere. */
const [lowest, end] = [20_000, 32_768];
const maxTries = 100;

/**
 * A free port of the loopback address. Another process can still take it first, but no outgoing connection does, and
 * concurrent calls rarely return the same port. @throws Error when none was found
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = randomInt(lowest, end);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found between ${lowest} and ${end}`);
}

const isFree = (port: number) =>
  tryPort({ host: '127.0.0.1', port }).then(
    () => true,
    () => false,
  );

/** Listens on the port for a moment. @throws Error with the code of the system, such as `EADDRINUSE`, when it can't */
export async function tryPort({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
