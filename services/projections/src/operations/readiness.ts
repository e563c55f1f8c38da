import type { EventStore } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import type { OperationsStatus } from './queries.ts';

export type Readiness = {
  isReady: boolean;
  database: 'ok' | 'failed';
  log: 'ok' | 'failed';
  readModels: 'ok' | 'stalled' | 'failed';
  /** Number of events that the read models are behind the log; null if unknown. */
  lag: number | null;
};

type Parts = { operations(): Promise<OperationsStatus>; store: Pick<EventStore, 'head'>; logger: Logger };

/** Checks the database, the log and whether the read models follow it. */
export async function checkReadiness({ operations, store, logger }: Parts): Promise<Readiness> {
  const [status] = await Promise.allSettled([operations()]);
  // Read the head last, so that no position is above it.
  const [head] = await Promise.allSettled([store.head()]);
  for (const result of [status, head]) {
    if (result.status === 'rejected') logger.warn({ err: result.reason }, 'readiness check failed');
  }
  const isDatabaseUp = status.status === 'fulfilled';
  const main = isDatabaseUp ? status.value.subscriptions.find(({ name }) => name === 'main') : undefined;
  const readModels = !main ? 'failed' : main.state === 'stopped' ? 'stalled' : 'ok';
  const isLogUp = head.status === 'fulfilled';
  return {
    isReady: readModels === 'ok' && isLogUp,
    database: isDatabaseUp ? 'ok' : 'failed',
    log: isLogUp ? 'ok' : 'failed',
    readModels,
    lag: main && isLogUp ? Number(head.value - main.position) : null,
  };
}
