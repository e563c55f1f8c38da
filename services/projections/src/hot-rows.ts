import type { Recorded } from '@gatebook/domain/event';
import { createLruCache } from '@gatebook/runtime/lru-cache';
import type { LogTail } from './log-tail.ts';
import type { Peers } from './peers/peers.ts';
import type { ReadModels } from './wait.ts';

/** What a result of a query depends on. */
export type Standing = {
  projectId: string;
  /** The result changes only by events of these streams. */
  streams: readonly string[];
  /** Milliseconds since 1970 from which the query must run again; null: never. */
  until: number | null;
};

/** Results of queries by unique keys, in memory. */
export type HotRows = {
  /**
   * The rows in memory, or those of `load`. Rows are shared, so nobody may change them. Results without a row are not
   * kept. `key`: names the query and its values.
   */
  find<Row>(key: string, load: () => Promise<Row[]>, standingOf: (row: Row) => Standing): Promise<Row[]>;
  /**
   * Waits until no process serves rows from before the write at `position`. @returns null if there is nothing to wait
   * for
   */
  passed(position: bigint): Promise<void> | null;
  /** Drops everything that stands on these streams; null: everything. */
  forget(streams: readonly string[] | null): void;
  bytes(): number;
};

type Entry = Standing & { key: string; rows: Promise<unknown[]> };
type Parts = {
  tail: Pick<LogTail, 'add'>;
  peers: Pick<Peers, 'canCache' | 'announce' | 'allPassed'>;
  readModels: Pick<ReadModels, 'position' | 'continuity' | 'isQuarantined'>;
  /** Whether rows can stand on the event's stream. */
  isRelevant: (event: Recorded) => boolean;
  onLookup?: (isCached: boolean) => void;
  maxBytes?: number;
};

const defaultMaxBytes = 33_554_432;
/** An entry of the cache and of the index, without its row. */
const [entryBytes, streamBytes] = [400, 150];
/** Objects in memory take about twice the size of their JSON. */
const sizeInMemory = (key: string, row: unknown, { streams }: Standing) =>
  entryBytes + streamBytes * streams.length + 2 * (key.length + JSON.stringify(row).length);
const maxChanges = 10_000;
/** Events arrive long before the read models show them. */
const arrivalMs = 500;

/**
 * Keeps rows until an event is appended to a stream that they stand on. Rows are kept only if they were read when the
 * read models had every known event of these streams. A write is acknowledged when every process has dropped what it
 * changed (docs/decisions/0066).
 */
export function createHotRows(parts: Parts): HotRows {
  const { tail, peers, readModels, isRelevant, onLookup = () => undefined, maxBytes = defaultMaxBytes } = parts;
  const byStream = new Map<string, Set<Entry>>();
  const entries = createLruCache<Entry>(maxBytes, removeFromIndex);
  /** Positions of events that the read models may not show yet, by stream, oldest first. */
  const changedAt = new Map<string, bigint>();
  /** Changes up to here are not known by stream. */
  let unknownUpTo = 0n;
  /** Every event up to here has dropped its rows; null while the log is not followed. */
  let seen: bigint | null = null;
  /** The newest event that made rows stale. */
  let newestChange = 0n;
  /** Writes up to here were acknowledged by this process. */
  let acknowledged = 0n;
  let continuity = readModels.continuity();
  /** Changes when rows that are being read must not be kept. */
  let drops = 0;
  /** Known positions of the read models when reads began that have not ended. */
  const reads = new Set<{ from: bigint }>();
  const arrivals = new Set<() => void>();

  function removeFromIndex(_: string, entry: Entry): void {
    for (const stream of entry.streams) {
      const standing = byStream.get(stream);
      standing?.delete(entry);
      if (standing?.size === 0) byStream.delete(stream);
    }
  }

  function keep(entry: Entry, row: unknown): void {
    const bytes = sizeInMemory(entry.key, row, entry);
    if (bytes > maxBytes) return;
    for (const stream of entry.streams) {
      const standing = byStream.get(stream);
      if (standing) standing.add(entry);
      else byStream.set(stream, new Set([entry]));
    }
    entries.set(entry.key, entry, bytes);
    Object.freeze(row);
  }

  function drop(stream: string): void {
    for (const { key } of byStream.get(stream) ?? []) entries.delete(key);
  }

  function dropAll(): void {
    drops += 1;
    entries.clear();
    byStream.clear();
  }

  /** Rows can also change without an event, for example when another projection version is promoted. */
  function followReadModels(): void {
    if (continuity === readModels.continuity()) return;
    continuity = readModels.continuity();
    dropAll();
  }

  function forgetShownChanges(): void {
    let shown = readModels.position();
    for (const { from } of reads) if (from < shown) shown = from;
    for (const [stream, position] of changedAt) {
      if (position > shown) break;
      changedAt.delete(stream);
    }
  }

  function see(events: readonly Recorded[]): void {
    let isAnnounced = false;
    for (const event of events) {
      if (!isRelevant(event)) continue;
      const { stream, position, revision } = event;
      drop(stream);
      changedAt.delete(stream);
      changedAt.set(stream, position);
      // No row stands on a stream that is only beginning.
      if (revision === 0n) continue;
      newestChange = position;
      isAnnounced = true;
    }
    const last = events.at(-1)?.position ?? seen;
    seen = last;
    if (changedAt.size > 0) forgetShownChanges();
    if (changedAt.size > maxChanges) {
      changedAt.clear();
      unknownUpTo = last ?? unknownUpTo;
    }
    if (isAnnounced && last !== null) peers.announce(last);
    for (const resume of arrivals) resume();
  }

  tail.add({
    begin: (head) => {
      dropAll();
      changedAt.clear();
      [seen, unknownUpTo, newestChange] = [head, head, head];
      // Positions above the head were lost with the end of the log.
      if (acknowledged > head) acknowledged = head;
    },
    see,
    end: () => {
      seen = null;
      dropAll();
    },
  });

  const canServe = () => {
    followReadModels();
    return seen !== null && seen >= acknowledged && peers.canCache();
  };

  /** Whether the read models had every known event of these streams at `from`. */
  function isComplete({ streams, projectId }: Standing, from: bigint): boolean {
    if (seen === null || unknownUpTo > from || readModels.isQuarantined([projectId])) return false;
    return streams.every((stream) => (changedAt.get(stream) ?? 0n) <= from);
  }

  async function read<Row>(key: string, load: () => Promise<Row[]>, standingOf: (row: Row) => Standing) {
    followReadModels();
    const dropsBefore = drops;
    const reading = { from: readModels.position() };
    reads.add(reading);
    try {
      const rows = await load();
      const [row] = rows;
      followReadModels();
      if (row === undefined || drops !== dropsBefore) return rows;
      const standing = standingOf(row);
      if (isComplete(standing, reading.from)) keep({ ...standing, key, rows: Promise.resolve(rows) }, row);
      return rows;
    } finally {
      reads.delete(reading);
    }
  }

  function arrival(position: bigint): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        if (seen !== null && seen < position) return;
        end();
      };
      const end = () => {
        clearTimeout(timer);
        arrivals.delete(resume);
        resolve();
      };
      const timer = setTimeout(end, arrivalMs);
      arrivals.add(resume);
    });
  }

  async function waitUntilPassed(position: bigint): Promise<void> {
    if (seen !== null && seen < position) await arrival(position);
    // Without the event, this process serves nothing until it arrives.
    if (position > acknowledged) acknowledged = position;
    await peers.allPassed(seen !== null && seen >= position ? lastChangeUpTo(position) : position);
  }

  /** A peer that has passed a later change has passed this one too. */
  const lastChangeUpTo = (position: bigint) => (newestChange < position ? newestChange : position);

  return {
    find: <Row>(key: string, load: () => Promise<Row[]>, standingOf: (row: Row) => Standing) => {
      const entry = canServe() ? entries.get(key) : undefined;
      const isCached = entry !== undefined && (entry.until === null || entry.until > Date.now());
      onLookup(isCached);
      return isCached ? (entry.rows as Promise<Row[]>) : read(key, load, standingOf);
    },
    passed: (position) => {
      if (seen === null || seen < position) return waitUntilPassed(position);
      if (position > acknowledged) acknowledged = position;
      return peers.allPassed(lastChangeUpTo(position));
    },
    forget: (streams) => {
      drops += 1;
      if (streams === null) dropAll();
      else for (const stream of streams) drop(stream);
    },
    bytes: () => entries.bytes(),
  };
}
