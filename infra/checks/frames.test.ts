import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildBareApp } from '../docs/openapi-document.ts';
import { type Frame, faultOf, frames, sendFrame } from './fuzz/frames.ts';

let app: Awaited<ReturnType<typeof buildBareApp>>;
let paths: string[];

beforeAll(async () => {
  app = await buildBareApp();
  paths = [];
  app.addHook('onRequest', async ({ url }) => {
    paths.push(url);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const send = ({ bytes }: Frame) => {
  const { port } = app.server.address() as AddressInfo;
  paths.length = 0;
  return sendFrame({ host: '127.0.0.1', port }, bytes, 5_000);
};

describe('request smuggling and header injection', () => {
  test.each(frames)('$name', async (frame) => {
    expect(faultOf(frame, await send(frame))).toBeNull();
    expect(paths).not.toContain('/smuggled');
  });

  test('the frames detect a server that reads a smuggled request', async () => {
    const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
    const frame = { ...frames[0], bytes: smuggled } as Frame;
    await send(frame);
    expect(paths).toContain('/smuggled');
    const answer = { statuses: [200, 200], text: '', isClosed: true };
    for (const one of frames.filter(({ name }) => name.includes('transfer-encoding'))) {
      expect(faultOf(one, answer)).not.toBeNull();
    }
  });
});
