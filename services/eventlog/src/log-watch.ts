import type { Recorded } from '@gatebook/domain/event';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { type EventStore, LogFellBackError, type SubscriptionOptions } from './port.ts';

/** Epochs are rows of `log.epochs`, also when the events are in EventStoreDB. */
export type Epochs = {
  current(): Promise<string>;
  /** Begins an epoch after `head` unless another process has begun one since `seen`. @returns the current epoch */
  begin(seen: string, head: bigint): Promise<string>;
};

/** The head of the log at some moment after `startedAt`, in milliseconds of `performance.now`. */
export type Look = { startedAt: number; head: bigint };

export type LogWatch = {
  /** The log; its subscriptions end with a `LogFellBackError` when it has lost events. */
  store: EventStore;
  /** Null before the first look. Differs after the log has lost events. */
  epoch(): string | null;
  /** `head`: of the log after it has lost events. */
  onFallBack(listener: (head: bigint) => void): void;
  /** Called after each look at an intact log. */
  onLook(listener: (look: Look) => void): void;
  /** Looks now. @throws Error if the log or the database is unavailable */
  look(): Promise<void>;
  /** Looks every 500 ms until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
};

const lookEveryMs = 500;

/**
 * Notices when the log has lost committed events, because it was restored from a backup or failed over to a replica
 * that lagged. Then positions and caches of this process are wrong (docs/decisions/0041).
 */
export function createLogWatch(parts: { store: EventStore; epochs: Epochs; logger: Logger }): LogWatch {
  const { store, epochs, logger } = parts;
  const listeners: ((head: bigint) => void)[] = [];
  const lookListeners: ((look: Look) => void)[] = [];
  const known = new Set<string>();
  let epoch: string | null = null;
  let seen: { position: bigint; id: string | null } = { position: 0n, id: null };
  let subscriptions = new AbortController();
  let looking: Promise<void> | undefined;

  async function remember(position: bigint): Promise<void> {
    const id = position === 0n ? null : await store.identify(position);
    if (position === 0n || id !== null) seen = { position, id };
  }

  async function glance(position: bigint): ReturnType<NonNullable<EventStore['glance']>> {
    if (store.glance) return store.glance(position);
    const current = await epochs.current();
    const id = position > 0n ? await store.identify(position) : null;
    return { head: await store.head(), id, epoch: current };
  }

  async function lookOnce(): Promise<void> {
    const startedAt = performance.now();
    const { position, id: seenId } = seen;
    const { head, id, epoch: current } = await glance(position);
    const isIntact = position === 0n || id === seenId;
    if (epoch === null) {
      epoch = current;
      known.add(current);
      await remember(head);
    } else if (!isIntact || current !== epoch) return fallBack(current);
    else if (head > seen.position) await remember(head);
    for (const listener of lookListeners) listener({ startedAt, head });
  }

  async function fallBack(current: string): Promise<void> {
    store.forget();
    const head = await store.head();
    // Another process may have noticed first.
    const next = known.has(current) ? await epochs.begin(current, head) : current;
    logger.error({ epoch: next, head: String(head), seen: String(seen.position) }, 'log has lost events');
    known.add(next);
    epoch = next;
    await remember(head);
    for (const listener of listeners) listener(head);
    const ended = subscriptions;
    subscriptions = new AbortController();
    ended.abort();
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function* subscribe(
    after: bigint,
    signal: AbortSignal,
    options?: SubscriptionOptions,
  ): AsyncIterable<readonly Recorded[]> {
    const { signal: fallen } = subscriptions;
    try {
      for await (const batch of store.subscribe(after, AbortSignal.any([signal, fallen]), options)) {
        if (fallen.aborted) break;
        const last = batch.at(-1);
        if (last && last.position > seen.position) seen = { position: last.position, id: last.id };
        yield batch;
      }
    } catch (error) {
      // The server may reject a position that the log has lost.
      await look().catch(() => undefined);
      if (!fallen.aborted) throw error;
    }
    if (fallen.aborted && !signal.aborted) throw new LogFellBackError();
  }

  async function append(...args: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    const { position } = seen;
    const appended = await store.append(...args);
    // New positions are higher than all others, unless the log has lost those.
    if (epoch !== null && appended.position < position) await look().catch(() => undefined);
    return appended;
  }

  return {
    store: { ...store, subscribe, append },
    epoch: () => epoch,
    onFallBack: (listener) => {
      listeners.push(listener);
    },
    onLook: (listener) => {
      lookListeners.push(listener);
    },
    look,
    follow: async (signal) => {
      let isAway = false;
      while (!signal.aborted) {
        try {
          await look();
          isAway = false;
        } catch (error) {
          if (!isAway) logger.warn({ err: error }, 'could not look for lost events of the log');
          isAway = true;
        }
        await pause(lookEveryMs, signal);
      }
    },
  };
}
