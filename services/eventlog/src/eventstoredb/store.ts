import {
  END,
  type EventStoreDBClient,
  excludeSystemEvents,
  type RecordedEvent,
  type ResolvedEvent,
  START,
  StreamNotFoundError,
  streamNameFilter,
} from '@eventstore/db-client';
import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { Codec, StoredRecord, StoredWrite } from '../codec.ts';
import { pauseAfter } from '../pause-after.ts';
import {
  AppendOutcomeUnknownError,
  ConcurrencyError,
  type EventStore,
  LogUnavailableError,
  NO_STREAM,
  type Unneeded,
} from '../port.ts';
import { appendWrite, placeOf, type StoredMetadata } from './append-write.ts';
import { createAttempts, isConnectionLost } from './connection.ts';
import { batchesOf, collect } from './reading.ts';

/** Number of events that a subscription requests in advance. */
const readAhead = 1_000;
/** Pages of the search for the newest event grow to this size. */
const maxSearchPage = 4_096;
/** How often a subscription gets a checkpoint when no events match, in units of 32 events. */
const checkpointInterval = 1_000;

type Parts = {
  client: EventStoreDBClient;
  codec: Codec;
  /** Separates several logs on one server: each has only streams with its own prefix. */
  streamPrefix?: string;
  maxAttempts?: number;
};

/**
 * The log in EventStoreDB. The writes of an append are made one after another, so a crash or a conflict in between
 * leaves the earlier ones. All reads go to the leader, so they see the newest appends.
 * Positions are commit positions: offsets in the one file that the leader writes and the others copy. They only rise,
 * and an event can be read only once everything before it can. Each event has its own offset, at which it was prepared
 * and committed at once, because no transaction here spans several calls. So one number is enough.
 */
export function createEventStoreDbStore({
  client,
  codec,
  streamPrefix = '',
  maxAttempts,
}: Parts): EventStore & { close(): Promise<void> } {
  const attempts = createAttempts(maxAttempts);
  const nameOf = (stream: string) => streamPrefix + stream;
  /** Skips system events and, with a prefix, events of other logs. */
  const isOurs = ({ streamId, type }: RecordedEvent) =>
    streamPrefix === '' ? !type.startsWith('$') : streamId.startsWith(streamPrefix);
  const filter =
    streamPrefix === ''
      ? excludeSystemEvents({ checkpointInterval })
      : streamNameFilter({ prefixes: [streamPrefix], checkpointInterval });
  /** Up to `end`, the newest event is the one at `head`. */
  let searched = { end: 0n, head: 0n };

  async function read(call: () => Promise<ResolvedEvent[]>): Promise<RecordedEvent[]> {
    try {
      const resolved = await attempts.make(call);
      return resolved.flatMap(({ event }) => event ?? []);
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      throw isConnectionLost(error) ? new LogUnavailableError({ cause: error }) : error;
    }
  }

  async function readEvents(stream: string, after: bigint, limit?: number): Promise<RecordedEvent[]> {
    const options = {
      fromRevision: after + 1n,
      requiresLeader: true,
      ...(limit === undefined ? {} : { maxCount: limit }),
    };
    return read(() => collect(client.readStream(nameOf(stream), options)));
  }

  async function revisionOf(stream: string): Promise<bigint> {
    const options = { direction: 'backwards', fromRevision: END, maxCount: 1, requiresLeader: true } as const;
    const [last] = await read(() => collect(client.readStream(nameOf(stream), options)));
    return last?.revision ?? NO_STREAM;
  }

  /**
   * One page of the whole log, including system events. Forwards it begins with the event at `from`, backwards before
   * it.
   */
  function readPage(
    direction: 'forwards' | 'backwards',
    from: bigint | null,
    maxCount: number,
  ): Promise<RecordedEvent[]> {
    const start = direction === 'forwards' ? START : END;
    const fromPosition = from === null ? start : { commit: from, prepare: from };
    return read(() => collect(client.readAll({ direction, fromPosition, maxCount, requiresLeader: true })));
  }

  function toRecord(event: RecordedEvent): StoredRecord {
    const { id, streamId, type, data, revision } = event;
    const { version, encrypted, metadata } = event.metadata as StoredMetadata;
    return {
      id,
      stream: streamId.slice(streamPrefix.length),
      type,
      version,
      data: data as StoredRecord['data'],
      encrypted,
      metadata,
      revision,
      position: positionOf(event),
    };
  }

  /** Detect conflicts before anything is written. Appending the first write checks it. */
  async function checkRevisions(writes: readonly StoredWrite[]): Promise<void> {
    const first = writes.find(({ events }) => events.length > 0);
    const others = writes.filter((write) => write !== first);
    const revisions = await Promise.all(others.map(({ stream }) => revisionOf(stream)));
    const late = others.find(({ expected }, index) => expected !== revisions[index]);
    if (late) throw new ConcurrencyError(late.stream);
  }

  async function appendInOrder(writes: readonly StoredWrite[]): Promise<bigint> {
    const idsAfter = async (stream: string, revision: bigint, limit: number) =>
      (await readEvents(stream, revision, limit)).map(({ id }) => id);
    const left: string[] = [];
    let position: bigint | null = null;
    try {
      for (const write of writes) {
        position = await appendWrite({ client, attempts, nameOf, idsAfter }, write);
        left.push(write.stream);
      }
      return position ?? (await head());
    } catch (error) {
      if (left.length === 0 || error instanceof AppendOutcomeUnknownError) throw error;
      if (error instanceof ConcurrencyError) throw new ConcurrencyError(error.stream, left);
      throw new AppendOutcomeUnknownError({ cause: error });
    }
  }

  async function readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]> {
    const found: RecordedEvent[] = [];
    let from = after;
    for (;;) {
      // The page includes the event at `from`, except at the start.
      const size = limit - found.length + (from === 0n ? 0 : 1);
      const page = await readPage('forwards', from === 0n ? null : from, size);
      found.push(...page.filter((event) => positionOf(event) > from && isOurs(event)));
      const last = page.at(-1);
      if (page.length < size || !last || found.length >= limit) break;
      from = positionOf(last);
    }
    return codec.decode(found.map(toRecord), unneeded);
  }

  async function readBack(before: bigint | null, limit: number): Promise<readonly Recorded[]> {
    const found: RecordedEvent[] = [];
    for (let from = before; found.length < limit; ) {
      const size = limit - found.length;
      const page = await readPage('backwards', from, size);
      found.push(...page.filter(isOurs));
      const last = page.at(-1);
      if (page.length < size || !last) break;
      from = positionOf(last);
    }
    return codec.decode(found.map(toRecord));
  }

  /** Search backwards from the end, to our newest event or to where the last search began. */
  async function head(): Promise<bigint> {
    let from: bigint | null = null;
    let end: bigint | undefined;
    for (let size = 1; ; size = Math.min(size * 8, maxSearchPage)) {
      const page = await readPage('backwards', from, size);
      const [newest] = page;
      if (newest) end ??= positionOf(newest);
      const ours = page.find((event) => isOurs(event) || positionOf(event) <= searched.end);
      const last = page.at(-1);
      if (ours || page.length < size || !last) {
        const found = ours && positionOf(ours) > searched.end ? positionOf(ours) : searched.head;
        if (end !== undefined && end > searched.end) searched = { end, head: found };
        return found;
      }
      from = positionOf(last);
    }
  }

  /** Yields events as the server sends them. @throws if the connection is lost, after the events before */
  async function* receive(after: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    const fromPosition = after === 0n ? START : { commit: after, prepare: after };
    const subscription = client.subscribeToAll(
      { fromPosition, filter, requiresLeader: true },
      { highWaterMark: readAhead },
    );
    try {
      for await (const batch of batchesOf(subscription, signal)) {
        yield await codec.decode(batch.flatMap(({ event }) => (event ? [toRecord(event)] : [])));
      }
    } finally {
      // The call may never have started.
      subscription.unsubscribe().catch(() => undefined);
    }
  }

  return {
    readStream: async <E extends DomainEvent>(stream: string) => {
      const records = (await readEvents(stream, NO_STREAM)).map(toRecord);
      const events = (await codec.decode(records)) as readonly Recorded<E>[];
      return { events, revision: events.at(-1)?.revision ?? NO_STREAM };
    },
    append: async (writes, metadata) => {
      const encoded = await codec.encode(writes, metadata);
      await checkRevisions(encoded);
      const filled = encoded.filter(({ events }) => events.length > 0);
      return { position: filled.length > 0 ? await appendInOrder(filled) : await head() };
    },
    readAll,
    readBack,
    subscribe: async function* (after, signal) {
      let position = after;
      for (let failures = 1; !signal.aborted; failures += 1) {
        try {
          for await (const batch of receive(position, signal)) {
            if (signal.aborted) return;
            failures = 0;
            yield batch;
            position = batch.at(-1)?.position ?? position;
          }
        } catch (error) {
          if (!isConnectionLost(error)) throw error;
        }
        // A subscription survives restarts of the server.
        await pauseAfter(failures, signal);
      }
    },
    head,
    close: () => client.dispose(),
  };
}

/** @throws Error if the server is too old to report it */
function positionOf({ id, position }: RecordedEvent): bigint {
  const place = position && placeOf(position.commit);
  if (place === undefined || place === null) {
    throw new Error(`event ${id} has no position: the log needs EventStoreDB 22.6 or later`);
  }
  return place;
}
