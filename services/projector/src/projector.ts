import type { EventStore } from '@gatebook/eventlog/port';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { runProjector } from '@gatebook/projections/run-projector';
import { silenceMs, takeTurns } from '@gatebook/runtime/leadership';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';

export type ProjectorDeps = {
  set: ProjectionGroup;
  store: EventStore;
  pool: Pool;
  databaseUrl: string;
  logger: Logger;
  /** Whether this process answers people right now. */
  isBusy?: () => boolean;
};

export type RunningProjector = { isLeading(): boolean; stop(): Promise<void> };

/**
 * Keeps the read models that the API reads at the log's head; one process of all leads, the others stand by. `pool` is best
 * the projector's own, with `projectingSettings`.
 */
export function startProjector({ databaseUrl, ...parts }: ProjectorDeps): RunningProjector {
  const { logger } = parts;
  const stopping = new AbortController();
  let isLeading = false;
  const ended = takeTurns(
    { url: databaseUrl, name: 'projector', logger },
    async (signal) => {
      isLeading = true;
      try {
        await runProjector(parts, signal);
      } finally {
        isLeading = false;
      }
    },
    stopping.signal,
  );
  return {
    isLeading: () => isLeading,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** A batch of a leader that hangs in the middle would keep its rows locked, and whoever takes over waiting. */
export const projectingSettings = { idle_in_transaction_session_timeout: String(silenceMs) } as const;
