import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { Codec, StoredEvent, StoredRecord } from '../codec.ts';
import { createNewest, type Newest } from '../newest.ts';
import { ConcurrencyError, type EventStore, NO_STREAM, type Unneeded } from '../port.ts';

const pageSize = 1000;

/** The stored events, in order and by stream. Several stores can share it, as processes share a database. */
export type MemoryLog = { records: StoredRecord[]; streams: Map<string, StoredRecord[]>; newest: Newest };

export function createMemoryLog(): MemoryLog {
  return { records: [], streams: new Map(), newest: createNewest() };
}

/** The log in memory, for tests: the same promises as the others, gone with the process. */
export function createMemoryEventStore(codec: Codec, log: MemoryLog = createMemoryLog()): EventStore {
  const { records, streams, newest } = log;
  const revisionOf = (stream: string) => streams.get(stream)?.at(-1)?.revision ?? NO_STREAM;

  async function readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]> {
    return codec.decode(records.slice(Number(after), Number(after) + limit), unneeded);
  }

  return {
    readStream: async <E extends DomainEvent>(stream: string) => {
      const events = (await codec.decode([...(streams.get(stream) ?? [])])) as readonly Recorded<E>[];
      return { events, revision: events.at(-1)?.revision ?? NO_STREAM };
    },
    append: async (writes, metadata) => {
      const encoded = await codec.encode(writes, metadata);
      // No await from here on, so that no other append comes in between.
      const fresh: StoredRecord[] = [];
      for (const { stream, expected, events } of encoded) {
        if (revisionOf(stream) !== expected) throw new ConcurrencyError(stream);
        let revision = expected;
        for (const event of events) {
          revision += 1n;
          fresh.push({ ...asJson(event), revision, position: BigInt(records.length + fresh.length + 1) });
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
    },
    readAll,
    readBack: async (before, limit) => {
      const end = before === null ? records.length : Number(before) - 1;
      return codec.decode(records.slice(Math.max(end - limit, 0), end).reverse());
    },
    subscribe: async function* (after, signal) {
      let position = after;
      while (!signal.aborted) {
        const batch = await readAll(position, pageSize);
        const last = batch.at(-1);
        if (signal.aborted) return;
        if (last) {
          yield batch;
          position = last.position;
        } else await newest.above(position, signal);
      }
    },
    head: async () => BigInt(records.length),
  };
}

/** Data goes through JSON as in the other adapters: no shared objects, dates or undefined. */
function asJson({ data, metadata, ...event }: StoredEvent): StoredEvent {
  return { ...event, data: JSON.parse(JSON.stringify(data)), metadata: JSON.parse(JSON.stringify(metadata)) };
}
