import { expect, test } from 'vitest';
import { ConcurrencyError, NO_STREAM } from '../../port.ts';
import { metadata, notesCatalog, textsOf, write } from '../notes.ts';
import type { OpenedLog } from './opened-log.ts';

/** The part of an append that remains if it breaks halfway. */
export type Remainder = 'nothing' | 'the writes before';

export function testAppending(opened: OpenedLog, leaves: Remainder): void {
  const { appendNotes, readEverything } = opened;

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
    expect(textsOf(await readEverything())).toEqual(['a', 'b']);
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
    const other = (await opened.log.open(notesCatalog)).store;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? opened.store : other).append([write('note-1', NO_STREAM, `n${index}`)], metadata),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(
      results.filter((result) => result.status === 'rejected' && !(result.reason instanceof ConcurrencyError)),
    ).toEqual([]);
    expect(await readEverything()).toHaveLength(1);
  });

  test('several writes are appended in order and return the position of the last event', async () => {
    const { position } = await opened.store.append(
      [write('reservation-1', NO_STREAM, 'reservation'), write('user-1', NO_STREAM, 'user', 'channel')],
      metadata,
    );
    const all = await readEverything();
    expect(textsOf(all)).toEqual(['reservation', 'user', 'channel']);
    expect(all.map(({ revision }) => revision)).toEqual([0n, 0n, 1n]);
    expect(all.at(-1)?.position).toBe(position);
  });

  test.each([0, 1, 2])('a conflict of write %i of three rejects all three', async (late) => {
    const streams = ['reservation-1', 'user-1', 'session-1'];
    await appendNotes(streams[late] ?? '', NO_STREAM, 'first');
    const writes = streams.map((stream) => write(stream, NO_STREAM, stream));
    await expect(opened.store.append(writes, metadata)).rejects.toBeInstanceOf(ConcurrencyError);
    expect(textsOf(await readEverything())).toEqual(['first']);
  });

  test.each([0, 1, 2])(`an append that breaks at write %i of three leaves ${leaves}`, async (broken) => {
    const streams = ['reservation-1', 'user-1', 'session-1'];
    const writes = streams.map((stream) => write(stream, NO_STREAM, stream));
    await opened.log.breakAt(streams[broken] ?? '');
    await expect(opened.store.append(writes, metadata)).rejects.toThrow();
    const left = leaves === 'nothing' ? [] : streams.slice(0, broken);
    expect(textsOf(await readEverything())).toEqual(left);
    await opened.log.breakAt(null);
    const rest = streams.slice(left.length).map((stream) => write(stream, NO_STREAM, stream));
    await opened.store.append(rest, metadata);
    expect(textsOf(await readEverything())).toEqual(streams);
  });

  test('a failed append does not fail concurrent appends', async () => {
    await appendNotes('note-taken', NO_STREAM, 'first');
    await opened.log.breakAt('note-broken');
    const streams = Array.from({ length: 30 }, (_, index) => `note-${index}`);
    streams.splice(7, 0, 'note-taken');
    streams.splice(20, 0, 'note-broken');
    const results = await Promise.allSettled(streams.map((stream) => appendNotes(stream, NO_STREAM, stream)));
    const failed = streams.filter((_, index) => results[index]?.status === 'rejected');
    expect(failed).toEqual(['note-taken', 'note-broken']);
    expect(textsOf(await readEverything()).toSorted()).toEqual(
      ['first', ...streams.filter((stream) => !failed.includes(stream))].toSorted(),
    );
  });

  test('an event that breaks its schema or has no definition is rejected before anything is written', async () => {
    const wrong = { stream: 'note-2', expected: NO_STREAM, events: [{ type: 'Noted', data: { text: 7 } }] };
    const unknown = { stream: 'note-2', expected: NO_STREAM, events: [{ type: 'Sung', data: {} }] };
    for (const bad of [wrong, unknown]) {
      const writes = [write('note-1', NO_STREAM, 'a'), bad];
      await expect(opened.store.append(writes, metadata)).rejects.toThrow(/schema|catalog/);
    }
    expect(await readEverything()).toEqual([]);
  });

  test('an append can write to each stream only once', async () => {
    const twice = [write('note-1', NO_STREAM, 'a'), write('note-1', 0n, 'b')];
    await expect(opened.store.append(twice, metadata)).rejects.toThrow('once');
  });

  test('a write without events only checks its revision', async () => {
    const { position } = await appendNotes('note-1', NO_STREAM, 'a');
    expect(await opened.store.append([write('note-1', 0n)], metadata)).toEqual({ position });
    await expect(opened.store.append([write('note-1', 4n)], metadata)).rejects.toBeInstanceOf(ConcurrencyError);
    await opened.store.append([write('note-1', 0n), write('note-2', NO_STREAM, 'b')], metadata);
    expect(textsOf(await readEverything())).toEqual(['a', 'b']);
  });
}
