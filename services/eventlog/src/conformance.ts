import { randomUUID } from 'node:crypto';
import { defineEvents, type NewMetadata, type Recorded } from '@gatebook/domain/event';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { UnknownEventVersionError } from './codec.ts';
import type { Keyring } from './encryption/keyring.ts';
import { ConcurrencyError, type EventStore, NO_STREAM, type Write } from './port.ts';
import { describeLargeValues } from './testing/large-values.ts';
import type { LogUnderTest } from './testing/log-under-test.ts';
import { follow, raceWriters } from './testing/races.ts';

export type { LogUnderTest };

export const conformanceCatalog = defineEvents({
  Noted: { version: 1, data: z.object({ text: z.string() }) },
  PersonNamed: {
    version: 1,
    data: z.object({ personId: z.uuid(), name: z.string().nullable(), isMember: z.boolean() }),
    personal: { subject: 'personId', fields: ['name'] },
  },
});

const newerCatalog = {
  ...conformanceCatalog,
  ...defineEvents({
    Noted: {
      version: 2,
      data: z.object({ lines: z.array(z.string()) }),
      upcast: { 1: ({ text }) => ({ lines: [text] }) },
    },
    Drawn: { version: 1, data: z.object({}) },
  }),
};

const metadata: NewMetadata = {
  projectId: 'p1',
  actor: { kind: 'system', id: null },
  requestId: 'r1',
  correlationId: 'c1',
  causationId: null,
};

export const noted = (...texts: string[]) => texts.map((text) => ({ type: 'Noted', data: { text } }));
export const write = (stream: string, expected: bigint, ...texts: string[]): Write => ({
  stream,
  expected,
  events: noted(...texts),
});
const texts = (events: readonly Recorded[]) => events.map(({ data }) => data.text);

/**
 * Tests every guarantee of the port. `leaves`: the part of an append that remains if it breaks halfway. `positions`:
 * 1, 2, 3, … or only rising.
 */
export function describeEventStore(
  name: string,
  createLog: () => Promise<LogUnderTest>,
  { leaves, positions }: { leaves: 'nothing' | 'the writes before'; positions: 'without gaps' | 'rising' },
): void {
  describe(`${name}: large values`, () => describeLargeValues(createLog));
  describe(name, () => {
    let log: LogUnderTest;
    let store: EventStore;
    let keyring: Keyring;
    beforeEach(async () => {
      log = await createLog();
      ({ store, keyring } = await log.open(conformanceCatalog));
    });
    afterEach(() => log.close());

    const appendNotes = (stream: string, expected: bigint, ...notes: string[]) =>
      store.append([write(stream, expected, ...notes)], metadata);
    const readEverything = () => store.readAll(0n, 10_000);

    test('an empty log has head 0, no events, and streams without a revision', async () => {
      expect(await store.head()).toBe(0n);
      expect(await readEverything()).toEqual([]);
      expect(await store.readStream('note-1')).toEqual({ events: [], revision: NO_STREAM });
    });

    test('events are read completely, by stream and in log order', async () => {
      await appendNotes('note-1', NO_STREAM, 'a', 'b');
      await appendNotes('note-2', NO_STREAM, 'c');
      const { position } = await appendNotes('note-1', 1n, 'd');
      const { events, revision } = await store.readStream('note-1');
      expect(revision).toBe(2n);
      expect(texts(events)).toEqual(['a', 'b', 'd']);
      expect(events.map((event) => event.revision)).toEqual([0n, 1n, 2n]);
      expect(events[0]).toMatchObject({ stream: 'note-1', type: 'Noted', data: { text: 'a' }, metadata });
      const all = await readEverything();
      expect(texts(all)).toEqual(['a', 'b', 'c', 'd']);
      expect(new Set(all.map(({ id }) => id)).size).toBe(4);
      expect(all.at(-1)?.position).toBe(position);
      expect(await store.head()).toBe(position);
      expect(events).toEqual(all.filter(({ stream }) => stream === 'note-1'));
    });

    test('reading continues after a position, up to the limit', async () => {
      await appendNotes('note-1', NO_STREAM, 'a', 'b', 'c', 'd');
      const first = await store.readAll(0n, 3);
      expect(texts(first)).toEqual(['a', 'b', 'c']);
      expect(texts(await store.readAll(first.at(-1)?.position ?? -1n, 3))).toEqual(['d']);
      expect(await store.readAll(await store.head(), 3)).toEqual([]);
    });

    test('events of unneeded types are skipped without losing the position', async () => {
      const named = { type: 'PersonNamed', data: { personId: randomUUID(), name: 'Ann', isMember: true } };
      await appendNotes('note-1', NO_STREAM, 'a', 'b');
      await store.append([{ stream: 'person-1', expected: NO_STREAM, events: [named, named] }], metadata);
      await appendNotes('note-1', 1n, 'c');
      const all = await readEverything();
      const page = async (after: bigint, limit: number, type: string) =>
        (await store.readAll(after, limit, { types: new Set([type]) })).map(({ data, position }) => ({
          data,
          position,
        }));
      expect(await page(0n, 10, 'PersonNamed')).toEqual([
        { data: { text: 'a' }, position: all[0]?.position },
        { data: { text: 'b' }, position: all[1]?.position },
        { data: { text: 'c' }, position: all[4]?.position },
      ]);
      expect(await page(all[0]?.position ?? -1n, 2, 'Noted')).toEqual([
        { data: named.data, position: all[2]?.position },
      ]);
      // The last event read is returned even if unneeded, so that the next page begins after it.
      expect(await page(0n, 2, 'Noted')).toEqual([{ data: {}, position: all[1]?.position }]);
      expect(await page(await store.head(), 2, 'Noted')).toEqual([]);
      expect(await store.readAll(0n, 10, { types: new Set() })).toEqual(all);
    });

    test('reading backwards starts at the end, or before a position, and returns the newest event first', async () => {
      expect(await store.readBack(null, 3)).toEqual([]);
      for (let count = 0n; count < 20n; count += 1n) await appendNotes('note-1', count - 1n, `n${count}`);
      const newest = await store.readBack(null, 3);
      expect(texts(newest)).toEqual(['n19', 'n18', 'n17']);
      expect(newest).toEqual((await readEverything()).slice(-3).reverse());
      expect(texts(await store.readBack(newest.at(-1)?.position ?? null, 2))).toEqual(['n16', 'n15']);
      expect(texts(await store.readBack(null, 100))).toHaveLength(20);
    });

    test.each([
      ['a stream that must be new exists', 'note-1', NO_STREAM],
      ['the stream has a later revision', 'note-1', 0n],
      ['the stream has an earlier revision', 'note-1', 2n],
      ['the stream does not exist', 'note-2', 0n],
    ])('an append is rejected when %s', async (_, stream, expected) => {
      await appendNotes('note-1', NO_STREAM, 'a', 'b');
      await expect(appendNotes(stream, expected, 'late')).rejects.toSatisfy(
        (error) => error instanceof ConcurrencyError && error.stream === stream,
      );
      expect(texts(await readEverything())).toEqual(['a', 'b']);
    });

    test('commit times come from the clock of the log and never fall', async () => {
      const before = Date.now();
      for (let index = 0; index < 20; index += 1) await appendNotes(`note-${index}`, NO_STREAM, 'a', 'b');
      const times = (await readEverything()).map(({ committedAt }) => committedAt);
      expect(times).toEqual(times.toSorted());
      expect(times.every((time) => time === new Date(time).toISOString())).toBe(true);
      expect(Date.parse(times[0] ?? '')).toBeGreaterThan(before - 5_000);
      expect(Date.parse(times.at(-1) ?? '')).toBeLessThan(Date.now() + 5_000);
    });

    test('of many appends with the same expected revision, one succeeds', async () => {
      const other = (await log.open(conformanceCatalog)).store;
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? store : other).append([write('note-1', NO_STREAM, `n${index}`)], metadata),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(
        results.filter((result) => result.status === 'rejected' && !(result.reason instanceof ConcurrencyError)),
      ).toEqual([]);
      expect(await readEverything()).toHaveLength(1);
    });

    test('several writes are appended in order and return the position of the last event', async () => {
      const { position } = await store.append(
        [write('reservation-1', NO_STREAM, 'reservation'), write('user-1', NO_STREAM, 'user', 'channel')],
        metadata,
      );
      const all = await readEverything();
      expect(texts(all)).toEqual(['reservation', 'user', 'channel']);
      expect(all.map(({ revision }) => revision)).toEqual([0n, 0n, 1n]);
      expect(all.at(-1)?.position).toBe(position);
    });

    test.each([0, 1, 2])('a conflict of write %i of three rejects all three', async (late) => {
      const streams = ['reservation-1', 'user-1', 'session-1'];
      await appendNotes(streams[late] ?? '', NO_STREAM, 'first');
      const writes = streams.map((stream) => write(stream, NO_STREAM, stream));
      await expect(store.append(writes, metadata)).rejects.toBeInstanceOf(ConcurrencyError);
      expect(texts(await readEverything())).toEqual(['first']);
    });

    test.each([0, 1, 2])(`an append that breaks at write %i of three leaves ${leaves}`, async (broken) => {
      const streams = ['reservation-1', 'user-1', 'session-1'];
      const writes = streams.map((stream) => write(stream, NO_STREAM, stream));
      await log.breakAt(streams[broken] ?? '');
      await expect(store.append(writes, metadata)).rejects.toThrow();
      const left = leaves === 'nothing' ? [] : streams.slice(0, broken);
      expect(texts(await readEverything())).toEqual(left);
      await log.breakAt(null);
      const rest = streams.slice(left.length).map((stream) => write(stream, NO_STREAM, stream));
      await store.append(rest, metadata);
      expect(texts(await readEverything())).toEqual(streams);
    });

    test('a failed append does not fail concurrent appends', async () => {
      await appendNotes('note-taken', NO_STREAM, 'first');
      await log.breakAt('note-broken');
      const streams = Array.from({ length: 30 }, (_, index) => `note-${index}`);
      streams.splice(7, 0, 'note-taken');
      streams.splice(20, 0, 'note-broken');
      const results = await Promise.allSettled(streams.map((stream) => appendNotes(stream, NO_STREAM, stream)));
      const failed = streams.filter((_, index) => results[index]?.status === 'rejected');
      expect(failed).toEqual(['note-taken', 'note-broken']);
      expect(texts(await readEverything()).toSorted()).toEqual(
        ['first', ...streams.filter((stream) => !failed.includes(stream))].toSorted(),
      );
    });

    test('an event that breaks its schema or has no definition is rejected before anything is written', async () => {
      const wrong = { stream: 'note-2', expected: NO_STREAM, events: [{ type: 'Noted', data: { text: 7 } }] };
      const unknown = { stream: 'note-2', expected: NO_STREAM, events: [{ type: 'Sung', data: {} }] };
      for (const bad of [wrong, unknown]) {
        const writes = [write('note-1', NO_STREAM, 'a'), bad];
        await expect(store.append(writes, metadata)).rejects.toThrow(/schema|catalog/);
      }
      expect(await readEverything()).toEqual([]);
    });

    test('an append can write to each stream only once', async () => {
      const twice = [write('note-1', NO_STREAM, 'a'), write('note-1', 0n, 'b')];
      await expect(store.append(twice, metadata)).rejects.toThrow('once');
    });

    test('a write without events only checks its revision', async () => {
      const { position } = await appendNotes('note-1', NO_STREAM, 'a');
      expect(await store.append([write('note-1', 0n)], metadata)).toEqual({ position });
      await expect(store.append([write('note-1', 4n)], metadata)).rejects.toBeInstanceOf(ConcurrencyError);
      await store.append([write('note-1', 0n), write('note-2', NO_STREAM, 'b')], metadata);
      expect(texts(await readEverything())).toEqual(['a', 'b']);
    });

    test('old versions are upcast; a newer version or an unknown type is an unreadable event, and an error of its stream', async () => {
      await appendNotes('note-1', NO_STREAM, 'old');
      const newer = (await log.open(newerCatalog)).store;
      await newer.append(
        [{ stream: 'note-2', expected: NO_STREAM, events: [{ type: 'Noted', data: { lines: ['new'] } }] }],
        metadata,
      );
      await newer.append(
        [{ stream: 'drawing-1', expected: NO_STREAM, events: [{ type: 'Drawn', data: {} }] }],
        metadata,
      );
      expect((await newer.readAll(0n, 10)).map(({ data }) => data)).toEqual([
        { lines: ['old'] },
        { lines: ['new'] },
        {},
      ]);
      expect(texts(await store.readAll(0n, 1))).toEqual(['old']);
      const errors = [undefined, expect.any(UnknownEventVersionError), expect.any(UnknownEventVersionError)];
      expect((await store.readAll(0n, 10)).map(({ unreadable }) => unreadable)).toEqual(errors);
      expect((await store.readBack(null, 10)).map(({ unreadable }) => unreadable)).toEqual(errors.toReversed());
      expect((await follow(store, 0n, 3)).map(({ unreadable }) => unreadable)).toEqual(errors);
      await expect(store.readStream('note-2')).rejects.toThrow(/Noted .* has version 2, which is newer than this code/);
      await expect(store.readStream('drawing-1')).rejects.toThrow(UnknownEventVersionError);
    });

    test('personal fields are stored encrypted, and read as null once their subject is erased', async () => {
      const [ann, bob] = [randomUUID(), randomUUID()];
      const named = (personId: string, name: string) => ({
        stream: `person-${personId}`,
        expected: NO_STREAM,
        events: [{ type: 'PersonNamed', data: { personId, name, isMember: true } }],
      });
      await store.append([named(ann, 'Ann Alder'), named(bob, 'Bob Birch')], metadata);
      const other = await log.open(conformanceCatalog);
      const names = async (from: EventStore) => (await from.readAll(0n, 10)).map(({ data }) => data.name);
      expect(await names(store)).toEqual(['Ann Alder', 'Bob Birch']);
      const encrypted = await store.readAll(0n, 10, { personal: true });
      expect(encrypted.map(({ data }) => data)).toEqual(
        [ann, bob].map((personId) => ({ personId, name: null, isMember: true })),
      );
      expect(await names(other.store)).toEqual(['Ann Alder', 'Bob Birch']);
      const before = await log.listStored();
      expect(before.join('\n')).toContain(ann);
      expect(before.join('\n')).not.toMatch(/Alder|Birch/);

      await keyring.erase(ann);
      expect(await names(store)).toEqual([null, 'Bob Birch']);
      await expect.poll(() => names(other.store)).toEqual([null, 'Bob Birch']);
      expect((await store.readStream(`person-${ann}`)).events[0]?.data).toEqual({
        personId: ann,
        name: null,
        isMember: true,
      });
      expect(await log.listStored()).toEqual(before);

      const again = { ...named(ann, 'Ann Again'), expected: 0n };
      await store.append([again], metadata);
      expect(await names(store)).toEqual([null, 'Bob Birch', null]);
      expect((await log.listStored()).join('\n')).not.toContain('Again');
    });

    test('the events of some projects are read in order, with the position up to which they are complete', async () => {
      const record = (projectId: string, stream: string, ...notes: string[]) =>
        store.append([write(stream, NO_STREAM, ...notes)], { ...metadata, projectId });
      const empty = await store.readProjects(['p1'], 0n, 5);
      expect(empty).toEqual({ events: [], upTo: 0n });
      await record('p1', 'note-1', 'a', 'b');
      await record('p2', 'note-2', 'c');
      await record('p3', 'note-3', 'd', 'e');
      await record('p1', 'note-4', 'f');
      await record('p2', 'note-5', 'g');
      const [, b, , , , f] = await readEverything();
      const head = await store.head();
      const page = async (projects: string[], after: bigint, limit: number) => {
        const { events, upTo } = await store.readProjects(projects, after, limit);
        return [texts(events).join(''), upTo];
      };
      expect(await page(['p1'], 0n, 10)).toEqual(['abf', head]);
      expect([
        ['abf', f?.position],
        ['abf', head],
      ]).toContainEqual(await page(['p1'], 0n, 3));
      expect(await page(['p1'], 0n, 2)).toEqual(['ab', b?.position]);
      expect(await page(['p1'], f?.position ?? 0n, 3)).toEqual(['', head]);
      expect(await page(['p3', 'p2'], 0n, 10)).toEqual(['cdeg', head]);
      expect(await page(['none'], 0n, 10)).toEqual(['', head]);
    });

    test.each([0, 2_100])('a subscription from position %i gets all existing and all new events', async (from) => {
      const many = Array.from({ length: 2_500 }, (_, index) => `n${index}`);
      await appendNotes('note-1', NO_STREAM, ...many);
      const start = (await store.readAll(0n, 2_500))[from - 1]?.position ?? 0n;
      const following = follow(store, start, many.length - from + 2);
      await appendNotes('note-1', 2_499n, 'x');
      await (await log.open(conformanceCatalog)).store.append([write('note-1', 2_500n, 'y')], metadata);
      expect(texts(await following)).toEqual([...many.slice(from), 'x', 'y']);
    });

    test('a subscription ends promptly when aborted, waiting or not', async () => {
      for (const isEmpty of [true, false]) {
        if (!isEmpty) await appendNotes('note-1', NO_STREAM, 'a');
        const ended = new AbortController();
        const batches = store.subscribe(0n, ended.signal)[Symbol.asyncIterator]();
        if (!isEmpty) expect((await batches.next()).done).toBe(false);
        const next = batches.next();
        setTimeout(() => ended.abort(), 20);
        expect(await next).toMatchObject({ done: true });
      }
      const already = store.subscribe(0n, AbortSignal.abort())[Symbol.asyncIterator]();
      expect(await already.next()).toMatchObject({ done: true });
    });

    test('appends of another process reach a waiting subscription immediately', async () => {
      const other = (await log.open(conformanceCatalog)).store;
      const start = performance.now();
      for (let count = 0n; count < 10n; count += 1n) {
        const following = follow(store, await store.head(), 1);
        await other.append([write('note-1', count - 1n, `n${count}`)], metadata);
        expect(texts(await following)).toEqual([`n${count}`]);
      }
      // Polling once a second would take twice as long on average.
      expect(performance.now() - start).toBeLessThan(5_000);
    });

    test.each([1, 2, 3])(
      'subscriptions see every event of 32 writers once and in order, despite delays, conflicts and cut connections (seed %i)',
      { timeout: 60_000 },
      async (seed) => {
        const stores = [store, (await log.open(conformanceCatalog)).store];
        const { appended, seen } = await raceWriters({ stores, seed, metadata, cutConnections: log.cutConnections });
        const all = await store.readAll(0n, 100_000);
        expect(texts(all).toSorted()).toEqual(appended.toSorted());
        for (const events of seen) expect(events.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
        const revisions = new Map<string, bigint>();
        let last = 0n;
        for (const { stream, revision, position } of all) {
          expect(revision).toBe((revisions.get(stream) ?? NO_STREAM) + 1n);
          revisions.set(stream, revision);
          if (positions === 'without gaps') expect(position).toBe(last + 1n);
          else expect(position).toBeGreaterThan(last);
          last = position;
        }
      },
    );
  });
}
