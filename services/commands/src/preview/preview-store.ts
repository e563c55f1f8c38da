import type { DomainEvent, NewMetadata, Recorded } from '@gatebook/domain/event';
import { ConcurrencyError, type EventStore, type Write } from '@gatebook/eventlog/port';
import { noteReads, type ReadRevisions } from './read-revisions.ts';

/** What a request would append, and what it stands on. */
export type PreviewedWrites = {
  /** In the order of the appends, without guards. */
  writes: Write[];
  /** What the first append stands on; without an append, everything that was read. */
  basis: ReadRevisions;
};

type Parts = {
  newId: () => string;
  now: () => string;
  /** Streams whose IDs this request has generated. */
  isGenerated(stream: string): boolean;
  /** Revisions that were read elsewhere, such as from a read model. */
  known: ReadonlyMap<string, bigint>;
};

/**
 * A log that keeps appends to itself: reads show them, and nothing is written. Appends conflict as those of the real
 * log do, also with writes of others. Use one per request.
 */
export function createPreviewStore(
  log: EventStore,
  { newId, now, isGenerated, known }: Parts,
): { store: EventStore; result(): PreviewedWrites } {
  const reads: ReadRevisions = new Map(known);
  const added = new Map<string, Recorded[]>();
  const store = noteReads(log, reads, (stream) => isGenerated(stream) || added.has(stream));
  const writes: Write[] = [];
  let basis: ReadRevisions | null = null;
  const addedTo = (stream: string) => added.get(stream) ?? [];

  async function revisionsOf(streams: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const current = await log.revisionsOf(streams);
    return new Map([...current].map(([stream, revision]) => [stream, addedTo(stream).at(-1)?.revision ?? revision]));
  }

  async function append(given: readonly Write[], metadata: NewMetadata): Promise<{ position: bigint }> {
    const [position, current] = await Promise.all([log.head(), revisionsOf(given.map(({ stream }) => stream))]);
    const late = given.find(({ stream, expected }) => current.get(stream) !== expected);
    if (late) throw new ConcurrencyError(late.stream);
    basis ??= new Map(reads);
    for (const write of given) {
      if (write.events.length === 0) continue;
      writes.push(write);
      added.set(write.stream, [...addedTo(write.stream), ...recorded(write, metadata, position)]);
    }
    return { position };
  }

  function recorded({ stream, expected, events }: Write, metadata: NewMetadata, position: bigint): Recorded[] {
    const complete = { sessionId: null, basis: {}, origin: null, ...metadata };
    return events.map((event, nth) => ({
      ...event,
      id: newId(),
      stream,
      revision: expected + BigInt(nth + 1),
      position,
      committedAt: now(),
      metadata: complete,
    }));
  }

  return {
    store: {
      ...store,
      readStream: async <E extends DomainEvent>(stream: string, unneeded?: Parameters<EventStore['readStream']>[1]) => {
        const found = await store.readStream<E>(stream, unneeded);
        const own = addedTo(stream) as Recorded<E>[];
        return { events: [...found.events, ...own], revision: own.at(-1)?.revision ?? found.revision };
      },
      async *readStreamPages(stream, ...which) {
        yield* store.readStreamPages(stream, ...which);
        if (addedTo(stream).length > 0) yield addedTo(stream);
      },
      foldStream: async (stream, fold, options) => {
        const { state, revision, isConfirmed } = await store.foldStream(stream, fold, options);
        const own = addedTo(stream);
        const unignored = own.filter((event) => !options?.isIgnored?.(event.revision));
        return {
          state: (unignored as unknown as Parameters<typeof fold.evolve>[1][]).reduce(fold.evolve, state),
          revision: own.at(-1)?.revision ?? revision,
          isConfirmed,
        };
      },
      revisionsOf,
      append,
    },
    result: () => ({ writes, basis: basis ?? reads }),
  };
}
