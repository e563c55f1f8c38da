import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import type { Recorded } from '@gatebook/domain/event';
import type { Codec, StoredRecord, StoredWrite } from '../codec.ts';
import { decodeAll, decodeProjects } from '../decode-pages.ts';
import { maxPageBytes } from '../max-page-bytes.ts';
import { AppendOutcomeUnknownError, ConcurrencyError, type EventStore, NO_STREAM, type Unneeded } from '../port.ts';
import type { StateSettings } from '../states/remembered-states.ts';
import { sizeOf } from '../stored-event.ts';
import { createStreams, type StreamPage } from '../streams.ts';
import { createSharedReader } from '../subscriptions/shared-reader.ts';
import { appendWrite, checkSizes, defaultMaxAppendBytes } from './append-write.ts';
import { createAttempts, isConnectionLost } from './connection.ts';
import { createRecognizer, type StoredMetadata } from './own-events.ts';
import { positionOf } from './positions.ts';
import { createReads } from './reads.ts';
import { createSubscriptionReader } from './subscription-reader.ts';

/** Events per read: few enough to fit into memory at their greatest size. */
const maxReadEvents = 250;
/** Pages of the search for the newest event grow to this size. */
const maxSearchPage = 4_096;
/** Page of a search for the events of a project, which can be rare. */
const scanPage = 1_000;

type Parts = {
  client: EventStoreDBClient;
  codec: Codec;
  /** Separates several logs on one server: each has only streams with its own prefix. */
  streamPrefix?: string;
  maxAttempts?: number;
  maxAppendBytes?: number;
  /** Gets the first event that is not Gatebook's. Such events are skipped. */
  onForeignEvent?: (event: { stream: string; type: string; position: bigint }) => void;
  states?: StateSettings;
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
  maxAppendBytes = defaultMaxAppendBytes,
  onForeignEvent = () => undefined,
  states,
}: Parts): EventStore & { close(): Promise<void> } {
  const attempts = createAttempts(maxAttempts);
  const nameOf = (stream: string) => streamPrefix + stream;
  const isOurs = createRecognizer(streamPrefix, (event) =>
    onForeignEvent({ stream: event.streamId, type: event.type, position: positionOf(event) }),
  );

  function toRecord(event: RecordedEvent): StoredRecord {
    const { id, streamId, type, data, revision, created } = event;
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
      committedAt: created.toISOString(),
    };
  }

  const { readEvents, revisionOf, readPage, findAt } = createReads({ client, attempts, nameOf });
  /** Up to `end`, the newest event is the one at `head`. */
  let searched = { end: 0n, head: 0n };

  async function checkRevisions(writes: readonly StoredWrite[]): Promise<void> {
    const revisions = await Promise.all(writes.map(({ stream }) => revisionOf(stream)));
    const late = writes.find(({ expected }, index) => expected !== revisions[index]);
    if (late) throw new ConcurrencyError(late.stream);
  }

  /** Guards are checked again before the write that follows them; those at the end before the last write. */
  async function appendInOrder(writes: readonly StoredWrite[]): Promise<bigint> {
    const filled = writes.filter(({ events }) => events.length > 0);
    const guardsBefore = (write: StoredWrite) =>
      writes
        .slice(0, write === filled.at(-1) ? writes.length : writes.indexOf(write))
        .filter(({ events }) => events.length === 0);
    const idsAfter = async (stream: string, revision: bigint, limit: number) =>
      (await readEvents(stream, revision, limit)).map(({ id }) => id);
    const left: string[] = [];
    let position: bigint | null = null;
    try {
      for (const write of filled) {
        if (left.length > 0) await checkRevisions(guardsBefore(write));
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

  const sizeOfAll = (events: readonly RecordedEvent[]) =>
    events.reduce((sum, event) => sum + sizeOf(toRecord(event)), 0);

  /** Decodes as many events as fit into memory with their large values. */
  async function decodePage(events: readonly RecordedEvent[], unneeded?: Unneeded): Promise<readonly Recorded[]> {
    const [page = []] = codec.pages(events.map(toRecord), unneeded);
    return codec.decode(page, unneeded);
  }

  async function readStreamPage(stream: string, after: bigint, limit = maxReadEvents): Promise<StreamPage> {
    const events = await readEvents(stream, after, limit);
    const revision = events.at(-1)?.revision ?? after;
    return { records: events.filter(isOurs).map(toRecord), revision, isLast: events.length < limit };
  }

  /** At most `limit` wanted events after `after`. `pageSize`: if few events are wanted, read more of them at once. */
  async function findAfter(
    after: bigint,
    limit: number,
    isWanted: (event: RecordedEvent) => boolean,
    pageSize = 0,
  ): Promise<{ found: RecordedEvent[]; isAtEnd: boolean }> {
    const found: RecordedEvent[] = [];
    let from = after;
    for (let bytes = 0; bytes < maxPageBytes; ) {
      // The page includes the event at `from`, except at the start.
      const size = Math.min(Math.max(limit - found.length, pageSize), maxReadEvents) + (from === 0n ? 0 : 1);
      const page = await readPage('forwards', from === 0n ? null : from, size);
      const ours = page.filter((event) => positionOf(event) > from && isWanted(event));
      found.push(...ours);
      bytes += sizeOfAll(ours);
      const last = page.at(-1);
      const isAtEnd = page.length < size || !last;
      if (isAtEnd || found.length >= limit) {
        return { found: found.slice(0, limit), isAtEnd: isAtEnd && found.length <= limit };
      }
      from = positionOf(last);
    }
    return { found: found.slice(0, limit), isAtEnd: false };
  }

  async function readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]> {
    return decodePage((await findAfter(after, limit, isOurs)).found, unneeded);
  }

  async function readBack(before: bigint | null, limit: number): Promise<readonly Recorded[]> {
    const found: RecordedEvent[] = [];
    let bytes = 0;
    for (let from = before; found.length < limit && bytes < maxPageBytes; ) {
      const size = Math.min(limit - found.length, maxReadEvents);
      const page = await readPage('backwards', from, size);
      const ours = page.filter(isOurs);
      found.push(...ours);
      bytes += sizeOfAll(ours);
      const last = page.at(-1);
      if (page.length < size || !last) break;
      from = positionOf(last);
    }
    return decodePage(found);
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

  const follow = createSubscriptionReader({ client, streamPrefix, isOurs, toRecord });
  const reader = createSharedReader({ head, follow, isConnectionLost }, codec);

  async function commit(writes: readonly StoredWrite[]): Promise<{ position: bigint }> {
    checkSizes(writes, maxAppendBytes);
    const first = writes.find(({ events }) => events.length > 0);
    // Detect conflicts before anything is written. Appending the first write checks it.
    await checkRevisions(writes.filter((write) => write !== first));
    return { position: first ? await appendInOrder(writes) : await head() };
  }

  const streams = createStreams(codec, { readPage: readStreamPage, commit }, states);

  return {
    ...streams,
    revisionsOf: async (names) =>
      new Map(await Promise.all(names.map(async (stream) => [stream, await revisionOf(stream)] as const))),
    readAll,
    readProjects: async (projectIds, after, limit, unneeded) => {
      const newestBefore = await head();
      const isWanted = (event: RecordedEvent) =>
        isOurs(event) && projectIds.includes((event.metadata as StoredMetadata).metadata.projectId);
      const { found, isAtEnd } = await findAfter(after, limit, isWanted, scanPage);
      const records = found.map(toRecord);
      return decodeProjects(codec, { records, after, head: newestBefore, isAtEnd, unneeded });
    },
    readAt: async (positions, unneeded) => {
      const found = await Promise.all(positions.map(findAt));
      return decodeAll(
        codec,
        found.flatMap((event) => (event && isOurs(event) ? toRecord(event) : [])),
        unneeded,
      );
    },
    readEarlier: async (events, unneeded) => {
      const later = events.filter(({ revision }) => revision > 0n);
      const found = await Promise.all(
        later.map(({ stream, revision }) => readEvents(stream, NO_STREAM, Number(revision))),
      );
      return decodeAll(codec, found.flat().filter(isOurs).map(toRecord), unneeded);
    },
    readBack,
    subscribe: reader.subscribe,
    head,
    identify: async (position) => (await findAt(position))?.id ?? null,
    forget: () => {
      streams.forget();
      searched = { end: 0n, head: 0n };
      reader.reset();
    },
    // Only the leader answers.
    checkAppends: async () => {
      await head();
      return 'ok';
    },
    close: async () => {
      await streams.idle();
      await client.dispose();
    },
  };
}
