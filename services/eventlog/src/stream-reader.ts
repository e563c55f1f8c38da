import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { Codec, StoredRecord } from './codec.ts';
import { type EventStore, NO_STREAM, type Unneeded } from './port.ts';

/** `revision`: of the last event, which on a shared server may not be one of the records. */
export type StreamPage = { records: readonly StoredRecord[]; revision: bigint };
/** A stream, oldest events first, in pages that fit into memory. */
export type StreamPages = (stream: string) => AsyncIterable<StreamPage>;

type StreamReader = Pick<EventStore, 'readStream' | 'readStreamPages' | 'foldStream'>;

export function createStreamReader(codec: Codec, pagesOf: StreamPages): StreamReader {
  return {
    readStreamPages: async function* (stream) {
      for await (const { records } of pagesOf(stream)) {
        for (const page of codec.pages(records)) yield allReadable(await codec.decode(page));
      }
    },
    readStream: async <E extends DomainEvent>(stream: string, unneeded?: Omit<Unneeded, 'types'>) => {
      const events: Recorded[] = [];
      let revision = NO_STREAM;
      for await (const { records, ...read } of pagesOf(stream)) {
        for (const page of codec.pages(records, unneeded))
          events.push(...allReadable(await codec.decode(page, unneeded)));
        ({ revision } = read);
      }
      return { events: events as unknown as readonly Recorded<E>[], revision };
    },
    foldStream: async <S, E extends DomainEvent>(
      stream: string,
      initial: S,
      evolve: (state: S, event: Recorded<E>) => S,
    ) => {
      const fold = codec.startFold();
      let state = initial;
      let revision = NO_STREAM;
      for await (const { records, ...read } of pagesOf(stream)) {
        const events = allReadable(await fold.decode(records)) as unknown as readonly Recorded<E>[];
        state = events.reduce(evolve, state);
        ({ revision } = read);
      }
      return { state: await fold.load(state), revision };
    },
  };
}

/** @throws UnreadableEventError for the first event that cannot be read */
function allReadable(events: readonly Recorded[]): readonly Recorded[] {
  for (const { unreadable } of events) if (unreadable) throw unreadable;
  return events;
}
