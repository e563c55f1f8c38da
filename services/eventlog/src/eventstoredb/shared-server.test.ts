import { randomUUID } from 'node:crypto';
import { type EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppendTooLargeError, ConcurrencyError, type EventStore, NO_STREAM } from '../port.ts';
import { createNotesCodec, metadata, textsOf, write } from '../testing/notes.ts';
import { follow } from '../testing/races.ts';
import { connect } from './connection.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { createEventStoreDbStore } from './store.ts';

let simulator: Simulator;
let client: EventStoreDBClient;
let store: EventStore;
let foreign: string[];
let closing: (() => Promise<void>)[];
beforeEach(async () => {
  [closing, foreign] = [[], []];
  simulator = await startSimulator();
  client = connect(simulator.url);
  store = await openStore();
});
afterEach(async () => {
  for (const close of closing) await close();
  await client.dispose();
  await simulator.close();
});

type Opened = { client?: EventStoreDBClient; streamPrefix?: string };
async function openStore({ client = connect(simulator.url), ...rest }: Opened = {}): Promise<EventStore> {
  const codec = await createNotesCodec();
  const onForeignEvent = ({ type }: { type: string }) => foreign.push(type);
  const opened = createEventStoreDbStore({ client, codec, onForeignEvent, ...rest });
  closing.push(opened.close);
  return opened;
}

const placeOrders = (count: number, stream = 'orders-1') =>
  client.appendToStream(
    stream,
    Array.from({ length: count }, () => jsonEvent({ type: 'OrderPlaced', data: { orderId: randomUUID() } })),
  );
const append = (...writes: ReturnType<typeof write>[]) => store.append(writes, metadata);

describe('events of other programs', () => {
  test('are skipped by every reader, and the first one is reported', async () => {
    await append(write('note-1', NO_STREAM, 'a'));
    const { position } = await append(write('note-1', 0n, 'b'));
    await placeOrders(3);
    const text = jsonEvent({ type: 'Noted', data: { text: 'theirs' }, metadata: { version: 1, userId: 'u1' } });
    await client.appendToStream('note-9', text);
    expect(textsOf(await store.readAll(0n, 10))).toEqual(['a', 'b']);
    expect(textsOf(await store.readBack(null, 10))).toEqual(['b', 'a']);
    expect(await store.head()).toBe(position);
    expect((await store.readStream('note-9')).events).toEqual([]);
    const following = follow(store, 0n, 3);
    await append(write('note-1', 1n, 'c'));
    expect(textsOf(await following)).toEqual(['a', 'b', 'c']);
    expect(foreign).toEqual(['OrderPlaced']);
  });

  test('in a stream of ours do not hide its revision', async () => {
    await append(write('note-1', NO_STREAM, 'a'));
    await placeOrders(1, 'note-1');
    expect(await store.readStream('note-1')).toMatchObject({ revision: 1n, events: [{ revision: 0n }] });
    await append(write('note-1', 1n, 'b'));
  });

  test('are distinguished from events of ours without a marker', async () => {
    const stored = { version: 1, encrypted: null, metadata };
    await client.appendToStream('note-1', jsonEvent({ type: 'Noted', data: { text: 'old' }, metadata: stored }));
    expect(textsOf((await store.readStream('note-1')).events)).toEqual(['old']);
    expect(foreign).toEqual([]);
  });

  test('of another Gatebook are skipped where each has a prefix', async () => {
    const [first, second] = [await openStore({ streamPrefix: 'one_' }), await openStore({ streamPrefix: 'two_' })];
    await first.append([write('note-1', NO_STREAM, 'first')], metadata);
    await second.append([write('note-1', NO_STREAM, 'second')], metadata);
    expect(textsOf(await first.readAll(0n, 10))).toEqual(['first']);
    expect(textsOf(await follow(second, 0n, 1))).toEqual(['second']);
    expect(foreign).toEqual([]);
  });

  test('are not read again after a lost connection', async () => {
    const own = await openStore({ streamPrefix: 'own_' });
    const following = follow(own, 0n, 2);
    await own.append([write('note-1', NO_STREAM, 'a')], metadata);
    for (let count = 0; count < 11; count += 1) await placeOrders(100);
    await expect.poll(() => simulator.scanned()).toBeGreaterThan(1_100);
    const before = simulator.scanned();
    simulator.dropConnections();
    await own.append([write('note-1', 0n, 'b')], metadata);
    expect(textsOf(await following)).toEqual(['a', 'b']);
    expect(simulator.scanned() - before).toBeLessThan(200);
  });
});

describe('the size of an append', () => {
  /** Small events: large values are not stored in events. */
  const notes = (count: number) => Array.from({ length: count }, () => 'x'.repeat(1_000));

  test('may reach the limit of the server', async () => {
    await append(write('note-1', NO_STREAM, ...notes(700)));
  });

  test('that exceeds the limit is rejected before anything is written', async () => {
    const tooLarge = write('note-2', NO_STREAM, ...notes(1_000));
    const appending = append(write('note-1', NO_STREAM, 'a'), tooLarge);
    await expect(appending).rejects.toThrow(AppendTooLargeError);
    await expect(appending).rejects.toThrow(/stream note-2 have 1\d{6} bytes, but the log accepts at most 1048576/);
    expect(await store.readAll(0n, 10)).toEqual([]);
  });

  test('is limited for each stream, not for all together', async () => {
    await append(write('note-1', NO_STREAM, ...notes(700)), write('note-2', NO_STREAM, ...notes(700)));
  });
});

describe('a guard', () => {
  const guard = (stream: string, expected: bigint) => ({ stream, expected, events: [] });

  test.each([
    [
      'in the middle',
      [write('note-1', NO_STREAM, 'a'), guard('project-1', NO_STREAM), write('note-2', NO_STREAM, 'b')],
    ],
    ['at the end', [write('note-1', NO_STREAM, 'a'), write('note-2', NO_STREAM, 'b'), guard('project-1', NO_STREAM)]],
    ['at the start', [guard('project-1', NO_STREAM), write('note-1', NO_STREAM, 'a'), write('note-2', NO_STREAM, 'b')]],
  ])('%s of an append is checked again between its writes', async (_, writes) => {
    const other = await openStore();
    const slow = connect(simulator.url);
    const send = slow.appendToStream.bind(slow);
    Object.defineProperty(slow, 'appendToStream', {
      value: async (...call: Parameters<typeof send>) => {
        const result = await send(...call);
        if (call[0] === 'note-1') await other.append([write('project-1', NO_STREAM, 'closed')], metadata);
        return result;
      },
    });
    const mine = await openStore({ client: slow });
    const error: unknown = await mine.append(writes, metadata).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConcurrencyError);
    expect(error).toMatchObject({ stream: 'project-1', left: ['note-1'] });
    expect(textsOf(await store.readAll(0n, 10))).toEqual(['a', 'closed']);
  });
});
