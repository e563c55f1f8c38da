import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that outgoing connections get (from 32,768 on with Linux, 49,152 elsewhere), and above those of well-known services. */
const [lowest, end] = [20_000, 32_768];
const maxTries = 100;

/**
 * A port of the loopback address that nobody listens on now. Somebody else may be faster, but no connection takes it by chance, and two
 * who ask at once hardly ever get the same. @throws Error when none was found
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = randomInt(lowest, end);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found between ${lowest} and ${end}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
