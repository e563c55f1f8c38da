import type { Recorded } from '@gatebook/domain/event';
import type { EventStore, SubscriptionOptions } from '@gatebook/eventlog/port';
import type { Trace } from '@gatebook/runtime/instruments';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';

export type Reactor = {
  name: string;
  /** Events that it never acts on, and does not get. */
  unneeded?: Pick<SubscriptionOptions, 'types' | 'onlyWithBlobs'>;
  /**
   * Acts on one event, without its large values. It may be called again for the same event after a crash, so acting
   * twice must do no harm. Resolves to `noEffect` if it did nothing; then the checkpoint need not be saved. If it takes
   * long, it throws when `signal` aborts, and is called again later.
   */
  react: (event: Recorded, signal?: AbortSignal) => Promise<unknown>;
};

export const noEffect = Symbol('no effect');
/** After a crash, a reactor sees at most this many events again that had no effect, or those of this time. */
export const [maxUnsavedEvents, maxUnsavedMs] = [1_000, 5_000];

/** The last event of a batch may be one that the reactor does not need. */
export function isNeeded({ unneeded = {} }: Reactor, { type, blobs }: Recorded): boolean {
  return !unneeded.types?.has(type) && (!unneeded.onlyWithBlobs || blobs !== undefined);
}

export type ReactorParts = {
  store: EventStore;
  pool: Pool;
  logger: Logger;
  /** Spares looks for projects to try again. */
  listener?: Listener;
  trace?: Trace;
  /** Pause before an event is tried again. It gets longer with each attempt. */
  retryPauseMs?: number;
};

/** Most events need no reaction, so only reactions that do something are in a trace. */
export function traceReactor(reactor: Reactor, trace: Trace | undefined): Reactor {
  if (!trace) return reactor;
  const { name, react } = reactor;
  return {
    ...reactor,
    react: (event, signal) => {
      const { type, metadata } = event;
      const attributes = {
        'gatebook.reactor': name,
        'gatebook.event.types': [type],
        'gatebook.project_id': metadata.projectId,
      };
      const { correlationId } = metadata;
      return trace({ name: 'react', causes: [event], isOptional: true, correlationId, attributes }, () =>
        react(event, signal),
      );
    },
  };
}
