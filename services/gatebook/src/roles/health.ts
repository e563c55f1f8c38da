import { operationsStatus } from '@gatebook/projections/operations/queries';
import { checkReadiness } from '@gatebook/projections/operations/readiness';
import { startHealthServer } from '@gatebook/runtime/health-server';
import type { Log } from '../open-log.ts';
import type { Settings } from './settings.ts';

/** For roles without an API: the response of `/health/ready`, and whether this process leads. */
export async function serveHealth(
  { pool, store }: Log,
  { config, logger, shutdown }: Settings,
  { isLeading }: { isLeading(): boolean },
): Promise<void> {
  const server = await startHealthServer({
    host: config.http.host,
    port: config.health.port,
    check: async () => {
      const { isReady, database, log, readModels, lag } = await checkReadiness({
        operations: () => operationsStatus(pool),
        store,
        logger,
      });
      return { isReady, facts: { is_leading: isLeading(), database, log, read_models: readModels, lag } };
    },
  });
  shutdown.add('health', () => server.close());
}
