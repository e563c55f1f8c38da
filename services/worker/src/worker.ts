import type { EventStore } from '@gatebook/eventlog/port';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import { runReactor } from '@gatebook/readmodel/followers/reactor';
import { runProjector } from '@gatebook/readmodel/run-projector';
import { metricsSet } from '@gatebook/readmodel/sets';
import type { Clock } from '@gatebook/runtime/clock';
import { takeTurns } from '@gatebook/runtime/leadership';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { createEraser } from './reactors/erase-subjects.ts';

export type WorkerDeps = {
  store: EventStore;
  pool: Pool;
  databaseUrl: string;
  activity: Activity;
  eraseSubject: (subjectId: string) => Promise<void>;
  now: Clock;
  logger: Logger;
};

const tidyEveryMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
/** Metrics show 31 days. */
const keptDays = 32;

/** Computes the owners' figures, finishes erasures and forgets old activity; one process of all leads. */
export function startWorker(deps: WorkerDeps): { stop(): Promise<void> } {
  const { store, pool, databaseUrl, logger } = deps;
  const stopping = new AbortController();
  const ended = takeTurns(
    { url: databaseUrl, name: 'worker', logger },
    async (signal) => {
      await Promise.all([
        runProjector({ store, pool, set: metricsSet, logger }, signal),
        runReactor({ store, pool, logger }, createEraser(deps), signal),
        tidy(deps, signal),
      ]);
    },
    stopping.signal,
  );
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

async function tidy({ activity, now, logger }: WorkerDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const firstKeptDay = new Date(Date.parse(now()) - keptDays * dayMs).toISOString().slice(0, 10);
    await activity
      .forgetDaysBefore(firstKeptDay)
      .catch((error: unknown) => logger.warn({ err: error }, 'old activity could not be removed'));
    await pause(tidyEveryMs, signal);
  }
}
