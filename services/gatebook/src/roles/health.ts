import type { Problem } from '@gatebook/projections/operations/problems';
import { operationsStatus } from '@gatebook/projections/operations/queries';
import { checkReadiness, type HealthParts } from '@gatebook/projections/operations/readiness';
import { allGroups } from '@gatebook/readmodel/projection-groups';
import { startHealthServer } from '@gatebook/runtime/health-server';
import type { QueueBacklog } from '@gatebook/worker/queue/queue-problems';
import { reportedProblems } from '@gatebook/worker/queue/queue-reports';
import { readLogHistory } from '../log-history.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Log } from '../open-log.ts';
import type { Settings } from './settings.ts';

/** What every installation needs. */
export const healthParts: Pick<HealthParts, 'neededLeaders' | 'groupNames'> = {
  neededLeaders: ['projector', 'worker'],
  groupNames: allGroups.map(({ name }) => name),
};

/** What only this process knows. `findProblems`: absent if the process has no queues. */
type Running = {
  /** Absent in a process with several roles. */
  isLeading?(): boolean;
  findProblems?(): Promise<readonly Problem[]>;
  findBacklogs?(): Promise<readonly QueueBacklog[]>;
};

/** Serves health and metrics to operators if there is a port for them. */
export async function serveHealth(
  { pool, store }: Log,
  { config, logger, shutdown }: Settings,
  metrics: Metrics | null,
  { isLeading, findProblems, findBacklogs = async () => [] }: Running,
): Promise<void> {
  const { port } = config.health;
  if (port === null || metrics === null) return;
  const checked = () =>
    checkReadiness({
      ...healthParts,
      findQueueProblems: findProblems ?? (() => reportedProblems(pool)),
      operations: () => operationsStatus(pool),
      findHistory: () => readLogHistory(pool, config),
      store,
      logger,
    });
  const server = await startHealthServer({
    host: config.http.host,
    port,
    metrics: async () => {
      const [readiness, backlogs] = await Promise.all([checked(), findBacklogs()]);
      return metrics.page(readiness, backlogs);
    },
    check: async () => {
      const { isReady, database, log, readModels, lag, oldestUnprojectedMs, problems } = await checked();
      return {
        isReady,
        facts: {
          ...(isLeading && { is_leading: isLeading() }),
          database,
          log,
          read_models: readModels,
          lag,
          oldest_unprojected_millis: oldestUnprojectedMs,
          problems,
        },
      };
    },
  });
  shutdown.add('health', () => server.close());
}
