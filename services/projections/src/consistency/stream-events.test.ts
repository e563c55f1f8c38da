import type { Recorded } from '@gatebook/domain/event';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStreamEvents, inLogOrder } from './stream-events.ts';

const eventAt = (position: number, data: object = {}) => ({ position: BigInt(position), data }) as unknown as Recorded;

/** Pages of `size`; `read` counts them when they are asked for. */
async function* pagesOf(events: readonly Recorded[], size: number, read = () => {}) {
  for (let start = 0; start < events.length; start += size) {
    read();
    yield events.slice(start, start + size);
  }
}

describe('events of several streams', () => {
  test('come in log order, whatever their pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        async (owners, size) => {
          const events = owners.map((owner, at) => ({ owner, event: eventAt(at) }));
          const streams = [0, 1, 2, 3, 4].map((stream) =>
            pagesOf(
              events.filter(({ owner }) => owner === stream).map(({ event }) => event),
              size,
            ),
          );
          expect(await Array.fromAsync(inLogOrder(streams))).toEqual(events.map(({ event }) => event));
        },
      ),
    );
  });

  test('are held one page at a time', async () => {
    let pagesRead = 0;
    const events = Array.from({ length: 100 }, (_, at) => eventAt(at));
    let used = 0;
    for await (const _event of inLogOrder([pagesOf(events, 10, () => (pagesRead += 1))])) {
      used += 1;
      expect(pagesRead).toBe(Math.ceil(used / 10));
    }
    expect(used).toBe(100);
  });
});

describe('the events of a stream', () => {
  const recorded = (streams: Record<string, readonly Recorded[]>) => {
    const reads: string[] = [];
    const readStreamPages = (stream: string) => {
      reads.push(stream);
      return pagesOf(streams[stream] ?? [], 2);
    };
    return { reads, read: createStreamEvents({ readStreamPages }) };
  };

  test('are remembered if they fit into a page', async () => {
    const { reads, read } = recorded({ short: [eventAt(1), eventAt(2)], empty: [] });
    for (const stream of ['short', 'empty', 'short', 'empty']) await Array.fromAsync(read(stream));
    expect((await Array.fromAsync(read('short'))).flat()).toEqual([eventAt(1), eventAt(2)]);
    expect(reads).toEqual(['short', 'empty']);
  });

  test('are read again if they have several pages, were left early, or do not fit beside others', async () => {
    const large = (position: number) => [eventAt(position, { image: 'x'.repeat(9_000_000) })];
    const { reads, read } = recorded({ long: [1, 2, 3].map((at) => eventAt(at)), a: large(4), b: large(5) });
    for (const stream of ['long', 'long', 'a', 'b', 'a']) await Array.fromAsync(read(stream));
    expect(reads).toEqual(['long', 'long', 'a', 'b', 'a']);
    for await (const _page of read('b')) break;
    await Array.fromAsync(read('b'));
    expect(reads.slice(5)).toEqual(['b', 'b']);
  });
});
