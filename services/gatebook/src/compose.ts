import type { WriteDeps } from '@gatebook/commands/deps';
import type { Role } from '@gatebook/runtime/config';
import { noInstruments, noTracers } from '@gatebook/runtime/instruments';
import { createTraffic } from '@gatebook/runtime/traffic';
import { prepareDatabase, useLogins } from './database/prepare.ts';
import { openLog, startWatch } from './open-log.ts';
import type { StartSettings } from './roles/settings.ts';

/**
 * Starts one role, or all of them, in this process. Resolves when it works: an API, when the read models can be read.
 * @returns the dependencies of commands if there is an API
 */
export async function startGatebook(role: Role, started: StartSettings): Promise<WriteDeps | null> {
  const { config, databaseUrl, isEmbedded } = started;
  const hasJobs = config.redis.url === null && (role === 'all' || role === 'worker');
  const { rolePrefix } = config.database;
  const prepared = await prepareDatabase(databaseUrl, { rolePrefix, hasJobs });
  const databases = isEmbedded && rolePrefix !== null ? await useLogins(databaseUrl, rolePrefix) : prepared;
  const metrics =
    config.health.port === null ? null : (await import('./observability/metrics.ts')).createMetrics({ role });
  const { tracers = noTracers } = started;
  const instruments = { ...(metrics?.meters ?? noInstruments), ...tracers };
  const settings = { ...started, databases, instruments };
  const log = await openLog({
    ...settings,
    databaseUrl: databases[role === 'all' ? 'api' : role],
    eventStore: config.eventStore,
    isForRequests: role === 'all' || role === 'api',
  });
  await startWatch(log, settings);
  const { serveHealth } = await import('./roles/health.ts');
  if (role === 'projector') {
    const { startProjectorRole } = await import('./roles/projector.ts');
    await serveHealth(log, settings, metrics, startProjectorRole(log, settings, config.projection));
    return null;
  }
  const { composeCore, seed } = await import('./roles/core.ts');
  const core = await composeCore(role, log, settings);
  if (role === 'worker') {
    const { startWorkerRole } = await import('./roles/worker.ts');
    await serveHealth(log, settings, metrics, await startWorkerRole(core, settings));
    return null;
  }
  await seed(core, settings);
  const { startApiRole } = await import('./roles/api.ts');
  if (role === 'api') {
    await serveHealth(log, settings, metrics, {});
    await startApiRole(core, settings);
  } else {
    const [projector, worker] = await Promise.all([import('./roles/projector.ts'), import('./roles/worker.ts')]);
    const traffic = createTraffic();
    projector.startProjectorRole(log, settings, { ...config.projection, traffic });
    const running = await worker.startWorkerRole(core, settings, traffic);
    const { findProblems, findBacklogs } = running;
    await serveHealth(log, settings, metrics, { findProblems, findBacklogs });
    await startApiRole(core, settings, { traffic, worker: running });
  }
  return core.write;
}
