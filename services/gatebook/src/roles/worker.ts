import { groupsOf } from '@gatebook/readmodel/projection-groups';
import { hotSettings } from '@gatebook/readmodel/read-db';
import { createPool } from '@gatebook/runtime/postgres';
import type { Traffic } from '@gatebook/runtime/traffic';
import { type RunningWorker, startWorker } from '@gatebook/worker/worker';
import type { Core } from './core.ts';
import { projectorSettings } from './projector.ts';
import { type Settings, sharedMailOf } from './settings.ts';

const projectingConnections = 6;
const verifyingConnections = 4;
const webhookConnections = 4;

/**
 * Sends emails, and leads or stands by for the jobs that one process does. `traffic`: the requests that this process
 * answers too.
 */
export async function startWorkerRole(core: Core, settings: Settings, traffic?: Traffic): Promise<RunningWorker> {
  const { config, databases, logger, shutdown } = settings;
  const projectingPool = createPool(databases.projector, {
    max: projectingConnections,
    name: 'gatebook figures',
    settings: projectorSettings,
    isForLongWork: true,
  });
  shutdown.add('connections for figures', () => projectingPool.end());
  const verifyingPool = createPool(databases.projector, {
    max: verifyingConnections,
    name: 'gatebook verification',
    isForLongWork: true,
  });
  shutdown.add('connections for verification', () => verifyingPool.end());
  const webhooksPool = createPool(databases.worker, {
    max: webhookConnections,
    name: 'gatebook webhooks',
    settings: hotSettings,
    isForLongWork: true,
  });
  shutdown.add('connections for webhooks', () => webhooksPool.end());
  const sharedMail = sharedMailOf(settings);
  if (sharedMail === null) logger.warn('no mail server: emails of projects without their own mail server fail');
  const worker = await startWorker({
    write: core.write,
    pool: core.workerPool,
    listener: core.listener,
    projectingPool,
    verifyingPool,
    webhooksPool,
    databaseUrl: databases.worker,
    groups: groupsOf(config),
    activity: core.activity,
    idempotencyRecords: core.idempotencyRecords,
    db: core.db,
    readModels: core.readModels,
    responseCipher: core.responseCipher,
    outgoing: config.outgoing,
    publicUrl: config.http.publicUrl,
    ...(traffic && { isBusy: traffic.isBusy }),
    logger: logger.child({ component: 'worker' }),
    queuePlace: config.redis.url
      ? { kind: 'redis', url: config.redis.url }
      : { kind: 'postgres', url: databases.worker },
    sharedMail,
    tracers: settings.instruments,
    onJobFailure: settings.instruments.jobFailed,
    projectsMayUsePrivateHosts: config.smtp.projectsMayUsePrivateHosts,
  });
  shutdown.add('worker', () => worker.stop());
  return worker;
}
