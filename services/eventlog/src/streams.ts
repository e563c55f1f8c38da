import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { Codec, StoredRecord, StoredWrite } from './codec.ts';
import { emptyContext } from './decoder.ts';
import { type EventStore, NO_STREAM, type StateFold, type Unneeded } from './port.ts';
import { createRememberedStates, type StateSettings } from './states/remembered-states.ts';
import type { RememberedState } from './states/state-cache.ts';

/** `revision`: of the last event, which on a shared server may not be one of the records. */
export type StreamPage = { records: readonly StoredRecord[]; revision: bigint; isLast: boolean };

type Adapter = {
  /** Events after a revision, oldest first: as many as fit into memory, or at most `limit`. */
  readPage(stream: string, after: bigint, limit?: number): Promise<StreamPage>;
  commit(writes: readonly StoredWrite[]): Promise<{ position: bigint }>;
};

type Streams = Pick<EventStore, 'readStream' | 'readStreamPages' | 'foldStream' | 'append'> & {
  /** Drops all states. */
  forget(): void;
  idle(): Promise<void>;
};

/** A stream with more events may have a snapshot. Fewer are read at once, without looking for one. */
const maxEventsWithoutSnapshot = 32;

/** Reads, folds and writes single streams, and remembers the states that folds end in. */
export function createStreams(codec: Codec, { readPage, commit }: Adapter, settings: StateSettings = {}): Streams {
  const states = createRememberedStates(codec, settings);

  /** Pages of the stream after a revision; `first` if that was read before. */
  async function* pagesAfter(stream: string, after: bigint, first?: StreamPage): AsyncIterable<StreamPage> {
    let page = first ?? (await readPage(stream, after));
    yield page;
    while (!page.isLast) {
      page = await readPage(stream, page.revision);
      yield page;
    }
  }

  /** Where a fold begins that nothing in memory helps with, and the first page if it was read to find out. */
  async function begin<S>(
    stream: string,
    fold: StateFold<S, never>,
  ): Promise<{ from: RememberedState<S>; page?: StreamPage }> {
    const page = await readPage(stream, NO_STREAM, maxEventsWithoutSnapshot);
    const from = page.isLast ? undefined : await states.loadSnapshot(stream, fold);
    if (from) {
      // The log may have lost the event of the snapshot.
      const next = await readPage(stream, from.revision - 1n);
      const [last, ...records] = next.records;
      if (last?.id === from.eventId) return { from, page: { ...next, records } };
      await states.deleteSnapshot(stream, from);
    }
    return { from: emptyState(fold), page };
  }

  async function fold<S, E extends DomainEvent>(
    stream: string,
    { evolve }: StateFold<S, E>,
    { from, page }: { from: RememberedState<S>; page?: StreamPage },
    isIgnored: (revision: bigint) => boolean = () => false,
  ) {
    const folding = codec.startFold(from.context);
    let { state, revision, eventId } = from;
    for await (const next of pagesAfter(stream, revision, page)) {
      const events = allReadable(await folding.decode(next.records)) as unknown as readonly Recorded<E>[];
      state = events.filter((event) => !isIgnored(event.revision)).reduce(evolve, state);
      if (next.revision === revision) continue;
      ({ revision } = next);
      const last = next.records.at(-1);
      eventId = last?.revision === revision ? last.id : null;
    }
    const folded = { ...from, state, revision, eventId, context: folding.contextOf(state), isOutdated: false };
    return { folded, state: await folding.load(state) };
  }

  const foldStream: EventStore['foldStream'] = async (stream, stateFold, { isOptimistic = false, isIgnored } = {}) => {
    if (isIgnored) {
      const { folded, state } = await fold(stream, stateFold, { from: emptyState(stateFold) }, isIgnored);
      return { state, revision: folded.revision, isConfirmed: true };
    }
    const since = states.clears();
    const known = await states.recall(stream, stateFold);
    if (known && isOptimistic && !known.isOutdated) {
      const state = await codec.startFold(known.context).load(known.state);
      return { state, revision: known.revision, isConfirmed: false };
    }
    const { folded, state } = await fold(stream, stateFold, known ? { from: known } : await begin(stream, stateFold));
    const { revision } = folded;
    if (!known || known.isOutdated || revision > known.revision) states.remember(stream, folded, since);
    return { state, revision, isConfirmed: true };
  };

  return {
    readStreamPages: async function* (stream, unneeded, after = NO_STREAM) {
      for await (const { records } of pagesAfter(stream, after)) {
        for (const page of codec.pages(records, unneeded)) yield allReadable(await codec.decode(page, unneeded));
      }
    },
    readStream: async <E extends DomainEvent>(stream: string, unneeded?: Omit<Unneeded, 'types'>) => {
      const events: Recorded[] = [];
      let revision = NO_STREAM;
      for await (const { records, ...read } of pagesAfter(stream, NO_STREAM)) {
        for (const page of codec.pages(records, unneeded))
          events.push(...allReadable(await codec.decode(page, unneeded)));
        ({ revision } = read);
      }
      return { events: events as unknown as readonly Recorded<E>[], revision };
    },
    foldStream,
    append: async (writes, metadata) => {
      const since = states.clears();
      try {
        const encoded = await codec.encode(writes, metadata);
        const appended = await commit(encoded);
        states.advance(encoded, since);
        return appended;
      } catch (error) {
        states.doubt(writes.map(({ stream }) => stream));
        throw error;
      }
    },
    forget: states.forget,
    idle: states.idle,
  };
}

function emptyState<S>({
  initialState: state,
  evolve,
  stateVersion: version,
}: StateFold<S, never>): RememberedState<S> {
  const at = { revision: NO_STREAM, eventId: null, snapshotAt: NO_STREAM };
  return { state, ...at, evolve, version, context: emptyContext, isOutdated: false };
}

/** @throws UnreadableEventError for the first event that cannot be read */
function allReadable(events: readonly Recorded[]): readonly Recorded[] {
  for (const { unreadable } of events) if (unreadable) throw unreadable;
  return events;
}
