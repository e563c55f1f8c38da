import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import type { ProjectionShard } from './projection-versions.ts';

/** After this many failures in a row at the same step, a shard counts as stopped. */
const countsAsStopped = 5;
const firstPauseMs = 1_000;
const maxPauseMs = 10_000;

type Step = 'events' | 'copies' | 'indexes' | 'checksums';

/** Whose failures: those of a projection version as a whole count for its first shard. */
export type ShardId = Pick<ProjectionShard, 'id' | 'shard'>;

/** Failures of shards for which no event is at fault, such as a lost connection. Each is tried again. */
export type Interruptions = {
  isPaused(shard: ShardId): boolean;
  /** Runs a step. Its success ends the failures of this step; new events do not end those of another step. */
  attempt<T>(shard: ShardId, step: Step, work: () => Promise<T>): Promise<T>;
  /** Also shows the shard as stopped if a step has failed repeatedly. */
  record(shard: ProjectionShard, error: unknown): Promise<void>;
  clear(shard: ShardId): Promise<void>;
};

type Failures = { step: Step; count: number; isShown: boolean; nextAttemptAt: number };

export function createInterruptions({ pool, logger }: { pool: Pool; logger: Logger }): Interruptions {
  const failing = new Map<string, Failures>();
  const failedSteps = new Map<string, Step>();

  async function clear({ id, shard }: ShardId): Promise<void> {
    if (failing.get(nameOf({ id, shard }))?.isShown) {
      await pool.query(
        `update readmodel.projection_shards set stopped_error = null
         where version_id = $1 and shard = $2 and is_retried`,
        [id, shard],
      );
    }
    failing.delete(nameOf({ id, shard }));
  }

  async function show({ id, shard, groupName }: ProjectionShard, count: number, error: unknown): Promise<boolean> {
    const at = { group: groupName, projectionVersion: id, shard };
    logger.error({ ...at, err: error, failures: count }, 'projection makes no progress, retrying');
    const reason = error instanceof Error ? error.message : String(error);
    try {
      await pool.query(
        `update readmodel.projection_shards
         set stopped_error = $1, stopped_position = null, is_retried = true, updated_at = now()
         where version_id = $2 and shard = $3 and (stopped_error is null or is_retried)`,
        [`${count} attempts in a row failed, retrying: ${reason}`, id, shard],
      );
      return true;
    } catch (cause) {
      logger.error({ ...at, err: cause }, 'could not record the stop of a projection');
      return false;
    }
  }

  return {
    isPaused: (shard) => (failing.get(nameOf(shard))?.nextAttemptAt ?? 0) > performance.now(),
    attempt: async (shard, step, work) => {
      const name = nameOf(shard);
      try {
        const result = await work();
        if (failing.get(name)?.step === step) await clear(shard);
        return result;
      } catch (error) {
        failedSteps.set(name, step);
        throw error;
      }
    },
    record: async (shard, error) => {
      const name = nameOf(shard);
      const step = failedSteps.get(name) ?? 'events';
      failedSteps.delete(name);
      const before = failing.get(name);
      const count = before?.step === step ? before.count + 1 : 1;
      const excess = count - countsAsStopped;
      const pauseMs = excess < 0 ? 0 : Math.min(firstPauseMs * 2 ** excess, maxPauseMs);
      const failures = { step, count, isShown: before?.isShown ?? false, nextAttemptAt: performance.now() + pauseMs };
      failing.set(name, failures);
      if (excess >= 0) failures.isShown = (await show(shard, count, error)) || failures.isShown;
      else {
        const at = { group: shard.groupName, projectionVersion: shard.id, shard: shard.shard };
        logger.warn({ ...at, err: error }, 'projection interrupted, retrying');
      }
    },
    clear,
  };
}

const nameOf = ({ id, shard }: ShardId) => `${id} ${shard}`;
