import type { Recorded } from '@gatebook/domain/event';
import type { Codec, StoredEvent, StoredRecord, StoredWrite } from '../codec.ts';
import { decodeAll, decodeProjects } from '../decode-pages.ts';
import { createNewest, type Newest } from '../newest.ts';
import { ConcurrencyError, type EventStore, NO_STREAM, type Unneeded } from '../port.ts';
import type { StateSettings } from '../states/remembered-states.ts';
import { createStreams } from '../streams.ts';
import { createSharedReader } from '../subscriptions/shared-reader.ts';

const pageSize = 1000;

/** The stored events, in order and by stream. Several stores can share it, as processes share a database. */
export type MemoryLog = { records: StoredRecord[]; streams: Map<string, StoredRecord[]>; newest: Newest };

export function createMemoryLog(): MemoryLog {
  return { records: [], streams: new Map(), newest: createNewest() };
}

/** The log in memory, for tests: the same promises as the others, gone with the process. */
export function createMemoryEventStore(
  codec: Codec,
  log: MemoryLog = createMemoryLog(),
  states?: StateSettings,
): EventStore & { idle(): Promise<void> } {
  const { records, streams, newest } = log;
  const revisionOf = (stream: string) => streams.get(stream)?.at(-1)?.revision ?? NO_STREAM;

  const head = async () => BigInt(records.length);
  const reader = createSharedReader({ head, follow, isConnectionLost: () => false }, codec);

  async function* follow(position: () => bigint, signal: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    while (!signal.aborted) {
      const from = Number(position());
      const page = records.slice(from, from + pageSize);
      if (page.length > 0) yield page;
      else await newest.above(position(), signal);
    }
  }

  async function readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]> {
    const [page = []] = codec.pages(records.slice(Number(after), Number(after) + limit), unneeded);
    return codec.decode(page, unneeded);
  }

  async function commit(writes: readonly StoredWrite[]): Promise<{ position: bigint }> {
    // No await in here, so that no other append comes in between.
    const fresh: StoredRecord[] = [];
    const committedAt = [new Date().toISOString(), records.at(-1)?.committedAt ?? ''].sort().at(-1) ?? '';
    for (const { stream, expected, events } of writes) {
      if (revisionOf(stream) !== expected) throw new ConcurrencyError(stream);
      let revision = expected;
      for (const event of events) {
        revision += 1n;
        const position = BigInt(records.length + fresh.length + 1);
        fresh.push({ ...asJson(event), revision, position, committedAt });
      }
    }
    for (const record of fresh) {
      records.push(record);
      const ofStream = streams.get(record.stream);
      if (ofStream) ofStream.push(record);
      else streams.set(record.stream, [record]);
    }
    const position = BigInt(records.length);
    newest.announce(position);
    return { position };
  }

  const single = createStreams(
    codec,
    {
      readPage: async (stream, after, limit = Number.POSITIVE_INFINITY) => {
        const from = Number(after) + 1;
        const page = (streams.get(stream) ?? []).slice(from, from + limit);
        return { records: page, revision: page.at(-1)?.revision ?? after, isLast: page.length < limit };
      },
      commit,
    },
    states,
  );

  return {
    ...single,
    revisionsOf: async (names) => new Map(names.map((stream) => [stream, revisionOf(stream)])),
    readAll,
    readProjects: async (projectIds, after, limit, unneeded) => {
      const head = BigInt(records.length);
      const found = records
        .slice(Number(after))
        .filter(({ metadata }) => projectIds.includes(metadata.projectId))
        .slice(0, limit);
      return decodeProjects(codec, { records: found, after, head, isAtEnd: found.length < limit, unneeded });
    },
    readAt: async (positions, unneeded) => {
      const found = positions.flatMap((position) => (position > 0n ? (records[Number(position) - 1] ?? []) : []));
      return decodeAll(codec, found, unneeded);
    },
    readEarlier: async (events, unneeded) => {
      const found = events.flatMap(({ stream, revision }) => streams.get(stream)?.slice(0, Number(revision)) ?? []);
      return decodeAll(codec, found, unneeded);
    },
    readBack: async (before, limit) => {
      const end = before === null ? records.length : Number(before) - 1;
      const [page = []] = codec.pages(records.slice(Math.max(end - limit, 0), end).reverse());
      return codec.decode(page);
    },
    subscribe: reader.subscribe,
    head,
    identify: async (position) => records.at(Number(position) - 1)?.id ?? null,
    forget: () => {
      single.forget();
      newest.reset();
      reader.reset();
    },
    checkAppends: async () => 'ok',
  };
}

/** Data goes through JSON as in the other adapters: no shared objects, dates or undefined. */
function asJson({ data, metadata, ...event }: StoredEvent): StoredEvent {
  return { ...event, data: JSON.parse(JSON.stringify(data)), metadata: JSON.parse(JSON.stringify(metadata)) };
}
