import type { Recorded } from '@gatebook/domain/event';
import type { Codec } from '../codec.ts';
import { pauseAfter } from '../pause-after.ts';
import { type EventStore, LogUnavailableError, type SubscriptionOptions } from '../port.ts';
import type { StoredRecord } from '../stored-event.ts';
import { type Batch, createBatch } from './batch.ts';
import { createRecentRecords, type RecentLimits, type RecentRecords } from './recent-records.ts';
import { createSharedDecoder } from './shared-decoder.ts';

/** How an adapter reads the log in order. */
export type LogSource = {
  head(): Promise<bigint>;
  /**
   * Events after `position()` in non-empty batches, then new ones, until `signal` aborts. It waits while the log is
   * unavailable. An adapter may ask again for the position and leave out events before it.
   */
  follow(position: () => bigint, signal: AbortSignal): AsyncIterable<readonly StoredRecord[]>;
  isConnectionLost(error: unknown): boolean;
};

export type SharedReader = {
  subscribe: EventStore['subscribe'];
  /**
   * Hands over events that this process has appended, if they follow the last delivered one. Otherwise they are read.
   * Only for logs whose positions have no gaps.
   */
  add(before: bigint, records: () => readonly StoredRecord[]): void;
  /** The log has lost events. */
  reset(): void;
};

const pageSize = 1_000;
const usualLimits: RecentLimits = { maxRecords: 2_000, maxBytes: 8_388_608 };

/** Wakes a subscription that has delivered everything. */
type Waiting = { offer(records: readonly StoredRecord[]): void; fail(error: unknown): void; end(): void };
/** One pass over the log, which begins at the head. */
type Run = { recent: Promise<RecentRecords>; waiting: Set<Waiting>; stopping: AbortController };

/**
 * Reads the log once for all subscriptions of a process, which share the newest events. A subscription that lags
 * beyond them reads pages by itself until it has caught up.
 */
export function createSharedReader(
  source: LogSource,
  codec: Pick<Codec, 'decode' | 'pages' | 'keyring'>,
  limits: RecentLimits = usualLimits,
): SharedReader {
  const decode = createSharedDecoder(codec);
  let subscriptions = 0;
  let run: Run | null = null;
  /** The records of the run, once it has begun. */
  let recent: RecentRecords | null = null;

  function currentRun(): Run {
    if (run) return run;
    const stopping = new AbortController();
    const started: Run = { recent: begin(stopping.signal), waiting: new Set(), stopping };
    run = started;
    keepReading(started).catch((error: unknown) => fail(started, error));
    return started;
  }

  async function begin(signal: AbortSignal): Promise<RecentRecords> {
    const begun = createRecentRecords(await persistently(source.head, signal), limits);
    if (!signal.aborted) recent = begun;
    return begun;
  }

  async function keepReading({ recent, waiting, stopping: { signal } }: Run): Promise<void> {
    const records = await recent;
    if (signal.aborted) return;
    for await (const batch of source.follow(records.end, signal)) {
      if (signal.aborted) return;
      publish(records, waiting, batch);
    }
  }

  function publish(records: RecentRecords, waiting: Run['waiting'], batch: readonly StoredRecord[]): void {
    const added = records.add(batch);
    if (added.length > 0) for (const one of waiting) one.offer(added);
  }

  function fail(failed: Run, error: unknown): void {
    if (failed.stopping.signal.aborted) return;
    for (const waiting of failed.waiting) waiting.fail(error);
    stop();
  }

  function stop(): void {
    if (!run) return;
    run.stopping.abort();
    for (const waiting of run.waiting) waiting.end();
    run = null;
    recent = null;
  }

  /** Calls until the log responds, or until `signal` aborts. */
  async function persistently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await call();
      } catch (error) {
        const isLost = error instanceof LogUnavailableError || source.isConnectionLost(error);
        if (!isLost || signal.aborted) throw error;
        await pauseAfter(failures, signal);
      }
    }
  }

  async function* deliver(batch: Batch, signal: AbortSignal, options: SubscriptionOptions) {
    const { personal = false, large = false } = options;
    const unneeded = { personal, large };
    const { needed, skipped } = batch.take();
    const parts = codec.pages(needed, unneeded);
    const last = skipped ? await codec.decode([skipped], { types: new Set([skipped.type]) }) : [];
    for (const [index, part] of parts.entries()) {
      const events = await persistently(() => decode(part, unneeded), signal);
      if (signal.aborted) return;
      yield index === parts.length - 1 ? [...events, ...last] : events;
    }
    if (parts.length === 0) yield last;
  }

  async function* subscribe(
    after: bigint,
    signal: AbortSignal,
    options: SubscriptionOptions = {},
  ): AsyncIterable<readonly Recorded[]> {
    const batch = createBatch(options);
    let position = after;
    const take = (records: readonly StoredRecord[]) => {
      // A page that this subscription read by itself may end after the shared events.
      const following = records.filter((record) => record.position > position);
      batch.add(following);
      position = following.at(-1)?.position ?? position;
    };
    subscriptions += 1;
    try {
      while (!signal.aborted) {
        const current = currentRun();
        const shared = await orAborted(current.recent, signal);
        if (shared === null) return;
        if (position < shared.start()) {
          for await (const records of source.follow(() => position, signal)) {
            take(records);
            if (batch.dueInMs() === 0) yield* deliver(batch, signal, options);
            if (position >= shared.start()) break;
          }
          continue;
        }
        take(shared.after(position, pageSize));
        if (batch.dueInMs() === 0) yield* deliver(batch, signal, options);
        else if (position >= shared.end()) await offered(current, batch, take, signal);
      }
    } finally {
      subscriptions -= 1;
      if (subscriptions === 0) stop();
    }
  }

  return {
    subscribe,
    add: (before, records) => {
      if (run && recent?.end() === before) publish(recent, run.waiting, records());
    },
    reset: stop,
  };
}

/** Waits until the batch is due, the run ends, or `signal` aborts. @throws the failure of the run */
function offered(
  { waiting, stopping }: Run,
  batch: Batch,
  take: (records: readonly StoredRecord[]) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted || stopping.signal.aborted) return resolve();
    let timer: NodeJS.Timeout | undefined;
    const leave = () => {
      waiting.delete(one);
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    };
    const end = () => {
      leave();
      resolve();
    };
    const endWhenDue = () => {
      const ms = batch.dueInMs();
      if (ms === 0) return end();
      clearTimeout(timer);
      if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(endWhenDue, ms);
    };
    const one: Waiting = {
      offer: (records) => {
        take(records);
        endWhenDue();
      },
      fail: (error) => {
        leave();
        reject(error);
      },
      end,
    };
    waiting.add(one);
    signal.addEventListener('abort', end);
    endWhenDue();
  });
}

/** Null if `signal` aborts first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const abort = () => resolve(null);
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
