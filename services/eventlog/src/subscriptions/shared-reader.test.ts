import { randomBytes, randomUUID } from 'node:crypto';
import type { Recorded } from '@gatebook/domain/event';
import { newEventId } from '@gatebook/runtime/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Codec, createCodec, type StoredRecord } from '../codec.ts';
import { createKeyring, type Keyring } from '../encryption/keyring.ts';
import { createMemoryKeyStore } from '../encryption/memory-key-store.ts';
import { createMemoryBlobStore } from '../large-values/blob-store.ts';
import { createNewest, type Newest } from '../newest.ts';
import { NO_STREAM, type SubscriptionOptions } from '../port.ts';
import { metadata, notesCatalog } from '../testing/notes.ts';
import { enoughSkipped, skippedMs } from './batch.ts';
import { createSharedReader, type LogSource, type SharedReader } from './shared-reader.ts';

const pageSize = 10;

let keyring: Keyring;
let codec: Codec;
let records: StoredRecord[];
let newest: Newest;
/** Positions after which the log was read, and events that were decoded. */
let [reads, decoded]: [bigint[], number] = [[], 0];
/** Runs before a page is returned. */
let beforePage: () => unknown;
let failure: Error | null;
const closers: (() => void)[] = [];
beforeEach(async () => {
  keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createMemoryKeyStore() });
  const inner = createCodec({ catalog: notesCatalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  codec = {
    ...inner,
    decode: (page, unneeded) => {
      decoded += page.length;
      return inner.decode(page, unneeded);
    },
  };
  records = [];
  newest = createNewest();
  [reads, decoded] = [[], 0];
  beforePage = () => undefined;
  failure = null;
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.useRealTimers();
});

const source: LogSource = {
  head: async () => BigInt(records.length),
  follow: async function* (position, signal) {
    while (!signal.aborted) {
      if (failure) throw failure;
      const from = position();
      const page = records.slice(Number(from), Number(from) + pageSize);
      if (page.length > 0) {
        reads.push(from);
        await beforePage();
        yield page;
      } else await newest.above(position(), signal);
    }
  },
  isConnectionLost: () => false,
};
const openReader = (limits = { maxRecords: 2_000, maxBytes: 1_000_000 }) => createSharedReader(source, codec, limits);

const note = (text: string) => ({ type: 'Noted', data: { text } });
async function store(...events: { type: string; data: Record<string, unknown> }[]): Promise<StoredRecord[]> {
  const writes = [{ stream: `note-${randomUUID()}`, expected: NO_STREAM, events }];
  const [write] = await codec.encode(writes, metadata);
  const committedAt = '2026-01-01T00:00:00.000Z';
  const stored = (write?.events ?? []).map(
    (event, index): StoredRecord => ({
      ...event,
      revision: BigInt(index),
      position: BigInt(records.length + index + 1),
      committedAt,
    }),
  );
  records.push(...stored);
  return stored;
}
/** As another process does. */
async function append(...texts: string[]): Promise<void> {
  await store(...texts.map(note));
  newest.announce(BigInt(records.length));
}

type Following = { batches: (readonly Recorded[])[]; texts(): unknown[]; end(): void; ended: Promise<unknown> };
function follow(reader: SharedReader, after = 0n, options?: SubscriptionOptions, onBatch = async () => {}): Following {
  const stopping = new AbortController();
  const batches: (readonly Recorded[])[] = [];
  const ended = (async () => {
    for await (const batch of reader.subscribe(after, stopping.signal, options)) {
      batches.push(batch);
      await onBatch();
    }
  })().catch((error: unknown) => error);
  closers.push(() => stopping.abort());
  const texts = () => batches.flat().map(({ data }) => data.text);
  return { batches, texts, end: () => stopping.abort(), ended };
}
/** Waits without timers, which tests fake. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resume) => setImmediate(resume));
}
const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);

test('subscriptions at the head share what is read and decoded', async () => {
  const reader = openReader();
  const following = [follow(reader), follow(reader), follow(reader, 0n, { large: true })];
  await append('a');
  for (const { texts } of following) await expect.poll(texts).toEqual(['a']);
  await append('b', 'c');
  for (const { texts } of following) await expect.poll(texts).toEqual(['a', 'b', 'c']);
  expect(reads).toEqual([0n, 1n]);
  expect(decoded).toBe(3);
});

test('events that were handed over are not read', async () => {
  const reader = openReader();
  const following = follow(reader);
  await append('a');
  await expect.poll(following.texts).toEqual(['a']);
  const handOver = async (text: string) => {
    const before = BigInt(records.length);
    const added = await store(note(text));
    reader.add(before, () => added);
    newest.announce(BigInt(records.length));
  };
  await handOver('b');
  await handOver('c');
  await expect.poll(following.texts).toEqual(['a', 'b', 'c']);
  expect(reads).toEqual([0n]);
  // Another process was first.
  await store(note('d'));
  await handOver('e');
  await expect.poll(following.texts).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(reads).toEqual([0n, 3n]);
});

test('a page of a subscription that lagged may end after the shared events, and none comes twice', async () => {
  await append(...numbered(1, 4));
  const reader = openReader();
  const first = follow(reader, 4n);
  await expect.poll(() => newest.position()).toBe(4n);
  await new Promise((resume) => setTimeout(resume, 5));
  // Stored, but the reader does not know of them yet.
  await store(note('n5'), note('n6'));
  const late = follow(reader, 0n);
  await expect.poll(late.texts).toEqual(numbered(1, 6));
  expect(first.texts()).toEqual([]);
  newest.announce(6n);
  await expect.poll(first.texts).toEqual(['n5', 'n6']);
  await append('n7');
  await expect.poll(late.texts).toEqual(numbered(1, 7));
});

test('a subscription that lags beyond the kept events reads by itself until it has caught up', async () => {
  const reader = openReader({ maxRecords: 5, maxBytes: 1_000_000 });
  const fast = follow(reader);
  let resume = () => {};
  const slow = follow(reader, 0n, {}, () => new Promise((resolve) => (resume = resolve)));
  await append('n1');
  await expect.poll(slow.texts).toEqual(['n1']);
  for (let n = 2; n <= 40; n += 1) await append(`n${n}`);
  await expect.poll(fast.texts).toEqual(numbered(1, 40));
  const before = reads.length;
  await expect
    .poll(() => {
      resume();
      return slow.texts();
    })
    .toEqual(numbered(1, 40));
  expect(reads.length - before).toBe(4);
  await append('n41');
  await expect
    .poll(() => {
      resume();
      return slow.texts();
    })
    .toEqual(numbered(1, 41));
  expect(fast.texts()).toEqual(numbered(1, 41));
  expect(reads.length - before).toBe(5);
});

test('kept events are bounded in bytes', async () => {
  const reader = openReader({ maxRecords: 2_000, maxBytes: 3_000 });
  const fast = follow(reader);
  const slow = follow(reader, 0n, {}, () => new Promise(() => undefined));
  for (let n = 1; n <= 20; n += 1) await append(`n${n}`);
  await expect.poll(() => fast.texts().length).toBe(20);
  expect(slow.batches).toHaveLength(1);
  const before = reads.length;
  const late = follow(reader, 0n);
  await expect.poll(() => late.texts().length).toBe(20);
  expect(reads.length).toBeGreaterThan(before);
});

test('unneeded events wake nobody until there are many or some time has passed, and then the position is known', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const reader = openReader();
  const everything = follow(reader);
  const picky = follow(reader, 0n, { types: new Set(['Noted']) });
  const named = { type: 'PersonNamed', data: { personId: randomUUID(), name: null, isMember: true } };
  const pass = async (seen: number) => {
    newest.announce(BigInt(records.length));
    await until(() => everything.batches.flat().length === seen);
  };
  await store(note('a'), note('b'));
  await pass(2);
  expect(picky.batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(skippedMs);
  await until(() => picky.batches.length === 1);
  expect(picky.batches).toMatchObject([[{ position: 2n, data: {} }]]);

  await store(note('c'), named, note('d'));
  await pass(5);
  await until(() => picky.batches.length === 2);
  expect(picky.batches[1]).toMatchObject([
    { position: 4n, data: named.data },
    { position: 5n, data: {} },
  ]);

  await store(...numbered(1, enoughSkipped).map(note));
  await pass(5 + enoughSkipped);
  await until(() => picky.batches.length === 3);
  expect(picky.batches[2]).toMatchObject([{ position: BigInt(5 + enoughSkipped), data: {} }]);
});

test('a subscription with a delay gets what has come by then, in one batch', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const reader = openReader();
  const everything = follow(reader);
  const lazy = follow(reader, 0n, { delayMs: 250 });
  for (const text of ['a', 'b', 'c']) {
    await append(text);
    await until(() => everything.texts().includes(text));
    await vi.advanceTimersByTimeAsync(80);
  }
  expect(lazy.batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(10);
  await until(() => lazy.batches.length === 1);
  expect(lazy.texts()).toEqual(['a', 'b', 'c']);

  await append(...numbered(1, 500));
  await until(() => lazy.texts().length === 503);
});

test('a subscription with an interval gets a single event at once, and later ones in one batch', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const reader = openReader();
  const everything = follow(reader);
  const lazy = follow(reader, 0n, { intervalMs: 250 });
  const add = async (text: string) => {
    await append(text);
    await until(() => everything.texts().includes(text));
  };
  await add('a');
  await until(() => lazy.batches.length === 1);
  for (const text of ['b', 'c']) {
    await vi.advanceTimersByTimeAsync(80);
    await add(text);
  }
  expect(lazy.texts()).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(90);
  await until(() => lazy.batches.length === 2);
  expect(lazy.texts()).toEqual(['a', 'b', 'c']);

  await vi.advanceTimersByTimeAsync(250);
  await add('d');
  await until(() => lazy.batches.length === 3);
});

test('a subscription that gets an event after the erasure of its subject does not see personal data', async () => {
  const reader = openReader();
  const fast = follow(reader);
  let resume = () => {};
  const slow = follow(reader, 0n, {}, () => new Promise((resolve) => (resume = resolve)));
  const [ann, bob] = [randomUUID(), randomUUID()];
  const named = (personId: string, name: string) => ({ type: 'PersonNamed', data: { personId, name, isMember: true } });
  await append('a');
  await expect.poll(slow.texts).toEqual(['a']);
  await store(named(ann, 'Ann'), named(bob, 'Bob'));
  newest.announce(3n);
  const names = ({ batches }: Following) => batches.flat().map(({ data }) => data.name);
  await expect.poll(() => names(fast)).toEqual([undefined, 'Ann', 'Bob']);
  await keyring.erase(ann);
  resume();
  await expect.poll(() => names(slow)).toEqual([undefined, null, 'Bob']);
});

test('a failure of the reader ends its subscriptions, and the next one reads again', async () => {
  const reader = openReader();
  const following = [follow(reader), follow(reader)];
  await append('a');
  for (const { texts } of following) await expect.poll(texts).toEqual(['a']);
  failure = new Error('no privileges');
  newest.wake();
  for (const { ended } of following) expect(await ended).toBe(failure);
  failure = null;
  const next = follow(reader, 1n);
  await append('b');
  await expect.poll(next.texts).toEqual(['b']);
});

test('after a reset the reader begins again at the head', async () => {
  const reader = openReader();
  const following = follow(reader);
  await append('a', 'b');
  await expect.poll(following.texts).toEqual(['a', 'b']);
  reader.reset();
  await append('c');
  await expect.poll(following.texts).toEqual(['a', 'b', 'c']);
});

test('nothing is read while nobody subscribes', async () => {
  const reader = openReader();
  const following = follow(reader);
  await append('a');
  await expect.poll(following.texts).toEqual(['a']);
  following.end();
  await following.ended;
  await append('b');
  await new Promise((resume) => setTimeout(resume, 20));
  expect(reads).toEqual([0n]);
});
