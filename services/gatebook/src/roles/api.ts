import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createCountryOf } from '@gatebook/api/country';
import type { SharedCounts } from '@gatebook/api/http/limit-counts';
import { startApi } from '@gatebook/api/main';
import { createProjectAccessCache } from '@gatebook/api/project-access-cache';
import { createAccessTokens } from '@gatebook/api/tokens';
import { createWebhookSender } from '@gatebook/commands/adapters/webhook-sender';
import { createMailer } from '@gatebook/mail/smtp';
import { createAcknowledgedWrites } from '@gatebook/projections/acknowledged-writes';
import { createHotRows } from '@gatebook/projections/hot-rows';
import { createLogTail } from '@gatebook/projections/log-tail';
import { operationsStatus } from '@gatebook/projections/operations/queries';
import { createRequestedRebuilds } from '@gatebook/projections/operations/requested';
import { createPeers, migratePeers } from '@gatebook/projections/peers/peers';
import { requestRelease } from '@gatebook/projections/quarantine/quarantine';
import { createMoments } from '@gatebook/readmodel/past/moments';
import { createPastDb } from '@gatebook/readmodel/past/past-db';
import { projectsOf } from '@gatebook/readmodel/project-scopes';
import { groupsOf, mainGroup } from '@gatebook/readmodel/projection-groups';
import { findProjectAccess } from '@gatebook/readmodel/projects/queries';
import { createReadDb } from '@gatebook/readmodel/read-db';
import { changesHotRows } from '@gatebook/readmodel/row-streams';
import { createUserBatches } from '@gatebook/readmodel/user-batches/user-batches';
import { createWebhookDeliveries } from '@gatebook/readmodel/webhooks/webhook-deliveries';
import { pause } from '@gatebook/runtime/pause';
import type { Traffic } from '@gatebook/runtime/traffic';
import { reportedProblems } from '@gatebook/worker/queue/queue-reports';
import type { RunningWorker } from '@gatebook/worker/worker';
import { readLogHistory } from '../log-history.ts';
import { version } from '../version.ts';
import type { Core } from './core.ts';
import { healthParts } from './health.ts';
import { type Settings, sharedMailOf } from './settings.ts';

const progressMs = 1000;

/** Starts listening once the read models can be read. `traffic` counts all requests; `worker` runs in this process. */
export async function startApiRole(
  core: Core,
  settings: Settings,
  { traffic, worker }: { traffic?: Traffic; worker?: RunningWorker } = {},
): Promise<void> {
  const { config, internalKeys, logger, shutdown } = settings;
  const { pool, store, write, readModels } = core;
  if (internalKeys === null) throw new Error('the keys of project internal are missing');
  await catchUp(core, settings.onProgress);
  const tail = createLogTail({ store, watch: core.watch, logger });
  readModels.followLog(tail, projectsOf);
  await migratePeers(pool);
  const peers = await createPeers({
    pool,
    listener: core.listener,
    tail,
    id: write.newId(),
    logger,
    epoch: core.watch.epoch,
  });
  const projects = createProjectAccessCache({
    tail,
    peers,
    load: (projectId) => findProjectAccess(core.db, projectId),
    reached: (position, projectId) => readModels.reached(position, undefined, [projectId]),
    onLookup: settings.instruments.projectLookedUp,
  });
  const hotRows = createHotRows({
    tail,
    peers,
    readModels,
    isRelevant: changesHotRows,
    onLookup: settings.instruments.rowLookedUp,
  });
  core.onErased((erased) => hotRows.forget(erased && 'subjectId' in erased ? [`user-${erased.subjectId}`] : null));
  const { publicUrl } = config.http;
  const tokens = createAccessTokens({
    signingKeys: core.signingKeys,
    publicUrl,
    lifeSeconds: config.tokens.accessTokenSeconds,
    now: write.now,
    projectExists: async (projectId) => (await projects.find(projectId)) !== null,
  });
  const { countryOf } = createCountryOf((error) =>
    logger.warn({ err: error }, 'could not load the table of countries'),
  );
  const mailer = createMailer({ projectsMayUsePrivateHosts: config.smtp.projectsMayUsePrivateHosts });
  shutdown.add('mailer', () => mailer.close());
  const webhookSender = createWebhookSender(config.outgoing);
  shutdown.add('webhook tests', async () => webhookSender.close());
  const dashboard = fileURLToPath(new URL('../../../../dashboard/dist/', import.meta.url));
  const db = createReadDb(pool, readModels, core.hotPool, hotRows);
  const api = await startApi({
    ...write,
    ...core,
    db,
    deliveries: createWebhookDeliveries({ ...core, db, newId: write.newId }),
    userBatches: createUserBatches(pool),
    webhookSender,
    past: config.history.isKept
      ? { at: createPastDb(pool, readModels), moments: createMoments({ pool, store, readModels }) }
      : null,
    hotRows,
    projects,
    tail,
    peers,
    acknowledgedWrites: createAcknowledgedWrites({ tail, readModels, scopesOf: projectsOf }),
    tokens,
    config: { ...config, internal: { ...config.internal, publishableClientKey: internalKeys.publishableClientKey } },
    logger: logger.child({ component: 'api' }),
    countryOf,
    mailer,
    sharedMail: sharedMailOf(settings),
    inbox: settings.inbox,
    sharedCounts: config.redis.url === null ? null : await openSharedCounts(config.redis.url, settings),
    instruments: settings.instruments,
    ...(traffic && { traffic }),
    ...healthParts,
    findQueueProblems: worker?.findProblems ?? (() => reportedProblems(pool)),
    operations: () => operationsStatus(pool, readModels),
    findHistory: () => readLogHistory(pool, config),
    rebuilds: createRequestedRebuilds({ pool, groups: groupsOf(config) }),
    releaseProject: async (projectId) => void (await requestRelease(pool, { projectId })),
    version,
    dashboardFolder: existsSync(dashboard) ? dashboard : null,
  });
  shutdown.add('api', () => api.stop());
}

/** Late counts are useless, so a request does not wait for an unavailable Redis. */
async function openSharedCounts(url: string, { logger, shutdown }: Settings): Promise<SharedCounts> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 250,
  });
  client.on('error', (error) => logger.debug({ err: error }, 'Redis unavailable'));
  shutdown.add('shared counts', () => client.disconnect());
  return client;
}

/**
 * Read models commit lazily. After a crash they may lack acknowledged writes, and after an upgrade they may have to be
 * built, so nobody reads until they contain the whole log. A stopped projection does not delay the start: its rows are
 * served and marked as stale.
 */
async function catchUp(core: Core, onProgress: (step: string) => void): Promise<void> {
  const { store, readModels, pool } = core;
  let isReady = false;
  const ready = readModels.ready([mainGroup.name]).then(() => {
    isReady = true;
  });
  const head = await store.head();
  for (;;) {
    await Promise.race([ready, pause(progressMs)]);
    if (isReady && (await readModels.reached(head, progressMs)) === 'reached') return;
    const { subscriptions, projectionVersions } = await operationsStatus(pool);
    if (isReady && subscriptions.some(({ name, state }) => name === mainGroup.name && state === 'stopped')) return;
    const newest = projectionVersions.findLast(({ group }) => group === mainGroup.name);
    const percent = head === 0n ? 100n : ((newest?.position ?? 0n) * 100n) / head;
    onProgress(`building the read models, ${percent} %`);
  }
}
