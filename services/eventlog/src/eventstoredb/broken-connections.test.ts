import type { EventStoreDBClient } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  AppendOutcomeUnknownError,
  ConcurrencyError,
  type EventStore,
  LogUnavailableError,
  NO_STREAM,
} from '../port.ts';
import { createNotesCodec, metadata, write } from '../testing/notes.ts';
import { follow } from '../testing/races.ts';
import { connect } from './connection.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { createEventStoreDbStore } from './store.ts';

let simulator: Simulator;
let store: EventStore;
let closing: (() => Promise<void>)[];
beforeEach(async () => {
  closing = [];
  simulator = await startSimulator();
  store = await openStore();
});
afterEach(async () => {
  for (const close of closing) await close();
  await simulator.close();
});

type Opened = { client?: EventStoreDBClient; maxAttempts?: number };
async function openStore({ client = connect(simulator.url), ...rest }: Opened = {}): Promise<EventStore> {
  const codec = await createNotesCodec();
  const opened = createEventStoreDbStore({ client, codec, ...rest });
  closing.push(opened.close);
  return opened;
}

const append = (...writes: ReturnType<typeof write>[]) => store.append(writes, metadata);
const streams = ['reservation-1', 'user-1', 'session-1'];
const threeWrites = () => streams.map((stream) => write(stream, NO_STREAM, stream));
/** The texts of stored events, without those of the server itself. */
const storedTexts = () =>
  simulator.events().flatMap(({ type, data }) => (type.startsWith('$') ? [] : [JSON.parse(data.toString()).text]));

test('an append whose answer was lost is stored once and returns the position of its last event', async () => {
  simulator.loseAnswers(2);
  const { position } = await append(write('note-1', NO_STREAM, 'a', 'b'));
  expect(storedTexts()).toEqual(['a', 'b']);
  expect(position).toBe((await store.readAll(0n, 10)).at(-1)?.position);
});

test('a retried append finds its events even after later writes to the stream', async () => {
  const other = await openStore();
  const client = connect(simulator.url);
  const send = client.appendToStream.bind(client);
  let answers = 0;
  Object.defineProperty(client, 'appendToStream', {
    value: async (...call: Parameters<typeof send>) => {
      const answer = await send(...call);
      answers += 1;
      if (answers > 1) return answer;
      await other.append([write('note-1', 0n, 'next')], metadata);
      throw Object.assign(new Error('14 UNAVAILABLE: read ECONNRESET'), { code: 14 });
    },
  });
  const mine = await openStore({ client });
  await mine.append([write('note-1', NO_STREAM, 'mine')], metadata);
  expect({ stored: storedTexts(), answers }).toEqual({ stored: ['mine', 'next'], answers: 2 });
});

test('the outcome of a retried append is unknown if its events cannot be looked for', async () => {
  const other = await openStore();
  const client = connect(simulator.url);
  const send = client.appendToStream.bind(client);
  let attempts = 0;
  Object.defineProperty(client, 'appendToStream', {
    value: async (...call: Parameters<typeof send>) => {
      attempts += 1;
      if (attempts === 1) {
        await other.append([write('note-1', NO_STREAM, 'first')], metadata);
        throw Object.assign(new Error('14 UNAVAILABLE: read ECONNRESET'), { code: 14 });
      }
      return send(...call).finally(() => simulator.goAway());
    },
  });
  const mine = await openStore({ client, maxAttempts: 4 });
  const appending = mine.append([write('note-1', NO_STREAM, 'mine')], metadata);
  await expect(appending).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
  expect({ stored: storedTexts(), attempts }).toEqual({ stored: ['first'], attempts: 2 });
});

test('an append waits for the server to come back', async () => {
  await append(write('note-1', NO_STREAM, 'a'));
  await simulator.goAway();
  const waiting = append(write('note-1', 0n, 'b'));
  const reading = store.readStream('note-1');
  await simulator.comeBack();
  await Promise.all([waiting, reading]);
  expect(storedTexts()).toEqual(['a', 'b']);
});

test('calls to a node that is not ready are retried', async () => {
  simulator.rejectCalls(true);
  const waiting = append(write('note-1', NO_STREAM, 'a'));
  await expect.poll(() => simulator.calls().append).toBeGreaterThan(1);
  simulator.rejectCalls(false);
  await waiting;
  expect(storedTexts()).toEqual(['a']);
});

test('a node that is not the leader redirects calls to the leader', async () => {
  const leader = await startSimulator();
  const onLeader = await openStore({ client: connect(leader.url) });
  await onLeader.append([write('note-1', NO_STREAM, 'a')], metadata);
  simulator.followLeader(leader.port);
  expect((await store.readStream('note-1')).events.map(({ data }) => data.text)).toEqual(['a']);
  expect(await store.head()).toBe(await onLeader.head());
  await leader.close();
});

test('calls to an unavailable server fail after retries, and later calls fail immediately', async () => {
  await simulator.goAway();
  const start = performance.now();
  await expect(append(write('note-1', NO_STREAM, 'a'))).rejects.toBeInstanceOf(LogUnavailableError);
  const firstMs = performance.now() - start;
  await expect(append(write('note-1', NO_STREAM, 'a'))).rejects.toBeInstanceOf(LogUnavailableError);
  await expect(store.readStream('note-1')).rejects.toBeInstanceOf(LogUnavailableError);
  await expect(store.readAll(0n, 1)).rejects.toBeInstanceOf(LogUnavailableError);
  await expect(store.head()).rejects.toBeInstanceOf(LogUnavailableError);
  // The first one retries for seconds; the other four don't retry.
  expect(performance.now() - start - firstMs).toBeLessThan(firstMs);
  await simulator.comeBack();
  await append(write('note-1', NO_STREAM, 'a'));
  expect(storedTexts()).toEqual(['a']);
});

test.each([0, 1, 2])('a server that dies after %i of three writes keeps those writes', async (made) => {
  simulator.dieAfter(made);
  const hasty = await openStore({ maxAttempts: 4 });
  await expect(hasty.append(threeWrites(), metadata)).rejects.toBeInstanceOf(AppendOutcomeUnknownError);
  expect(storedTexts()).toEqual(streams.slice(0, made));
});

test.each([1, 2])(
  'a conflict at write %i, after the check, keeps the earlier writes and reports them',
  async (late) => {
    const other = await openStore();
    const client = connect(simulator.url);
    const send = client.appendToStream.bind(client);
    Object.defineProperty(client, 'appendToStream', {
      value: async (...call: Parameters<typeof send>) => {
        if (call[0] === streams[late]) await other.append([write(call[0], NO_STREAM, 'first')], metadata);
        return send(...call);
      },
    });
    const mine = await openStore({ client });
    const error: unknown = await mine.append(threeWrites(), metadata).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConcurrencyError);
    expect(error).toMatchObject({ stream: streams[late], left: streams.slice(0, late) });
    expect(storedTexts()).toEqual([...streams.slice(0, late), 'first']);
  },
);

test('a subscription survives a server outage', async () => {
  await append(write('note-1', NO_STREAM, 'a'));
  const following = follow(store, 0n, 3);
  await append(write('note-1', 0n, 'b'));
  await expect.poll(() => simulator.calls().read).toBeGreaterThan(0);
  await simulator.goAway();
  await simulator.comeBack();
  await append(write('note-1', 1n, 'c'));
  expect((await following).map(({ data }) => data.text)).toEqual(['a', 'b', 'c']);
});

test('each write is a separate call, although the server supports batches', async () => {
  await append(...threeWrites());
  expect(simulator.calls()).toMatchObject({ append: 3 });
  expect(simulator.calls().batchAppend).toBeUndefined();
});

test('the head takes one read, independent of system events of the server', async () => {
  for (let count = 0n; count < 20n; count += 1n) await append(write('note-1', count - 1n, 'a'));
  const head = await store.head();
  const reads = simulator.calls().read ?? 0;
  expect(await store.head()).toBe(head);
  expect((simulator.calls().read ?? 0) - reads).toBe(1);
});

test.each(['esdb+discover', 'kurrentdb', 'kurrentdb+discover'])('%s:// URLs are accepted', async (scheme) => {
  const found = await openStore({ client: connect(simulator.url.replace('esdb', scheme)) });
  await found.append([write('note-1', NO_STREAM, 'a')], metadata);
  expect(storedTexts()).toEqual(['a']);
});

test('a server that is too old to return positions is rejected', async () => {
  const old = await startSimulator({ isOld: true });
  const onOld = await openStore({ client: connect(old.url) });
  await onOld.append([write('note-1', NO_STREAM, 'a')], metadata);
  await expect(onOld.readStream('note-1')).rejects.toThrow('EventStoreDB 22.6 or later');
  await old.close();
});
