import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
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
  /** Pause before an event is tried again. It gets longer with each attempt. */
  retryPauseMs?: number;
};
