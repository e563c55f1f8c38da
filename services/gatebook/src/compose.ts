import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createCountryOf } from '@gatebook/api/country';
import type { Inbox } from '@gatebook/api/inbox';
import { startApi } from '@gatebook/api/main';
import { createProjectAccessCache } from '@gatebook/api/project-access-cache';
import { createAccessTokens } from '@gatebook/api/tokens';
import { verifyTotp } from '@gatebook/api/totp';
import { createWebauthn } from '@gatebook/api/webauthn';
import type { WriteDeps } from '@gatebook/commands/deps';
import { createPasswordHasher } from '@gatebook/commands/password-hashing';
import type { KeyTexts } from '@gatebook/commands/project-key';
import { seedInternalProject } from '@gatebook/commands/seed';
import { createPostgresSigningKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createAnswerSeal } from '@gatebook/eventlog/sealing/answer-seal';
import { createLookupHash } from '@gatebook/eventlog/sealing/lookup-hash';
import { createSigningKeys } from '@gatebook/eventlog/sealing/signing-keys';
import type { SharedMail } from '@gatebook/mail/sender';
import { createMailer } from '@gatebook/mail/smtp';
import { createOAuthProviders } from '@gatebook/oauth/client';
import { startProjector } from '@gatebook/projector/projector';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { createRebuilds } from '@gatebook/readmodel/operations/create-rebuilds';
import { operationsStatus } from '@gatebook/readmodel/operations/queries';
import { findProjectAccess } from '@gatebook/readmodel/projects/queries';
import { createReadDb, hotSettings } from '@gatebook/readmodel/read-db';
import { createKeptAnswers } from '@gatebook/readmodel/requests/kept-answers';
import { mainSet, metricsSet } from '@gatebook/readmodel/sets';
import { createReadModels } from '@gatebook/readmodel/wait';
import { systemClock } from '@gatebook/runtime/clock';
import type { Config } from '@gatebook/runtime/config';
import { sha256 } from '@gatebook/runtime/hash';
import { newId, randomCode } from '@gatebook/runtime/ids';
import { pause } from '@gatebook/runtime/pause';
import { createPool } from '@gatebook/runtime/postgres';
import { createTraffic } from '@gatebook/runtime/traffic';
import { startWorker } from '@gatebook/worker/worker';
import { type LogSettings, openLog } from './open-log.ts';

export type Settings = Omit<LogSettings, 'eventStoreUrl'> & {
  config: Config;
  internalKeys: KeyTexts & { publishableClientKey: string };
  /** Takes the mails of a Gatebook that has no mail server. */
  inbox: (Inbox & { smtpUrl: string }) | null;
  /** Gets a few words for each step that takes its time. */
  onProgress: (step: string) => void;
};

const progressMs = 1000;
const hotConnections = 10;
const version = createRequire(import.meta.url)('../../../package.json').version as string;

/** Everything below the API: log, keys, read models, and what commands need. */
export async function composeCore(settings: Settings) {
  const { config, databaseUrl, masterKey, internalKeys, logger, shutdown } = settings;
  const log = await openLog({ ...settings, eventStoreUrl: config.eventStore.url });
  const { pool, listener, keyring, store, logAdapter } = log;
  const hotPool = createPool(databaseUrl, { max: hotConnections, name: 'gatebook hot reads', settings: hotSettings });
  shutdown.add('hot reads', () => hotPool.end());
  const activity = createActivity({ pool, logger });
  shutdown.add('activity', () => activity.close());
  const sets = [mainSet, metricsSet];
  const readModels = await createReadModels({ pool, listener, sets, logger });
  shutdown.add('read models', () => readModels.close());

  const write: WriteDeps = {
    store,
    now: systemClock,
    newId,
    randomCode,
    sha256,
    lookupHash: createLookupHash(masterKey),
    hasher: await createPasswordHasher({ concurrency: config.hashing.concurrency }),
    verifyTotp,
    webauthn: createWebauthn(),
    oauthProviders: createOAuthProviders({ ...config.oauth, now: systemClock }),
    eraseSubject: (subjectId) => keyring.erase(subjectId),
  };
  const signingKeys = createSigningKeys({
    masterKey,
    store: createPostgresSigningKeyStore(pool),
    now: systemClock,
    newKid: () => randomBytes(9).toString('base64url'),
  });
  const { areKeysRevoked } = await seedInternalProject(write, {
    keys: internalKeys,
    isSignUpOpen: config.internal.signUp === 'open',
    dashboardUrl: config.http.publicUrl,
  });
  if (areKeysRevoked)
    logger.warn('the keys of internal are revoked: configure new ones, or nobody can sign in to the dashboard');
  return {
    pool,
    store,
    logAdapter,
    write,
    signingKeys,
    activity,
    keptAnswers: createKeptAnswers(pool),
    answerSeal: createAnswerSeal(masterKey),
    readModels,
    db: createReadDb(pool, readModels, hotPool),
  };
}

/**
 * Read models commit lazily, so that after a crash they may lack what was answered before it, and after an upgrade they may have
 * to be built: nobody reads until they hold the whole log. A projection that has stopped does not keep the start waiting: what it
 * has is served, and said to be behind.
 */
async function catchUp(core: Core, onProgress: (step: string) => void): Promise<void> {
  const { store, readModels, pool } = core;
  let isReady = false;
  const ready = readModels.ready().then(() => {
    isReady = true;
  });
  const head = await store.head();
  for (;;) {
    await Promise.race([ready, pause(progressMs)]);
    if (isReady && (await readModels.reached(head, progressMs)) === 'reached') return;
    const { followers, generations } = await operationsStatus(pool);
    if (isReady && followers.some(({ name, state }) => name === mainSet.name && state === 'stopped')) return;
    const newest = generations.findLast(({ set }) => set === mainSet.name);
    const percent = head === 0n ? 100n : ((newest?.position ?? 0n) * 100n) / head;
    onProgress(`building the read models, ${percent} %`);
  }
}
function sharedMailOf({ config, inbox }: Settings): SharedMail | null {
  const url = config.smtp.url ?? inbox?.smtpUrl;
  return url === undefined ? null : { url, senderEmail: config.smtp.from };
}

type Core = Awaited<ReturnType<typeof composeCore>>;

/** The whole product in this process: API, projector and worker. Answers once the read models can be read. */
export async function startGatebook(settings: Settings): Promise<{ write: WriteDeps }> {
  const { config, databaseUrl, internalKeys, logger, shutdown } = settings;
  const core = await composeCore(settings);
  const { pool, store, write, activity, readModels } = core;
  const traffic = createTraffic();
  const { isBusy } = traffic;
  const projector = startProjector({
    store,
    pool,
    databaseUrl,
    isBusy,
    logger: logger.child({ component: 'projector' }),
  });
  shutdown.add('projector', () => projector.stop());
  const worker = await startWorker({
    write,
    pool,
    databaseUrl,
    activity,
    keptAnswers: core.keptAnswers,
    db: core.db,
    isBusy,
    logger: logger.child({ component: 'worker' }),
    queuePlace: config.redis.url ? { kind: 'redis', url: config.redis.url } : { kind: 'postgres', url: databaseUrl },
    sharedMail: sharedMailOf(settings),
    projectsMayUsePrivateHosts: config.smtp.projectsMayUsePrivateHosts,
  });
  shutdown.add('worker', () => worker.stop());
  await catchUp(core, settings.onProgress);
  const projects = createProjectAccessCache({
    store,
    load: (projectId) => findProjectAccess(core.db, projectId),
    reached: (position) => readModels.reached(position),
    logger,
  });
  const { publicUrl } = config.http;
  const tokens = createAccessTokens({
    signingKeys: core.signingKeys,
    publicUrl,
    lifeSeconds: config.tokens.accessTokenSeconds,
    now: write.now,
    projectExists: async (projectId) => (await projects.find(projectId)) !== null,
  });
  const { countryOf } = createCountryOf((error) => logger.warn({ err: error }, 'the table of countries is not there'));
  const mailer = createMailer({ projectsMayUsePrivateHosts: config.smtp.projectsMayUsePrivateHosts });
  shutdown.add('mailer', () => mailer.close());
  const dashboard = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url));
  const api = await startApi({
    ...write,
    ...core,
    projects,
    tokens,
    config: { ...config, internal: { ...config.internal, publishableClientKey: internalKeys.publishableClientKey } },
    logger: logger.child({ component: 'api' }),
    countryOf,
    mailer,
    inbox: settings.inbox,
    traffic,
    operations: () => operationsStatus(pool),
    rebuilds: createRebuilds({ pool, store, sets: [mainSet, metricsSet] }),
    version,
    dashboardFolder: existsSync(dashboard) ? dashboard : null,
  });
  shutdown.add('api', () => api.stop());
  return { write };
}
