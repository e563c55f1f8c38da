import type { DomainEvent, Metadata, Recorded } from '@gatebook/domain/event';

/** Revision of an empty stream. The first event of a stream has revision 0. */
export const NO_STREAM = -1n;

/**
 * One stream's part of an append. `expected` is the revision that the stream must have; `NO_STREAM` if it must not
 * exist. Events get their IDs on append.
 */
export type Write = { stream: string; expected: bigint; events: readonly DomainEvent[] };

/** Options for what the reader does not need. */
export type Unneeded = {
  /** Event types to leave out. */
  types?: ReadonlySet<string>;
  /** Personal fields stay encrypted and read as null, as if their subject had been erased. */
  personal?: boolean;
};

/** Every adapter keeps these promises; `conformance.ts` tests them. Domain events go in and come out. */
export type EventStore = {
  /** Oldest first. `revision` is `NO_STREAM` for a stream that does not exist. */
  readStream<E extends DomainEvent>(stream: string): Promise<{ events: readonly Recorded<E>[]; revision: bigint }>;

  /**
   * Durable once it resolves. Writes take effect in the given order: all or nothing on Postgres, elsewhere possibly a
   * prefix after a crash or a conflict.
   * @returns the position of the last event, or a later one
   * @throws ConcurrencyError if a stream is not at its expected revision; nothing was written except what `left` names
   * @throws AppendOutcomeUnknownError if the connection to the log broke during the append
   * @throws LogUnavailableError if the log is unavailable; as with any other error, nothing was written
   */
  append(writes: readonly Write[], metadata: Metadata): Promise<{ position: bigint }>;

  /**
   * At most `limit` events after `position`, in order. After reading position p, a reader never sees a lower one.
   * `after` is 0n or the position of an event; there may be gaps between positions. The last event is returned even if
   * its type is unneeded, with empty `data`, so that its position is known.
   */
  readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]>;

  /** At most `limit` events before the event at `before` (null: from the end), newest first. */
  readBack(before: bigint | null, limit: number): Promise<readonly Recorded[]>;

  /** Every event after `after` in non-empty batches, then new events as they are appended, until `signal` aborts. */
  subscribe(after: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /** Position of the newest event; 0n for an empty log. */
  head(): Promise<bigint>;
};

/** A stream is not at the expected revision, because another writer was first. Safe to decide again on fresh state. */
export class ConcurrencyError extends Error {
  readonly stream: string;
  /** Streams that were written before the conflict; empty where appends are all or nothing. */
  readonly left: readonly string[];

  constructor(stream: string, left: readonly string[] = []) {
    super(`stream ${stream} is not at the expected revision`);
    this.name = 'ConcurrencyError';
    this.stream = stream;
    this.left = left;
  }
}

/** The log is unavailable. Nothing was written; trying again later may succeed. */
export class LogUnavailableError extends Error {
  constructor(options: { cause: unknown }) {
    super('the log is unavailable', options);
    this.name = 'LogUnavailableError';
  }
}

/** The connection broke during an append and did not come back in time. The events may or may not have been written. */
export class AppendOutcomeUnknownError extends Error {
  constructor(options: { cause: unknown }) {
    super('the connection broke during an append: its events may or may not have been written', options);
    this.name = 'AppendOutcomeUnknownError';
  }
}
