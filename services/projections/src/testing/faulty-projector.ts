import type { ProjectionGroup } from '../projection-group.ts';
import { runProjector } from '../run-projector.ts';
import { createFaultyPool, type Fault, type FaultyPool } from './faulty-pool.ts';
import { runUntilEnded } from './run-until-ended.ts';
import { silentLogger as logger, type TestLog } from './test-log.ts';

export type FaultyProjector = {
  /** The connections that the fault strikes. */
  faulty: FaultyPool;
  /** Starts another projecting process, without a fault, if the fault has killed this one. */
  restartIfKilled(): Promise<void>;
  end(): Promise<void>;
};

/** Options of `expect.poll`: many lives at once wait for a database, whose CPU is used up by more frequent queries. */
export const slowPolling = { interval: 100 };

type Parts = { databaseUrl: string; log: TestLog; group: ProjectionGroup };

/** Starts a projecting process that a fault strikes, or none. */
export function startFaultyProjector(parts: Parts, fault: Fault | null): FaultyProjector {
  let running = startProjecting(parts, fault);
  const { faulty } = running;
  return {
    faulty,
    restartIfKilled: async () => {
      if (fault?.kills !== 'process' || !faulty.struck.aborted || running.faulty !== faulty) return;
      await running.end();
      running = startProjecting(parts, null);
    },
    end: () => running.end(),
  };
}

function startProjecting(
  { databaseUrl, log, group }: Parts,
  fault: Fault | null,
): Omit<FaultyProjector, 'restartIfKilled'> {
  const faulty = createFaultyPool(databaseUrl, fault);
  const end = runUntilEnded((signal) => runProjector({ store: log.store, pool: faulty.pool, group, logger }, signal));
  return {
    faulty,
    end: async () => {
      await end();
      await faulty.close();
    },
  };
}
