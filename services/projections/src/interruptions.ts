import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import type { ProjectionVersion } from './projection-versions.ts';

/** After this many failures in a row at the same step, a projection version counts as stopped. */
export const countsAsStopped = 5;
const firstPauseMs = 1_000;
const maxPauseMs = 10_000;

type Step = 'events' | 'indexes' | 'checksums';

/** Failures of projection versions for which no event is at fault, such as a lost connection. Each is tried again. */
export type Interruptions = {
  isPaused(id: number): boolean;
  /** Runs a step. Its success ends the failures of this step; new events do not end those of another step. */
  attempt<T>(id: number, step: Step, work: () => Promise<T>): Promise<T>;
  /** Also shows the projection version as stopped if a step has failed repeatedly. */
  record(projectionVersion: ProjectionVersion, error: unknown): Promise<void>;
  clear(id: number): Promise<void>;
};

type Failures = { step: Step; count: number; isShown: boolean; nextAttemptAt: number };

export function createInterruptions({ pool, logger }: { pool: Pool; logger: Logger }): Interruptions {
  const failing = new Map<number, Failures>();
  const failedSteps = new Map<number, Step>();

  async function clear(id: number): Promise<void> {
    if (failing.get(id)?.isShown) {
      await pool.query('update readmodel.projection_versions set stopped_error = null where id = $1 and is_retried', [
        id,
      ]);
    }
    failing.delete(id);
  }

  async function show({ id, groupName }: ProjectionVersion, count: number, error: unknown): Promise<boolean> {
    const at = { group: groupName, projectionVersion: id };
    logger.error({ ...at, err: error, failures: count }, 'projection makes no progress, retrying');
    const reason = error instanceof Error ? error.message : String(error);
    try {
      await pool.query(
        `update readmodel.projection_versions
         set stopped_error = $1, stopped_position = null, is_retried = true, updated_at = now()
         where id = $2 and (stopped_error is null or is_retried)`,
        [`${count} attempts in a row failed, retrying: ${reason}`, id],
      );
      return true;
    } catch (cause) {
      logger.error({ ...at, err: cause }, 'could not record the stop of a projection');
      return false;
    }
  }

  return {
    isPaused: (id) => (failing.get(id)?.nextAttemptAt ?? 0) > performance.now(),
    attempt: async (id, step, work) => {
      try {
        const result = await work();
        if (failing.get(id)?.step === step) await clear(id);
        return result;
      } catch (error) {
        failedSteps.set(id, step);
        throw error;
      }
    },
    record: async (projectionVersion, error) => {
      const { id, groupName } = projectionVersion;
      const step = failedSteps.get(id) ?? 'events';
      failedSteps.delete(id);
      const before = failing.get(id);
      const count = before?.step === step ? before.count + 1 : 1;
      const excess = count - countsAsStopped;
      const pauseMs = excess < 0 ? 0 : Math.min(firstPauseMs * 2 ** excess, maxPauseMs);
      const failures = { step, count, isShown: before?.isShown ?? false, nextAttemptAt: performance.now() + pauseMs };
      failing.set(id, failures);
      if (excess >= 0) failures.isShown = (await show(projectionVersion, count, error)) || failures.isShown;
      else logger.warn({ group: groupName, projectionVersion: id, err: error }, 'projection interrupted, retrying');
    },
    clear,
  };
}
