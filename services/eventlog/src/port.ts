import type { DomainEvent, Metadata, Recorded } from '@gatebook/domain/event';

/** Revision of an empty stream. The first event of a stream has revision 0. */
export const NO_STREAM = -1n;

/**
 * One stream's part of an append. `expected` is the revision that the stream must have now (`NO_STREAM`: none yet).
 * Events get their ids on append.
 */
export type Write = { stream: string; expected: bigint; events: readonly DomainEvent[] };

/** Every adapter keeps these promises; `conformance.ts` holds them to it. Domain events go in and come out. */
export type EventStore = {
  /** Oldest first; `revision` is `NO_STREAM` for a stream that does not exist. */
  readStream<E extends DomainEvent>(stream: string): Promise<{ events: readonly Recorded<E>[]; revision: bigint }>;

  /**
   * Durable once it resolves. Writes take effect in the given order: all or nothing on Postgres, possibly a prefix after
   * a crash elsewhere. @returns the position of the last event
   * @throws ConcurrencyError when a stream is not at its expected revision; then nothing was written
   * @throws AppendOutcomeUnknownError when the log went away in the middle; any other error: nothing was written
   */
  append(writes: readonly Write[], metadata: Metadata): Promise<{ position: bigint }>;

  /** At most `limit` events after `position`, in order. Who has seen position p never later meets one below p. */
  readAll(after: bigint, limit: number): Promise<readonly Recorded[]>;

  /** Every event after `position` in non-empty batches, then live ones as they come, until `signal` aborts. */
  subscribe(after: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /** Position of the newest event, 0n for an empty log. */
  head(): Promise<bigint>;
};

/** A stream was not at the expected revision: another writer was first. Safe to decide again on fresh state. */
export class ConcurrencyError extends Error {
  readonly stream: string;

  constructor(stream: string) {
    super(`stream ${stream} is not at the expected revision`);
    this.name = 'ConcurrencyError';
    this.stream = stream;
  }
}

/** The log went away during an append and did not come back in time: the events may have been written, or not. */
export class AppendOutcomeUnknownError extends Error {
  constructor(options: { cause: unknown }) {
    super('the log went away during an append: its events may or may not have been written', options);
    this.name = 'AppendOutcomeUnknownError';
  }
}
