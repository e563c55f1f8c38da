import type { DomainEvent, NewMetadata, Recorded } from '@gatebook/domain/event';

/** Revision of an empty stream. The first event of a stream has revision 0. */
export const NO_STREAM = -1n;

/**
 * One stream's part of an append. `expected` is the revision that the stream must have; `NO_STREAM` if it must not
 * exist. Events get their IDs on append. A write without events is a guard: it only requires the revision.
 */
export type Write = { stream: string; expected: bigint; events: readonly DomainEvent[] };

/** Options for what the reader does not need. */
export type Unneeded = {
  /** Event types to leave out. */
  types?: ReadonlySet<string>;
  /** Personal fields stay encrypted and read as null, as if their subject had been erased. */
  personal?: boolean;
  /** Fields that definitions name `large` read as null where their values are stored outside the log. */
  large?: boolean;
};

/** What a subscription gets, and when. */
export type SubscriptionOptions = Unneeded & {
  /** Leaves out events without values that are stored outside the log. */
  onlyWithBlobs?: boolean;
  /** Collects events for at most this long, so that batches are larger. */
  delayMs?: number;
  /** Batches begin at least this far apart: those of a busy time are larger, and a single event does not wait. */
  intervalMs?: number;
};

/** How the state of a stream follows from its events; a decider is one. */
export type StateFold<S, E> = {
  initialState: S;
  /** Pure: depends on the state and on type and data of the event. */
  evolve: (state: S, event: E) => S;
  /** Names the code of `evolve`, so that stored states of other code are ignored. Without it, states are not stored. */
  stateVersion?: string;
};

/** Every adapter keeps these promises; `conformance.ts` tests them. Domain events go in and come out. */
export type EventStore = {
  /**
   * Oldest first. `revision` is `NO_STREAM` for a stream that does not exist.
   * @throws UnreadableEventError if an event of the stream cannot be read
   */
  readStream<E extends DomainEvent>(
    stream: string,
    unneeded?: Omit<Unneeded, 'types'>,
  ): Promise<{ events: readonly Recorded<E>[]; revision: bigint }>;

  /**
   * The same events in pages that fit into memory with their large values, oldest first. Reads a page only when it is
   * asked for. `after`: the revision of the event before them.
   */
  readStreamPages(
    stream: string,
    unneeded?: Omit<Unneeded, 'types'>,
    after?: bigint,
  ): AsyncIterable<readonly Recorded[]>;

  /**
   * The state of a stream. Reads only the events after the state that this process remembers, or after a snapshot, page
   * by page. Loads only those values of `large` fields that the final state contains; `evolve` gets others in their
   * place. Do not change the state: later folds begin with it.
   * `isOptimistic` reads nothing if this process remembers a state. Then `isConfirmed` is false: there may be newer
   * events, which an append that expects the revision detects. Events that are ignored do not count, and the state is
   * not remembered.
   */
  foldStream<S, E extends DomainEvent>(
    stream: string,
    fold: StateFold<S, E>,
    options?: { isOptimistic?: boolean; isIgnored?: (revision: bigint) => boolean },
  ): Promise<{ state: S; revision: bigint; isConfirmed: boolean }>;

  /** Current revisions, `NO_STREAM` for a stream that does not exist. */
  revisionsOf(streams: readonly string[]): Promise<ReadonlyMap<string, bigint>>;

  /**
   * Durable once it resolves. Writes take effect in the given order: all or nothing on Postgres, elsewhere possibly a
   * prefix after a crash or a conflict.
   * @returns the position of the last event, or a later one
   * @throws ConcurrencyError if a stream is not at its expected revision; nothing was written except what `left` names
   * @throws AppendOutcomeUnknownError if the connection to the log broke during the append
   * @throws AppendTooLargeError if a write has more bytes than the log accepts
   * @throws LogUnavailableError if the log is unavailable; as with any other error, nothing was written
   */
  append(writes: readonly Write[], metadata: NewMetadata): Promise<{ position: bigint }>;

  /**
   * At most `limit` events after `after`, in order: fewer if they are large, none only at the end of the log. After
   * reading position p, a reader never sees a lower one. `after` is 0n or the position of an event; there may be gaps
   * between positions. The last event is returned even if its type is unneeded, with empty `data`, so that its position
   * is known. An event that cannot be read is part of the page, with the reason in `unreadable`.
   */
  readAll(after: bigint, limit: number, unneeded?: Unneeded): Promise<readonly Recorded[]>;

  /**
   * At most `limit` events of some projects after `position`, in order, and the position up to which these are all of
   * their events. Without more events, `upTo` is at least the head at the time of the call.
   */
  readProjects(
    projectIds: readonly string[],
    after: bigint,
    limit: number,
    unneeded?: Unneeded,
  ): Promise<{ events: readonly Recorded[]; upTo: bigint }>;

  /**
   * The events at some positions, in the order of the positions. Positions without an event are skipped. The caller
   * bounds their number.
   */
  readAt(positions: readonly bigint[], unneeded?: Pick<Unneeded, 'large'>): Promise<readonly Recorded[]>;

  /**
   * The events before each of these in its stream, one stream after the other, oldest first. An event that cannot be
   * read is among them, with the reason in `unreadable`. The caller bounds their number.
   */
  readEarlier(
    events: readonly Pick<Recorded, 'stream' | 'revision'>[],
    unneeded?: Pick<Unneeded, 'large'>,
  ): Promise<readonly Recorded[]>;

  /** Like `readAll`, but newest first, before the event at `before` (null: from the end). */
  readBack(before: bigint | null, limit: number): Promise<readonly Recorded[]>;

  /**
   * Every event after `after` in non-empty batches, then new events as they are appended, until `signal` aborts. Events
   * that cannot be read are part of their batch. Events that `options` leave out wake nobody: after many of them, or
   * some seconds, the last one is returned with empty `data`, so that its position is known. Subscriptions share the
   * decoded events, so nobody may change them.
   */
  subscribe(after: bigint, signal: AbortSignal, options?: SubscriptionOptions): AsyncIterable<readonly Recorded[]>;

  /** Position of the newest event; 0n for an empty log. */
  head(): Promise<bigint>;

  /** ID of the event at a position; null if there is none. */
  identify(position: bigint): Promise<string | null>;

  /**
   * Head of the log, ID of the event at a position, and the current epoch, in one statement. Absent if the log is not
   * in the database, which has the epochs.
   */
  glance?(position: bigint): Promise<{ head: bigint; id: string | null; epoch: string }>;

  /** Drops everything that it remembers of the log, which has lost events. */
  forget(): void;

  /**
   * Whether appends are possible, without appending: not if another session blocks them for `timeoutMs`, or if the
   * server is a replica. Where the log is in Postgres, it waits for the appends that began before it.
   */
  checkAppends(timeoutMs: number): Promise<'ok' | 'blocked' | 'read-only'>;
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

/** A write has more bytes than the log accepts. Nothing was written. */
export class AppendTooLargeError extends Error {
  constructor(stream: string, bytes: number, maxBytes: number) {
    super(`the events for stream ${stream} have ${bytes} bytes, but the log accepts at most ${maxBytes} in one append`);
    this.name = 'AppendTooLargeError';
  }
}

/** The log has lost events, so the position of a reader may be that of another event. Read the checkpoint again. */
export class LogFellBackError extends Error {
  constructor() {
    super('the log has lost events: it was restored from a backup or failed over to a replica that lagged');
    this.name = 'LogFellBackError';
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

/** An event cannot be decrypted or breaks its schema. Reading it again does not help. */
export class UnreadableEventError extends Error {
  constructor({ type, position }: Pick<Recorded, 'type' | 'position'>, what: string, options?: { cause: unknown }) {
    super(`event ${type} at position ${position} ${what}`, options);
    this.name = 'UnreadableEventError';
  }
}
