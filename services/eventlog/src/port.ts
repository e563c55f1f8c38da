import type { DomainEvent, Metadata, Recorded } from '@gatebook/domain/event';

/** Revision of an empty stream. The first event of a stream has revision 0. */
export const NO_STREAM = -1n;

/**
 * One stream's part of an append. `expected` is the revision that the stream must have now (`NO_STREAM`: none yet).
 * Events get their ids on append.
 */
export type Write = { stream: string; expected: bigint; events: readonly DomainEvent[] };

/** What a reader has no use for, and is spared. */
export type Unneeded = {
  /** Types of events, which are left out. */
  types?: ReadonlySet<string>;
  /** Personal fields, which stay encrypted and read as null, as if their subject had been erased. */
  personal?: boolean;
};

/** Every adapter keeps these promises; `conformance.ts` holds them to it. Domain events go in and come out. */
export type EventStore = {
  /** Oldest first; `revision` is `NO_STREAM` for a stream that does not exist. */
  readStream<E extends DomainEvent>(stream: string): Promise<{ events: readonly Recorded<E>[]; revision: bigint }>;

  /**
   * Durable once it resolves. Writes take effect in the given order: all or nothing on Postgres, possibly a prefix after
   * a crash or a lost race elsewhere. @returns the position of the last event, or a later one
   * @throws ConcurrencyError when a stream is not at its expected revision; then nothing was written but what `left` tells
   * @throws AppendOutcomeUnknownError when the log went away in the middle
   * @throws LogUnavailableError when the log is away; as for any other error, nothing was written
   */
  append(writes: readonly Write[], metadata: Metadata): Promise<{ position: bigint }>;

  /**
   * At most `limit` events after `position`, in order. Who has seen position p never later meets one below p. `after` is 0n or the
   * position of an event: between two of them there may be none. Of the last event the position is known even if it is of an
   * unneeded type: it comes with empty `data`.
   */
  readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]>;

  /** At most `limit` events before the one at `before` (null: from the end), newest first. */
  readBack(before: bigint | null, limit: number): Promise<readonly Recorded[]>;

  /** Every event after `after` in non-empty batches, then live ones as they come, until `signal` aborts. */
  subscribe(after: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /** Position of the newest event, 0n for an empty log. */
  head(): Promise<bigint>;
};

/** A stream was not at the expected revision: another writer was first. Safe to decide again on fresh state. */
export class ConcurrencyError extends Error {
  readonly stream: string;
  /** Streams whose writes had been made before the race was lost: none where appends are all or nothing. */
  readonly left: readonly string[];

  constructor(stream: string, left: readonly string[] = []) {
    super(`stream ${stream} is not at the expected revision`);
    this.name = 'ConcurrencyError';
    this.stream = stream;
    this.left = left;
  }
}

/** The log can't be reached. Nothing was written; reading or writing again later may succeed. */
export class LogUnavailableError extends Error {
  constructor(options: { cause: unknown }) {
    super('the log cannot be reached', options);
    this.name = 'LogUnavailableError';
  }
}

/** The log went away during an append and did not come back in time: the events may have been written, or not. */
export class AppendOutcomeUnknownError extends Error {
  constructor(options: { cause: unknown }) {
    super('the log went away during an append: its events may or may not have been written', options);
    this.name = 'AppendOutcomeUnknownError';
  }
}
