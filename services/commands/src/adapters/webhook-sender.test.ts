import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { isDelivered, type WebhookTarget } from '../webhook/sender.ts';
import { createWebhookSender } from './webhook-sender.ts';

const sender = createWebhookSender({ allowPrivate: true });
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => sender.close());

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const current = { secret: secretOf(1), expiresAt: null };
const message = { id: 'evt_1', body: '{"type":"user.created","data":{}}' };
const at = () => new Date().toISOString();

type Request = { headers: Record<string, string>; body: string };
async function startReceiver(listener: RequestListener = (_, response) => void response.writeHead(204).end()) {
  const requests: Request[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = (await Array.fromAsync(request)).join('');
    requests.push({ headers: request.headers as Record<string, string>, body });
    listener(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/hooks`;
  const target = (given: Partial<WebhookTarget> = {}): WebhookTarget => ({
    ...{ url, headers: {}, secrets: [current], ...given },
  });
  return { requests, target };
}

/** Whether receivers that were written with each library, and each pair of header names, accept a request. */
function verifies({ headers, body }: Request, secret: string): boolean[] {
  const only = (prefix: string) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(`${prefix}-`)));
  const attempts = [
    () => new Webhook(secret).verify(body, only('webhook')),
    () => new SvixWebhook(secret).verify(body, only('webhook')),
    () => new SvixWebhook(secret).verify(body, only('svix')),
  ];
  return attempts.map((verify) => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  });
}

describe('check 12: receivers', () => {
  test('written with svix or standardwebhooks accept a message, which also has the headers of the endpoint', async () => {
    const { requests, target } = await startReceiver();
    const headers = { 'X-Shop': 'a', 'webhook-id': 'forged' };
    expect(isDelivered(await sender.send(target({ headers }), message, { at: at() }))).toBe(true);
    const [request] = requests;
    if (!request) return expect.fail('nothing was received');
    expect(verifies(request, current.secret)).toEqual([true, true, true]);
    expect(request).toMatchObject({ body: message.body, headers: { 'x-shop': 'a', 'webhook-id': 'evt_1' } });
  });
});

test('check 13: during a rotation, receivers with either secret accept it, and afterwards only the new one', async () => {
  const { requests, target } = await startReceiver();
  const [one, other, now] = [secretOf(1), secretOf(2), Date.now()];
  for (const endsIn of [60_000, -1]) {
    const secrets = [
      { secret: other, expiresAt: null },
      { secret: one, expiresAt: new Date(now + endsIn) },
    ];
    await sender.send(target({ secrets }), message, { at: new Date(now).toISOString() });
  }
  const [during, after] = requests.map((request) => [one, other].map((secret) => verifies(request, secret)));
  const [accepted, rejected] = [Array(3).fill(true), Array(3).fill(false)];
  expect(during).toEqual([accepted, accepted]);
  expect(after).toEqual([rejected, accepted]);
});

describe('check 14: an answer', () => {
  test('with a redirect is not followed', async () => {
    const { requests, target } = await startReceiver((_, response) =>
      response.writeHead(307, { location: '/other' }).end(),
    );
    expect(await sender.send(target(), message, { at: at() })).toMatchObject({ statusCode: 307, errorCode: null });
    expect(requests).toHaveLength(1);
  });

  test('is read up to 4 kB', async () => {
    const { target } = await startReceiver((_, response) => void response.end('x'.repeat(100_000)));
    const { statusCode, responseBody } = await sender.send(target(), message, { at: at() });
    expect([statusCode, responseBody.length]).toEqual([200, 4_096]);
  });

  test.each([
    ['120', 120_000],
    ['Sun, 01 Mar 2026 00:01:00 GMT', 60_000],
    ['soon', null],
  ])('with retry-after %s asks for %s ms', async (text, retryAfterMs) => {
    const { target } = await startReceiver((_, response) => response.writeHead(503, { 'retry-after': text }).end());
    expect(await sender.send(target(), message, { at: '2026-03-01T00:00:00.000Z' })).toMatchObject({ retryAfterMs });
  });

  test('that does not come, or comes byte by byte, ends at the deadline', async () => {
    const silent = await startReceiver(() => undefined);
    const dripping = await startReceiver((_, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.once('close', () => clearInterval(timer));
    });
    for (const { target } of [silent, dripping]) {
      const result = await sender.send(target(), message, { at: at(), deadlineMs: 100 });
      expect(result).toMatchObject({ statusCode: null, errorCode: 'timeout' });
    }
  });
});

test('check 15: a target that is not allowed gets nothing', async () => {
  const { requests, target } = await startReceiver();
  const strict = createWebhookSender({ allowPrivate: false });
  const url = target().url.replace('http:', 'https:');
  const send = (to: string) => strict.send(target({ url: to }), message, { at: at() });
  for (const to of [url, target().url, url.replace('localhost', '127.0.0.1')]) {
    expect(await send(to)).toMatchObject({ statusCode: null, errorCode: 'forbidden' });
  }
  expect(requests).toEqual([]);
});
