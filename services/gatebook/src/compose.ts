import type { WriteDeps } from '@gatebook/commands/deps';
import type { Role } from '@gatebook/runtime/config';
import { createTraffic } from '@gatebook/runtime/traffic';
import { openLog } from './open-log.ts';
import type { Settings } from './roles/settings.ts';

/**
 * Starts a role's part of the product in this process, or all of it. Answers once it does its work: an API, when the read models
 * can be read. @returns what commands need, where there is an API
 */
export async function startGatebook(role: Role, settings: Settings): Promise<WriteDeps | null> {
  const log = await openLog({ ...settings, eventStoreUrl: settings.config.eventStore.url });
  const { serveHealth } = await import('./roles/health.ts');
  if (role === 'projector') {
    const { startProjectorIn } = await import('./roles/projector.ts');
    await serveHealth(log, settings, startProjectorIn(log, settings));
    return null;
  }
  const { composeCore, seed } = await import('./roles/core.ts');
  const core = await composeCore(log, settings);
  if (role === 'worker') {
    const { startWorkerIn } = await import('./roles/worker.ts');
    await serveHealth(log, settings, await startWorkerIn(core, settings));
    return null;
  }
  await seed(core, settings);
  const { startApiIn } = await import('./roles/api.ts');
  if (role === 'api') await startApiIn(core, settings);
  else {
    const [projector, worker] = await Promise.all([import('./roles/projector.ts'), import('./roles/worker.ts')]);
    const traffic = createTraffic();
    projector.startProjectorIn(log, settings, traffic);
    await worker.startWorkerIn(core, settings, traffic);
    await startApiIn(core, settings, traffic);
  }
  return core.write;
}
