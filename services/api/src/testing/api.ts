import { randomBytes } from 'node:crypto';
import { verifyTotp } from '@gatebook/commands/adapters/totp';
import { createWebauthn } from '@gatebook/commands/adapters/webauthn';
import { createWebhookSender } from '@gatebook/commands/adapters/webhook-sender';
import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import { seedInternalProject } from '@gatebook/commands/project/seed';
import { createPlainProviders } from '@gatebook/commands/testing/oauth';
import { recordThrottledSignIns } from '@gatebook/commands/user/throttled-sign-ins';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { createMemorySigningKeyStore } from '@gatebook/eventlog/encryption/memory-signing-key-store';
import { createResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import { createSigningKeys } from '@gatebook/eventlog/encryption/signing-keys';
import type { Simulator } from '@gatebook/eventlog/eventstoredb/simulator';
import type { MemoryLog } from '@gatebook/eventlog/memory/store';
import { createMailer } from '@gatebook/mail/smtp';
import { createAcknowledgedWrites } from '@gatebook/projections/acknowledged-writes';
import { createHotRows } from '@gatebook/projections/hot-rows';
import { createLogTail } from '@gatebook/projections/log-tail';
import { operationsStatus } from '@gatebook/projections/operations/queries';
import { createRequestedRebuilds } from '@gatebook/projections/operations/requested';
import { createPeers } from '@gatebook/projections/peers/peers';
import { requestRelease } from '@gatebook/projections/quarantine/quarantine';
import type { TestLogPlace } from '@gatebook/projections/testing/test-log';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { createRejections } from '@gatebook/readmodel/activity/rejections';
import { createMoments } from '@gatebook/readmodel/past/moments';
import { createPastDb } from '@gatebook/readmodel/past/past-db';
import { projectsOf } from '@gatebook/readmodel/project-scopes';
import { groupsOf, mainGroup } from '@gatebook/readmodel/projection-groups';
import { findProjectAccess } from '@gatebook/readmodel/projects/queries';
import { createReadDb } from '@gatebook/readmodel/read-db';
import { createIdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { changesHotRows } from '@gatebook/readmodel/row-streams';
import { startReadSide } from '@gatebook/readmodel/testing/read-side';
import { createUserBatches } from '@gatebook/readmodel/user-batches/user-batches';
import { createWebhookDeliveries } from '@gatebook/readmodel/webhooks/webhook-deliveries';
import type { Clock } from '@gatebook/runtime/clock';
import { sha256 } from '@gatebook/runtime/hash';
import { newId, projectKeyText, randomBase32, randomCode } from '@gatebook/runtime/ids';
import { createLogger, type Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import { createCountryOf } from '../country.ts';
import type { Deps } from '../deps.ts';
import type { ClientHeaders } from '../http/end-user.ts';
import { createProjectAccessCache } from '../project-access-cache.ts';
import { createAccessTokens } from '../tokens.ts';
import { findResponseFaults } from './response-faults.ts';

export type Keys = { client: string; server: string; admin: string };
export type TestApi = {
  app: FastifyInstance;
  deps: Deps;
  /** Keys of project `internal`. */
  keys: Keys;
  /** Where the log lies when not in memory. */
  simulator: Simulator | null;
  /** The stored events, if they are in memory. */
  memory: MemoryLog | null;
  /** A pool of the database with the read models. */
  pool: Pool;
  /** Responses that did not fit their schema. */
  responseFaults: string[];
  /** Moves the API's clock; the database keeps its own. */
  advance(ms: number): void;
  close(): Promise<void>;
};
type Options = {
  overrides?: (deps: Deps) => Partial<Deps>;
  rateLimits?: boolean;
  logger?: Logger;
  publicUrl?: string;
  port?: number;
  trustedProxies?: string[];
  /** Sign-up at project `internal`; open unless told otherwise. */
  signUp?: 'open' | 'closed';
  clientHeaders?: ClientHeaders;
  /** Whether the past is kept. */
  history?: boolean;
  /** Where the log lies; unless told here `TEST_LOG` says it, so that every test can run on either. */
  log?: TestLogPlace;
};

/**
 * The whole API on a log in memory (or in the simulator for EventStoreDB), with real read models in a database of its
 * own. Nothing is stubbed.
 */
export async function startTestApi(options: Options = {}): Promise<TestApi> {
  const {
    overrides,
    rateLimits = false,
    publicUrl = 'http://localhost:8102',
    port = 8102,
    trustedProxies = [],
    signUp = 'open',
    clientHeaders = { address: null, country: null },
    history = false,
    log = process.env.TEST_LOG === 'eventstoredb' ? 'eventstoredb' : 'memory',
  } = options;
  const logger = options.logger ?? createLogger({ level: 'silent' });
  const groups = groupsOf({ history: { isKept: history } });
  const readSide = await startReadSide(groups, log);
  const { store, keyring, readModels, database, pools, listener } = readSide;
  const masterKey = randomBytes(32);
  const { now, advance } = createMovableClock();
  const signingKeys = createSigningKeys({
    masterKey,
    store: createMemorySigningKeyStore(),
    now,
    newKid: () => randomBase32(12),
  });
  const mailer = createMailer({ timeoutMs: 2_000 });
  const { countryOf, ready: countriesRead } = createCountryOf((error) => logger.error({ err: error }));
  await countriesRead;
  // Tests move the clock of the API, which the database does not see.
  const rejections = {
    ...createRejections({
      pool: pools.api,
      logger,
      onThrottled: (throttled) => recordThrottledSignIns(deps, throttled),
      lateAfterMs: 1e12,
    }),
    settle: async (at: number) => at,
  };
  const activity = createActivity({ pool: pools.api, forgettingPool: pools.worker, rejections, logger });
  const tail = createLogTail({ store, logger });
  readModels.followLog(tail, projectsOf);
  const peers = await createPeers({ pool: pools.api, listener, tail, id: newId(), logger, joinMs: 0 });
  const hotRows = createHotRows({ tail, peers, readModels, isRelevant: changesHotRows });
  const db = createReadDb(pools.api, readModels, pools.api, hotRows);
  const projects = createProjectAccessCache({
    tail,
    peers,
    load: (projectId) => findProjectAccess(db, projectId),
    reached: (position, projectId) => readModels.reached(position, undefined, [projectId]),
  });
  const keys = { client: projectKeyText('pck'), server: projectKeyText('ssk'), admin: projectKeyText('sak') };
  const tokens = createAccessTokens({
    signingKeys,
    publicUrl,
    lifeSeconds: 600,
    now,
    projectExists: async (projectId) => (await projects.find(projectId)) !== null,
  });
  const responseCipher = createResponseCipher(masterKey, keyring);
  const webhookSender = createWebhookSender({ allowPrivate: true });
  const base: Deps = {
    store,
    now,
    newId,
    randomCode,
    sha256,
    lookupHash: createLookupHash(masterKey),
    hasher: await createPasswordHasher({ cost: { memoryCost: 64, timeCost: 1, parallelism: 1 } }),
    verifyTotp,
    webauthn: createWebauthn(),
    oauthProviders: createPlainProviders(now).providers,
    eraseSubject: keyring.erase,
    eraseAddress: keyring.eraseAddress,
    eraseProject: keyring.eraseProject,
    db,
    past: history
      ? { at: createPastDb(pools.api, readModels), moments: createMoments({ pool: pools.api, store, readModels }) }
      : null,
    readModels,
    signingKeys,
    tokens,
    projects,
    hotRows,
    tail,
    peers,
    acknowledgedWrites: createAcknowledgedWrites({ tail, readModels, scopesOf: projectsOf }),
    activity,
    rejections,
    idempotencyRecords: createIdempotencyRecords(pools.api),
    responseCipher,
    deliveries: createWebhookDeliveries({ pool: pools.api, db, readModels, store, responseCipher, newId }),
    userBatches: createUserBatches(pools.api),
    webhookSender,
    config: {
      http: { host: '127.0.0.1', port, publicUrl, trustedProxies, clientHeaders },
      rateLimits: { isEnabled: rateLimits },
      outgoing: { allowPrivate: true },
      tokens: { accessTokenSeconds: 600 },
      internal: { publishableClientKey: keys.client, signUp },
    },
    logger,
    countryOf,
    mailer,
    sharedMail: null,
    inbox: null,
    sharedCounts: null,
    neededLeaders: [],
    groupNames: [mainGroup.name],
    operations: () => operationsStatus(pools.api, readModels),
    findHistory: async () => ({ installedAt: Date.now(), fellBackAt: null, lastBackup: null, backupDueDays: 7 }),
    rebuilds: createRequestedRebuilds({ pool: pools.api, groups }),
    releaseProject: async (projectId) => void (await requestRelease(pools.api, { projectId })),
    logAdapter: log,
    version: '0.1.0',
    dashboardFolder: null,
  };
  const deps = { ...base, ...overrides?.(base) };
  const { position } = await seedInternalProject(deps, {
    keys: { publishableClientKey: keys.client, secretServerKey: keys.server, superSecretAdminKey: keys.admin },
    isSignUpOpen: signUp === 'open',
    dashboardUrl: publicUrl,
  });
  await readModels.reached(position);
  const following = new AbortController();
  const followed = Promise.all([deps.tail.follow(following.signal), deps.peers.follow(following.signal)]);
  const app = await buildApp(deps);
  const responseFaults = findResponseFaults(app);
  await app.ready();
  return {
    app,
    deps,
    keys,
    simulator: readSide.simulator,
    memory: readSide.memory,
    pool: database.pool,
    responseFaults,
    advance,
    close: async () => {
      await app.close();
      following.abort();
      await followed;
      mailer.close();
      webhookSender.close();
      await activity.close();
      await rejections.close();
      await readSide.close();
    },
  };
}

/** Runs with real time, because the database compares with its own, and can be moved on. */
function createMovableClock(): { now: Clock; advance(ms: number): void } {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset).toISOString(),
    advance: (ms) => {
      offset += ms;
    },
  };
}
