import type { Recorded } from '@gatebook/domain/event';
import type { LogWatch, Look } from '@gatebook/eventlog/log-watch';
import { type EventStore, LogFellBackError } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';

/** A cache that events make stale. */
export type TailListener = {
  /** Events after `head` are delivered; earlier ones may have been missed. */
  begin(head: bigint): void;
  /** Large values are not loaded. */
  see(events: readonly Recorded[]): void;
  /** No events are seen until the next `begin`. */
  end(): void;
};

/** Follows the end of the log for this process. */
export type LogTail = {
  add(listener: TailListener): void;
  /** Every event up to here has been seen or is older than the last `begin`; null while the log is not followed. */
  followed(): bigint | null;
  /**
   * The oldest known position that was the head at some moment of the last `ms` milliseconds; later events are younger
   * than that. Null if there was no look in that time.
   */
  headWithin(ms: number): bigint | null;
  /**
   * Looks now, unless the last look failed, so that nobody waits for an unavailable log. @returns the head, or null if
   * the log is unavailable
   */
  look(): Promise<bigint | null>;
  /** Follows the log until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
};

const retryPauseMs = 200;
/** How often to look at the head. */
export const lookEveryMs = 500;
const keptLookMs = 5_000;
const lookTimeoutMs = 1_000;

/** `now`: milliseconds of a monotonic clock. `watch`: looks too, so that one look serves both. */
export function createLogTail(parts: {
  store: Pick<EventStore, 'head' | 'subscribe'>;
  logger: Logger;
  watch?: Pick<LogWatch, 'onLook'>;
  now?: () => number;
}): LogTail {
  const { store, logger, watch, now = () => performance.now() } = parts;
  const listeners: TailListener[] = [];
  let looks: Look[] = [];
  let looking: Promise<bigint | null> | undefined;
  let isAway = false;
  let followed: bigint | null = null;

  function remember(latest: Look): void {
    looks = [...looks.filter(({ startedAt }) => startedAt > latest.startedAt - keptLookMs), latest];
    isAway = false;
  }
  watch?.onLook(remember);

  async function lookOnce(): Promise<bigint | null> {
    const startedAt = now();
    try {
      const head = await Promise.race([store.head(), pause(lookTimeoutMs).then(() => null)]);
      if (head === null) throw new Error(`reading the head of the log took more than ${lookTimeoutMs} ms`);
      remember({ startedAt, head });
      return head;
    } catch (error) {
      if (!isAway) logger.warn({ err: error }, 'could not read the head of the log');
      isAway = true;
      return null;
    } finally {
      looking = undefined;
    }
  }

  function look(): Promise<bigint | null> {
    looking ??= lookOnce();
    return looking;
  }

  async function followOnce(signal: AbortSignal): Promise<void> {
    const from = await store.head();
    followed = from;
    for (const { begin } of listeners) begin(from);
    for await (const events of store.subscribe(from, signal, { large: true })) {
      for (const { see } of listeners) see(events);
      followed = events.at(-1)?.position ?? followed;
    }
  }

  async function keepLooking(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const last = looks.at(-1)?.startedAt ?? Number.NEGATIVE_INFINITY;
      if (!watch || now() - last > 2 * lookEveryMs) await look();
      await pause(lookEveryMs, signal);
    }
  }

  async function keepFollowing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await followOnce(signal);
      } catch (error) {
        if (error instanceof LogFellBackError) looks = [];
        logger.warn({ err: error }, 'could not follow the log, retrying');
        await pause(retryPauseMs, signal);
      } finally {
        followed = null;
        for (const { end } of listeners) end();
      }
    }
  }

  return {
    add: (listener) => {
      listeners.push(listener);
    },
    followed: () => followed,
    headWithin: (ms) => looks.find(({ startedAt }) => startedAt >= now() - ms)?.head ?? null,
    look: () => (isAway ? Promise.resolve(null) : look()),
    follow: async (signal) => {
      await Promise.all([keepFollowing(signal), keepLooking(signal)]);
    },
  };
}
