import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePort } from './free-port.ts';

test('a free port can be listened on and is below the ephemeral ports', async () => {
  const port = await findFreePort();
  expect(port).toBeLessThan(32_768);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
});

test('concurrent calls get different free ports', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, findFreePort));
  expect(new Set(ports).size).toBeGreaterThan(17);
});
