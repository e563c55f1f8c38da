import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Trace } from '@gatebook/runtime/instruments';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';

export type Reactor = {
  name: string;
  /**
   * Acts on one event, without its large values. It may be called again for the same event after a crash, so acting
   * twice must do no harm.
   */
  react: (event: Recorded) => Promise<void>;
};

export type ReactorParts = {
  store: EventStore;
  pool: Pool;
  logger: Logger;
  trace?: Trace;
  /** Pause before an event is tried again. It gets longer with each attempt. */
  retryPauseMs?: number;
};

/** Most events need no reaction, so only reactions that do something are in a trace. */
export function traceReactor({ name, react }: Reactor, trace: Trace | undefined): Reactor {
  if (!trace) return { name, react };
  return {
    name,
    react: (event) => {
      const { type, metadata } = event;
      const attributes = {
        'gatebook.reactor': name,
        'gatebook.event.types': [type],
        'gatebook.project_id': metadata.projectId,
      };
      const { correlationId } = metadata;
      return trace({ name: 'react', causes: [event], isOptional: true, correlationId, attributes }, () => react(event));
    },
  };
}
