import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Recorded } from '@gatebook/domain/event';
import type { TailListener } from '@gatebook/projections/log-tail';
import { createLogger } from '@gatebook/runtime/logger';
import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import type { Caller } from '../caller.ts';
import type { LivePage, LiveSource } from './live-source.ts';
import { lastEventId, liveLimits, serveLiveStreams } from './server-sent-events.ts';

type Parts = Parameters<typeof serveLiveStreams>[1];
const quick = { ...liveLimits, beatMs: 100, tickMs: 20 };
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server whose streams send the numbers from 1 to `numbers.last`; places and cursors are the numbers. */
async function start(limits = quick, dataOf = (n: number): unknown => n) {
  const numbers = { last: 0, reads: 0, isBehind: false, followed: null as bigint | null };
  const key = { endsAt: null as number | null };
  const tail: TailListener[] = [];
  const source: LiveSource = {
    key: 'numbers',
    reached: async () => (numbers.isBehind ? 'behind' : 'reached'),
    toCursor: async (place) => `c${place}`,
    read: async (place, seen): Promise<LivePage> => {
      numbers.reads += 1;
      await new Promise((resolve) => setImmediate(resolve));
      const from = Number(place);
      const until = Math.max(from, Math.min(from + 10, numbers.last));
      const items = Array.from({ length: until - from }, (_, nth) => from + nth + 1);
      return {
        // Multiples of 7 match no filter.
        items: items.filter((n) => n % 7 !== 0).map((n) => ({ cursor: `c${n}`, data: dataOf(n) })),
        next: String(until),
        hasMore: seen !== null && until < numbers.last,
      };
    },
  };
  const app = Fastify({ forceCloseConnections: 'idle' });
  app.decorateRequest('caller', null);
  app.addHook('preHandler', async (request) => {
    request.caller = { projectId: 'shop', owner: null, token: null, keyId: 'key', keyEndsAt: key.endsAt } as Caller;
  });
  serveLiveStreams(
    app,
    {
      tail: { add: (listener: TailListener) => tail.push(listener), followed: () => numbers.followed },
      readModels: { reached: async () => 'reached' },
      projects: { find: async () => null },
      now: () => new Date().toISOString(),
      logger: createLogger({ level: 'silent' }),
    } as unknown as Parts,
    limits,
  );
  app.get('/numbers', async (request, reply) =>
    app.sendLive(request, reply, source, (lastEventId(request, '0') ?? '').replace('c', '')),
  );
  app.setErrorHandler((error: Error & { code?: string }, _request, reply) => reply.code(429).send(error.code));
  await app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(() => {
    const closed = app.close();
    // The client's unused ones.
    app.server.closeAllConnections();
    return closed;
  });
  const { port } = app.server.address() as AddressInfo;
  const emit = (last: number, projectId = 'shop', stream = 'user-1') => {
    numbers.last = last;
    const event = { position: BigInt(last), stream, committedAt: new Date().toISOString(), data: {} };
    const metadata = { projectId, actor: { kind: 'server' } };
    for (const { see } of tail) see([{ ...event, metadata } as unknown as Recorded]);
  };
  return { app, key, numbers, emit, tail, port, url: `http://127.0.0.1:${port}/numbers` };
}

/** Collects the text of a stream until it ends. */
async function open(url: string, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const access = { 'x-stack-access-type': 'admin', 'x-stack-project-id': 'shop' };
  const response = await fetch(url, { headers: { ...access, ...headers }, signal: stop.signal });
  const seen = { response, text: '', isOver: false, ended: Promise.resolve(), close: () => stop.abort() };
  const read = async () => {
    try {
      for await (const part of response.body ?? []) seen.text += Buffer.from(part).toString();
    } catch {
      // Cut off.
    }
    seen.isOver = true;
  };
  seen.ended = read();
  closing.unshift(async () => seen.close());
  return seen;
}
const dataIn = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => Number(data));
const until = (condition: () => boolean) => expect.poll(condition, { timeout: 10_000, interval: 5 }).toBe(true);

test('sends items with their cursors, and reads only after an event of the project', async () => {
  const { emit, numbers, url } = await start();
  const stream = await open(url);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('cache-control')).toBe('no-store');
  expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
  await until(() => stream.text.includes('id: c0'));
  expect(stream.text).toContain('retry: 2000\n\n');
  await until(() => numbers.reads === 1);
  emit(2);
  await until(() => dataIn(stream.text).length === 2);
  expect(stream.text).toContain('id: c1\ndata: 1\n\nid: c2\ndata: 2\n\n');
  const { reads } = numbers;
  emit(2, 'forum');
  const beats = stream.text.split(': hb').length;
  await until(() => stream.text.split(': hb').length > beats + 2);
  expect(numbers.reads).toBe(reads);
});

test('check 7: heartbeats are at most 15 seconds apart', () => {
  expect(liveLimits.beatMs + liveLimits.tickMs).toBeLessThanOrEqual(15_000);
});

test('a heartbeat has the cursor after what filters left out, once', async () => {
  const { emit, url } = await start();
  const stream = await open(url, { 'last-event-id': 'c6' });
  emit(7);
  await until(() => stream.text.includes(': hb\nid: c7\n\n'));
  const before = stream.text.length;
  await until(() => stream.text.length > before + 12);
  expect(dataIn(stream.text)).toEqual([]);
  expect(stream.text.split('id: c7')).toHaveLength(2);
});

test('connections that break lose nothing and repeat nothing', async () => {
  const { emit, url } = await start();
  const received: number[] = [];
  let cursor = 'c0';
  for (let n = 1; received.length < 60; n += 1) {
    const stream = await open(url, { 'last-event-id': cursor });
    emit(n * 4);
    await until(() => dataIn(stream.text).length > n % 3);
    stream.close();
    await stream.ended;
    // What is complete: each item ends with an empty line.
    const items = stream.text.slice(0, stream.text.lastIndexOf('\n\n') + 2);
    received.push(...dataIn(items));
    cursor = [...items.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? cursor;
    if (n % 2 === 0) emit(n * 4 + 1);
  }
  const whole = Array.from({ length: 200 }, (_, nth) => nth + 1).filter((n) => n % 7 !== 0);
  expect(received).toEqual(whole.slice(0, received.length));
});

test('waits until the rows contain an event', async () => {
  const { emit, numbers, url } = await start();
  const stream = await open(url);
  await until(() => numbers.reads === 1);
  numbers.isBehind = true;
  emit(1);
  await until(() => stream.text.split(': hb').length > 3);
  expect(numbers.reads).toBe(1);
  numbers.isBehind = false;
  await until(() => dataIn(stream.text).length === 1);
});

test('sends what the process had seen before the stream began, once the rows contain it', async () => {
  const { numbers, url } = await start();
  Object.assign(numbers, { followed: 2n, isBehind: true });
  const stream = await open(url);
  await until(() => stream.text.includes('id: c0'));
  expect(numbers.reads).toBe(0);
  Object.assign(numbers, { last: 2, isBehind: false });
  await until(() => dataIn(stream.text).length === 2);
});

test('many streams share one read', async () => {
  const { emit, numbers, url } = await start();
  const streams = await Promise.all(Array.from({ length: 50 }, () => open(url)));
  await until(() => streams.every(({ text }) => text.includes('id: c0')));
  const { reads } = numbers;
  emit(3);
  await until(() => streams.every(({ text }) => dataIn(text).length === 3));
  expect(numbers.reads - reads).toBe(1);
});

test('an event that ends the access ends the stream, after the right was checked again', async () => {
  const { emit, tail, url } = await start();
  const streams = [await open(url), await open(url)];
  emit(1, 'shop', 'projectkey-key');
  // The project of this test does not exist.
  await Promise.all(streams.map(({ ended }) => ended));
  const missed = await open(url);
  for (const { begin } of tail) begin(5n);
  await missed.ended;
});

test('ends after its time', async () => {
  const { url } = await start({ ...quick, lifeMs: 50 });
  await (await open(url)).ended;
});

test('ends when the key of the caller expires', async () => {
  const { key, url } = await start();
  key.endsAt = Date.now() + 200;
  const stream = await open(url);
  expect(stream.isOver).toBe(false);
  await stream.ended;
  expect(Date.now()).toBeGreaterThanOrEqual(key.endsAt);
});

test('streams per project and process are limited', async () => {
  const { url } = await start({ ...quick, perProject: 2 });
  const [first] = [await open(url), await open(url)];
  const rejected = await fetch(url);
  expect(rejected.status).toBe(429);
  expect(await rejected.text()).toBe('LIVE_STREAM_LIMIT_REACHED');
  first.close();
  await until(() => first.isOver);
  await expect.poll(async () => (await open(url)).response.status).toBe(200);
});

test('a shutdown ends streams at once', async () => {
  const { app, url } = await start();
  const streams = await Promise.all([open(url), open(url)]);
  await app.close();
  await Promise.all(streams.map(({ ended }) => ended));
});

test('check 8: a reader that takes nothing is cut off, and little waits for it', async () => {
  const large = 'x'.repeat(200_000);
  const limits = { ...quick, maxUnsentBytes: 400_000 };
  const { app, emit, numbers, port } = await start(limits, () => large);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  closing.unshift(async () => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  const requested = once(app.server, 'request');
  socket.write('GET /numbers HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, response] = await requested;
  emit(10_000);
  await until(() => response.destroyed);
  // The buffers of the operating system took the rest.
  expect(numbers.reads).toBeLessThan(100);
});

test('check 8: an idle stream takes less than 10 KiB', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { app, port } = await start();
  const count = 300;
  const openMany = () =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(port, '127.0.0.1');
        socket.write('GET /numbers HTTP/1.1\r\nhost: x\r\n\r\n');
        while (!String((await once(socket, 'data'))[0]).includes('id: c0'));
        return socket;
      }),
    );
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
  // Code that is compiled for the first streams counts for none.
  for (const socket of await openMany()) socket.destroy();
  await expect.poll(connections).toBe(0);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const sockets = await openMany();
  collectGarbage();
  const bytes = (process.memoryUsage().heapUsed - before) / count;
  expect(bytes).toBeLessThan(10 * 1_024);
  for (const socket of sockets) socket.destroy();
});
