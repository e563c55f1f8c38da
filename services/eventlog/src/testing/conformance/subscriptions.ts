import { randomUUID } from 'node:crypto';
import type { Recorded } from '@gatebook/domain/event';
import { expect, test } from 'vitest';
import { NO_STREAM } from '../../port.ts';
import { metadata, notesCatalog, textsOf, write } from '../notes.ts';
import { follow, raceWriters } from '../races.ts';
import type { OpenedLog } from './opened-log.ts';

/** 1, 2, 3, … or only rising. */
export type Positions = 'without gaps' | 'rising';

export function testSubscriptions(opened: OpenedLog, positions: Positions, seeds: readonly number[]): void {
  const { appendNotes } = opened;

  test.each([0, 2_100])('a subscription from position %i gets all existing and all new events', async (from) => {
    const many = Array.from({ length: 2_500 }, (_, index) => `n${index}`);
    await appendNotes('note-1', NO_STREAM, ...many);
    const start = (await opened.store.readAll(0n, 2_500))[from - 1]?.position ?? 0n;
    const following = follow(opened.store, start, many.length - from + 2);
    await appendNotes('note-1', 2_499n, 'x');
    await (await opened.log.open(notesCatalog)).store.append([write('note-1', 2_500n, 'y')], metadata);
    expect(textsOf(await following)).toEqual([...many.slice(from), 'x', 'y']);
  });

  test('a subscription gets only the events that it needs', async () => {
    const { store } = opened;
    const named = { type: 'PersonNamed', data: { personId: randomUUID(), name: 'Ann', isMember: true } };
    await appendNotes('note-1', NO_STREAM, 'a');
    const ended = new AbortController();
    const seen: Recorded[] = [];
    const following = (async () => {
      const options = { types: new Set(['Noted']), personal: true };
      for await (const batch of store.subscribe(0n, ended.signal, options)) seen.push(...batch);
    })();
    await store.append([{ stream: 'person-1', expected: NO_STREAM, events: [named] }], metadata);
    await expect.poll(() => seen.length).toBe(1);
    await appendNotes('note-1', 0n, 'b');
    await store.append([{ stream: 'person-1', expected: 0n, events: [named] }], metadata);
    await expect.poll(() => seen.length).toBe(2);
    expect(seen.map(({ type, data }) => [type, data.name])).toEqual([
      ['PersonNamed', null],
      ['PersonNamed', null],
    ]);
    ended.abort();
    await following;
  });

  test('a subscription ends promptly when aborted, waiting or not', async () => {
    for (const isEmpty of [true, false]) {
      if (!isEmpty) await appendNotes('note-1', NO_STREAM, 'a');
      const ended = new AbortController();
      const batches = opened.store.subscribe(0n, ended.signal)[Symbol.asyncIterator]();
      if (!isEmpty) expect((await batches.next()).done).toBe(false);
      const next = batches.next();
      setTimeout(() => ended.abort(), 20);
      expect(await next).toMatchObject({ done: true });
    }
    const already = opened.store.subscribe(0n, AbortSignal.abort())[Symbol.asyncIterator]();
    expect(await already.next()).toMatchObject({ done: true });
  });

  test('appends of another process reach a waiting subscription immediately', async () => {
    const other = (await opened.log.open(notesCatalog)).store;
    const start = performance.now();
    for (let count = 0n; count < 10n; count += 1n) {
      const following = follow(opened.store, await opened.store.head(), 1);
      await other.append([write('note-1', count - 1n, `n${count}`)], metadata);
      expect(textsOf(await following)).toEqual([`n${count}`]);
    }
    // Polling once a second would take twice as long on average.
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test.each(seeds)(
    'subscriptions see every event of 32 writers once and in order, despite delays, conflicts and cut connections (seed %i)',
    { timeout: 60_000 },
    async (seed) => {
      const stores = [opened.store, (await opened.log.open(notesCatalog)).store];
      const { appended, seen } = await raceWriters({
        stores,
        seed,
        metadata,
        cutConnections: opened.log.cutConnections,
      });
      const all = await opened.store.readAll(0n, 100_000);
      expect(textsOf(all).toSorted()).toEqual(appended.toSorted());
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
}
