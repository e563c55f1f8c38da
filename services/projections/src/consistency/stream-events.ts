import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import { createLruCache } from '@gatebook/runtime/lru-cache';

/** The events of a stream, oldest first, in pages. */
export type StreamEvents = (stream: string) => AsyncIterable<readonly Recorded[]>;

const maxCachedBytes = 16_777_216;

/** Remembers short streams, because many rows need the same ones. */
export function createStreamEvents(store: Pick<EventStore, 'readStreamPages'>): StreamEvents {
  const cache = createLruCache<readonly Recorded[]>(maxCachedBytes);
  return async function* (stream) {
    const cached = cache.get(stream);
    if (cached) {
      yield cached;
      return;
    }
    const first: Recorded[] = [];
    let pages = 0;
    for await (const page of store.readStreamPages(stream)) {
      pages += 1;
      if (pages === 1) first.push(...page);
      yield page;
    }
    if (pages <= 1) cache.set(stream, first, sizeOf(first));
  };
}

const sizeOf = (events: readonly Recorded[]) => JSON.stringify(events.map(({ data }) => data)).length;

type Head = { page: readonly Recorded[]; next: number; rest: AsyncIterator<readonly Recorded[]> };

/** The events of several streams in log order. Holds one page per stream. */
export async function* inLogOrder(streams: readonly AsyncIterable<readonly Recorded[]>[]): AsyncIterable<Recorded> {
  const heads: Head[] = [];
  for (const stream of streams) {
    const head = { page: [], next: 0, rest: stream[Symbol.asyncIterator]() };
    if (await fill(head)) heads.push(head);
  }
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (positionOf(head) < positionOf(least) ? head : least));
    const event = first.page[first.next];
    first.next += 1;
    if (event) yield event;
    if (!(await fill(first))) heads.splice(heads.indexOf(first), 1);
  }
}

const positionOf = ({ page, next }: Head): bigint => page[next]?.position ?? 0n;

/** Reads the next page once this one is used up. @returns whether there is an event */
async function fill(head: Head): Promise<boolean> {
  while (head.next >= head.page.length) {
    const { done, value } = await head.rest.next();
    if (done) return false;
    Object.assign(head, { page: value, next: 0 });
  }
  return true;
}
