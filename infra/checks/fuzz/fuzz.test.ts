import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../docs/openapi-document.ts';
import { fuzzedOperations, skippedOperations } from './operations.ts';
import { randomOf, seedOf } from './random.ts';
import { requestOf } from './requests.ts';
import { fuzz } from './run.ts';
import type { World } from './world.ts';

const world: World = {
  projectId: 'shop',
  keys: { client: 'c', server: 's', admin: 'a' },
  userTokens: ['t'],
  refreshTokens: ['r'],
  known: {},
};
const document = {
  paths: {
    '/api/v1/things': {
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { name: { type: 'string', maxLength: 20 } }, required: ['name'] },
            },
          },
        },
      },
    },
  },
  components: { schemas: {} },
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that takes every body, and answers it as it is told. */
async function fuzzServer(respond: (body: string, response: ServerResponse) => void, isAlive = () => true) {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(Buffer.concat(chunks).toString('latin1'), response));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const run = { requests: 300, seed: 7, timeoutMs: 300, connections: 4 };
  return fuzz({ ...run, url: `http://127.0.0.1:${port}`, document, makeWorld: async () => world, isAlive });
}

describe('a run of malformed requests', () => {
  test('has no faults if every response is below 500', async () => {
    const { faults, statuses, leastPerOperation } = await fuzzServer((_, response) => response.writeHead(400).end());
    expect(faults).toEqual([]);
    expect(statuses.get(400)).toBe(300);
    expect(leastPerOperation).toBe(300);
  });

  test('finds a body that causes a 500', async () => {
    const { faults } = await fuzzServer((body, response) =>
      response.writeHead(body.includes('1e400') ? 500 : 400).end(),
    );
    expect(faults.join('\n')).toContain('1e400');
  });

  test('finds a 500 that the override header hides', async () => {
    const { faults } = await fuzzServer((_, response) =>
      response.writeHead(200, { 'x-stack-actual-status': '500' }).end('broken'),
    );
    expect(faults.join('\n')).toContain('500 broken');
  });

  test('finds a missing response', async () => {
    const { faults } = await fuzzServer((body, response) => {
      if (!body.includes('\\u0000')) response.writeHead(400).end();
    });
    expect(faults.join('\n')).toContain('no response within 300 ms');
  });

  test('reports that the server exited', async () => {
    let answers = 0;
    const { faults, sent } = await fuzzServer(
      (_, response) => {
        answers += 1;
        response.writeHead(400).end();
      },
      () => answers < 100,
    );
    expect(faults).toContain('the server exited');
    expect(sent).toBeLessThan(300);
  });
});

test('every operation is called except the skipped ones', async () => {
  const { paths } = await openApiDocument();
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const called = fuzzedOperations({ paths }).map(({ method, path }) => `${method} ${path}`);
  expect(all.filter((operation) => !called.includes(operation)).sort()).toEqual(Object.keys(skippedOperations).sort());
});

test('equal seeds create equal requests, other seeds other requests', () => {
  const [operation] = fuzzedOperations(document);
  if (!operation) throw new Error('no operation');
  const made = (seed: number) =>
    Array.from({ length: 50 }, (_, index) => requestOf(operation, world, {}, randomOf(seedOf(seed, index))));
  expect(made(1)).toEqual(made(1));
  expect(made(1)).not.toEqual(made(2));
});
