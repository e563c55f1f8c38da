import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AllStreamSubscription,
  EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  streamNameFilter,
} from '@eventstore/db-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isConnectionLost } from './connection.ts';
import { collect } from './reading.ts';
import { type Simulator, startSimulator } from './simulator.ts';

// Tests the simulator with the original client, without our adapter. A real server answers the same.

let simulator: Simulator;
let client: EventStoreDBClient;
beforeEach(async () => {
  simulator = await startSimulator();
  client = EventStoreDBClient.connectionString(simulator.url);
});
afterEach(async () => {
  await client.dispose();
  await simulator.close();
});

const event = (text: string, type = 'Noted') => jsonEvent({ id: randomUUID(), type, data: { text } });
const textOf = (resolved: { event?: { data: unknown } }) =>
  (resolved.event?.data as { text?: string } | undefined)?.text;
const textsOf = (resolved: readonly { event?: { data: unknown } }[]) => resolved.map(textOf);

async function take(subscription: AllStreamSubscription, count: number): Promise<(string | undefined)[]> {
  const seen: (string | undefined)[] = [];
  for await (const resolved of subscription) {
    seen.push(textOf(resolved));
    if (seen.length === count) break;
  }
  return seen;
}

test('batches are appended, rejected on a conflict, and recognized when repeated', async () => {
  const first = [event('a'), event('b')];
  const appended = await client.appendToStream('note-1', first, { expectedRevision: 'no_stream' });
  expect(appended).toMatchObject({ success: true, nextExpectedRevision: 1n });
  await client.appendToStream('note-1', event('c'), { expectedRevision: 1n });
  await expect(client.appendToStream('note-1', event('d'), { expectedRevision: 1n })).rejects.toMatchObject({
    type: 'wrong-expected-version',
    actualVersion: 2n,
  });
  const again = await client.appendToStream('note-1', first, { expectedRevision: 'no_stream' });
  expect(again).toEqual({ success: true, nextExpectedRevision: 1n, position: undefined });
  expect(simulator.calls()).toMatchObject({ getSupportedMethods: 1, batchAppend: 1 });
  expect(textsOf(await collect(client.readStream('note-1')))).toEqual(['a', 'b', 'c']);
});

test('streams can be read forwards, backwards, from a revision and up to a limit', async () => {
  await client.appendToStream(
    'note-1',
    ['a', 'b', 'c', 'd'].map((text) => event(text)),
  );
  const read = async (options: Parameters<typeof client.readStream>[1]) =>
    textsOf(await collect(client.readStream('note-1', options)));
  expect(await read({ fromRevision: 1n, maxCount: 2 })).toEqual(['b', 'c']);
  expect(await read({ direction: 'backwards', fromRevision: 'end', maxCount: 2 })).toEqual(['d', 'c']);
  expect(await read({ direction: 'backwards', fromRevision: 1n })).toEqual(['b', 'a']);
  await expect(collect(client.readStream('note-2'))).rejects.toMatchObject({ type: 'stream-not-found' });
});

test('$all is read from the event at a position, backwards from the event before it, and rejects positions without an event', async () => {
  const { position } = await client.appendToStream('note-1', event('a'));
  const { position: last } = await client.appendToStream('note-2', event('b'));
  if (!position || !last) throw new Error('no position');
  expect(last.commit).toBeGreaterThan(position.commit + 1n);
  expect(textsOf(await collect(client.readAll({ fromPosition: position })))).toEqual(['a', 'b']);
  const backwards = await collect(client.readAll({ direction: 'backwards', fromPosition: last, maxCount: 1 }));
  expect(textsOf(backwards)).toEqual(['a']);
  const between = { commit: last.commit - 1n, prepare: last.commit - 1n };
  await expect(collect(client.readAll({ fromPosition: between }))).rejects.toThrow('no event lies at position');
});

test('a read that is never answered fails like a lost connection', async () => {
  simulator.hang(true);
  await expect(collect(client.readAll(), 100)).rejects.toSatisfy(isConnectionLost);
  simulator.hang(false);
  expect(await collect(client.readAll(), 5_000)).not.toEqual([]);
});

test('a subscription gets the existing and the new events that match its filter', async () => {
  await client.appendToStream('note-1', [event('a'), event('b', 'Drawn')]);
  const subscriptions = [
    client.subscribeToAll({ filter: excludeSystemEvents() }),
    client.subscribeToAll({ filter: eventTypeFilter({ prefixes: ['Dra'] }) }),
    client.subscribeToAll({ filter: streamNameFilter({ prefixes: ['note-2'] }) }),
    client.subscribeToAll({ filter: streamNameFilter({ regex: '^note-[12]$' }) }),
  ];
  const counts = [4, 2, 2, 4];
  const taking = subscriptions.map((subscription, index) => take(subscription, counts[index] ?? 0));
  await client.appendToStream('note-2', [event('c'), event('d', 'Drawn')]);
  expect(await Promise.all(taking)).toEqual([
    ['a', 'b', 'c', 'd'],
    ['b', 'd'],
    ['c', 'd'],
    ['a', 'b', 'c', 'd'],
  ]);
});

test('a subscription gets checkpoints when no event matches its filter', async () => {
  const checkpoint = new Promise<bigint>((resolve) => {
    const filter = excludeSystemEvents({
      checkpointInterval: 1,
      checkpointReached: (_subscription, position) => resolve(position.commit),
    });
    client.subscribeToAll({ filter }).on('data', () => undefined);
  });
  await client.appendToStream(
    '$other',
    Array.from({ length: 64 }, (_, index) => event(`n${index}`, '$system')),
  );
  expect(await checkpoint).toBe(simulator.events()[31]?.position);
});

test('a log in a file survives a restart, without a line that a crash truncated', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-simulator-'));
  const file = join(folder, 'log.jsonl');
  const before = await startSimulator({ file });
  const writer = EventStoreDBClient.connectionString(before.url);
  await writer.appendToStream('note-1', [event('a'), event('b')], { expectedRevision: 'no_stream' });
  const events = [...before.events()];
  await writer.dispose();
  await before.close();
  await appendFile(file, '[{"id":"cut');

  const after = await startSimulator({ port: before.port, file });
  expect(after.events()).toEqual(events);
  const reader = EventStoreDBClient.connectionString(after.url);
  await reader.appendToStream('note-1', event('c'), { expectedRevision: 1n });
  await reader.dispose();
  await after.close();

  const last = await startSimulator({ file });
  expect(last.events().map(({ id }) => id)).toEqual(after.events().map(({ id }) => id));
  await last.close();
  await rm(folder, { recursive: true });
});
