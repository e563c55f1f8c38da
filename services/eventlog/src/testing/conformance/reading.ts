import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { NO_STREAM } from '../../port.ts';
import { metadata, textsOf, write } from '../notes.ts';
import type { OpenedLog } from './opened-log.ts';

export function testReading(opened: OpenedLog): void {
  const { appendNotes, readEverything } = opened;

  test('an empty log has head 0, no events, and streams without a revision', async () => {
    expect(await opened.store.head()).toBe(0n);
    expect(await readEverything()).toEqual([]);
    expect(await opened.store.readStream('note-1')).toEqual({ events: [], revision: NO_STREAM });
  });

  test('events are read completely, by stream and in log order', async () => {
    await appendNotes('note-1', NO_STREAM, 'a', 'b');
    await appendNotes('note-2', NO_STREAM, 'c');
    const { position } = await appendNotes('note-1', 1n, 'd');
    const { events, revision } = await opened.store.readStream('note-1');
    expect(revision).toBe(2n);
    expect(textsOf(events)).toEqual(['a', 'b', 'd']);
    expect(events.map((event) => event.revision)).toEqual([0n, 1n, 2n]);
    expect(events[0]).toMatchObject({ stream: 'note-1', type: 'Noted', data: { text: 'a' }, metadata });
    const all = await readEverything();
    expect(textsOf(all)).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    expect(all.at(-1)?.position).toBe(position);
    expect(await opened.store.head()).toBe(position);
    expect(events).toEqual(all.filter(({ stream }) => stream === 'note-1'));
  });

  test('reading continues after a position, up to the limit', async () => {
    await appendNotes('note-1', NO_STREAM, 'a', 'b', 'c', 'd');
    const first = await opened.store.readAll(0n, 3);
    expect(textsOf(first)).toEqual(['a', 'b', 'c']);
    expect(textsOf(await opened.store.readAll(first.at(-1)?.position ?? -1n, 3))).toEqual(['d']);
    expect(await opened.store.readAll(await opened.store.head(), 3)).toEqual([]);
  });

  test('events of unneeded types are skipped without losing the position', async () => {
    const named = { type: 'PersonNamed', data: { personId: randomUUID(), name: 'Ann', isMember: true } };
    await appendNotes('note-1', NO_STREAM, 'a', 'b');
    await opened.store.append([{ stream: 'person-1', expected: NO_STREAM, events: [named, named] }], metadata);
    await appendNotes('note-1', 1n, 'c');
    const all = await readEverything();
    const page = async (after: bigint, limit: number, type: string) =>
      (await opened.store.readAll(after, limit, { types: new Set([type]) })).map(({ data, position }) => ({
        data,
        position,
      }));
    expect(await page(0n, 10, 'PersonNamed')).toEqual([
      { data: { text: 'a' }, position: all[0]?.position },
      { data: { text: 'b' }, position: all[1]?.position },
      { data: { text: 'c' }, position: all[4]?.position },
    ]);
    expect(await page(all[0]?.position ?? -1n, 2, 'Noted')).toEqual([{ data: named.data, position: all[2]?.position }]);
    // The last event read is returned even if unneeded, so that the next page begins after it.
    expect(await page(0n, 2, 'Noted')).toEqual([{ data: {}, position: all[1]?.position }]);
    expect(await page(await opened.store.head(), 2, 'Noted')).toEqual([]);
    expect(await opened.store.readAll(0n, 10, { types: new Set() })).toEqual(all);
  });

  test('reading backwards starts at the end, or before a position, and returns the newest event first', async () => {
    expect(await opened.store.readBack(null, 3)).toEqual([]);
    for (let count = 0n; count < 20n; count += 1n) await appendNotes('note-1', count - 1n, `n${count}`);
    const newest = await opened.store.readBack(null, 3);
    expect(textsOf(newest)).toEqual(['n19', 'n18', 'n17']);
    expect(newest).toEqual((await readEverything()).slice(-3).reverse());
    expect(textsOf(await opened.store.readBack(newest.at(-1)?.position ?? null, 2))).toEqual(['n16', 'n15']);
    expect(textsOf(await opened.store.readBack(null, 100))).toHaveLength(20);
  });

  test('the events of some projects are read in order, with the position up to which they are complete', async () => {
    const record = (projectId: string, stream: string, ...notes: string[]) =>
      opened.store.append([write(stream, NO_STREAM, ...notes)], { ...metadata, projectId });
    const empty = await opened.store.readProjects(['p1'], 0n, 5);
    expect(empty).toEqual({ events: [], upTo: 0n });
    await record('p1', 'note-1', 'a', 'b');
    await record('p2', 'note-2', 'c');
    await record('p3', 'note-3', 'd', 'e');
    await record('p1', 'note-4', 'f');
    await record('p2', 'note-5', 'g');
    const [, b, , , , f] = await readEverything();
    const head = await opened.store.head();
    const page = async (projects: string[], after: bigint, limit: number) => {
      const { events, upTo } = await opened.store.readProjects(projects, after, limit);
      return [textsOf(events).join(''), upTo];
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

  test('events are read at their positions, in the order of the positions', async () => {
    await appendNotes('note-1', NO_STREAM, 'a', 'b');
    await appendNotes('note-2', NO_STREAM, 'c', 'd');
    const [a, b, , d] = await readEverything();
    const [first, second, last] = [a, b, d].map((event) => event?.position ?? -1n) as [bigint, bigint, bigint];
    expect(await opened.store.readAt([last, first, second])).toEqual([d, a, b]);
    expect(await opened.store.readAt([first, last + 1n, 0n])).toEqual([a]);
    expect(await opened.store.readAt([])).toEqual([]);
  });

  test('the events before others in their streams are read, one stream after the other', async () => {
    await appendNotes('note-1', NO_STREAM, 'a', 'b');
    await appendNotes('note-2', NO_STREAM, 'c', 'd', 'e');
    await appendNotes('note-1', 1n, 'f', 'g');
    const [a, b, c, d] = await readEverything();
    const before = (stream: string, revision: bigint) => ({ stream, revision });
    expect(await opened.store.readEarlier([before('note-2', 2n), before('note-1', 2n)])).toEqual([c, d, a, b]);
    expect(await opened.store.readEarlier([before('note-1', 0n), before('none', 5n), before('note-1', 1n)])).toEqual([
      a,
    ]);
    expect(await opened.store.readEarlier([])).toEqual([]);
  });
}
