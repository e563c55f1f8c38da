import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { Codec, StoredRecord } from '../codec.ts';
import { ConcurrencyError, type EventStore, NO_STREAM } from '../port.ts';

const pageSize = 1000;

/** The log in memory, for tests: same promises as the others, gone with the process. */
export function createMemoryEventStore(codec: Codec): EventStore {
  const log: StoredRecord[] = [];
  const revisions = new Map<string, bigint>();
  const streams = new Map<string, StoredRecord[]>();
  const waiting = new Set<() => void>();

  async function readAll(after: bigint, limit: number): Promise<readonly Recorded[]> {
    return codec.decode(log.slice(Number(after), Number(after) + limit));
  }

  function appended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  return {
    readStream: async <E extends DomainEvent>(stream: string) => {
      const records = streams.get(stream) ?? [];
      const events = (await codec.decode([...records])) as readonly Recorded<E>[];
      return { events, revision: events.at(-1)?.revision ?? NO_STREAM };
    },
    append: async (writes, metadata) => {
      const stored = await codec.encode(writes, metadata);
      const next = new Map<string, bigint>();
      for (const { stream, expected, events } of stored) {
        const revision = next.get(stream) ?? revisions.get(stream) ?? NO_STREAM;
        if (revision !== expected) throw new ConcurrencyError(stream);
        next.set(stream, revision + BigInt(events.length));
      }
      for (const { stream, expected, events } of stored) {
        const records = streams.get(stream) ?? [];
        events.forEach((event, index) => {
          const record = { ...event, revision: expected + BigInt(index) + 1n, position: BigInt(log.length) + 1n };
          log.push(record);
          records.push(record);
        });
        if (records.length > 0) streams.set(stream, records);
      }
      for (const [stream, revision] of next) if (revision !== NO_STREAM) revisions.set(stream, revision);
      for (const wake of waiting) wake();
      return { position: BigInt(log.length) };
    },
    readAll,
    subscribe: async function* (after, signal) {
      let position = after;
      while (!signal.aborted) {
        const batch = await readAll(position, pageSize);
        const last = batch.at(-1);
        if (last) {
          yield batch;
          position = last.position;
        } else if (BigInt(log.length) === position) await appended(signal);
      }
    },
    head: async () => BigInt(log.length),
  };
}
