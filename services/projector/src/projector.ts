import type { EventStore } from '@gatebook/eventlog/port';
import { runProjector } from '@gatebook/readmodel/run-projector';
import { mainSet } from '@gatebook/readmodel/sets';
import { takeTurns } from '@gatebook/runtime/leadership';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';

export type ProjectorDeps = {
  store: EventStore;
  pool: Pool;
  databaseUrl: string;
  logger: Logger;
  /** Whether this process answers people right now. */
  isBusy?: () => boolean;
};

/** Keeps the read models that the API reads at the log's head; one process of all leads, the others stand by. */
export function startProjector({ databaseUrl, ...parts }: ProjectorDeps): { stop(): Promise<void> } {
  const { logger } = parts;
  const stopping = new AbortController();
  const ended = takeTurns(
    { url: databaseUrl, name: 'projector', logger },
    (signal) => runProjector({ ...parts, set: mainSet }, signal),
    stopping.signal,
  );
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
