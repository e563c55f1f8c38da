import { createFormerSystem } from '@gatebook/commands/adapters/former-system';
import { verifyTotp } from '@gatebook/commands/adapters/totp';
import { createWebauthn } from '@gatebook/commands/adapters/webauthn';
import type { WriteDeps } from '@gatebook/commands/deps';
import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import { seedInternalProject } from '@gatebook/commands/project/seed';
import { recordThrottledSignIns } from '@gatebook/commands/user/throttled-sign-ins';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { createResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import { createSigningKeys } from '@gatebook/eventlog/encryption/signing-keys';
import { createPostgresSigningKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createOAuthProviders } from '@gatebook/oauth/client';
import { createReadModels } from '@gatebook/projections/wait';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { createRejections } from '@gatebook/readmodel/activity/rejections';
import { groupsOf } from '@gatebook/readmodel/projection-groups';
import { createReadDb, hotSettings } from '@gatebook/readmodel/read-db';
import { createIdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { systemClock } from '@gatebook/runtime/clock';
import type { Config } from '@gatebook/runtime/config';
import { sha256 } from '@gatebook/runtime/hash';
import { newId, randomCode } from '@gatebook/runtime/ids';
import { type Instruments, noInstruments } from '@gatebook/runtime/instruments';
import { createPool } from '@gatebook/runtime/postgres';
import { lowerHashPriority, usualHashThreads } from '../hash-threads.ts';
import type { Log } from '../open-log.ts';
import type { Settings } from './settings.ts';

const hotConnections = 10;
const workerConnections = 10;

export type Core = Awaited<ReturnType<typeof composeCore>>;

/** Dependencies of commands and queries: everything between the log and its users. */
export async function composeCore(role: 'all' | 'api' | 'worker', log: Log, settings: Settings) {
  const { pool, listener, keys, keyring, store, watch, logAdapter } = log;
  const { config, databases, logger, shutdown } = settings;
  const hotPool = createPool(databases[role === 'worker' ? 'worker' : 'api'], {
    max: hotConnections,
    name: 'gatebook hot reads',
    settings: hotSettings,
  });
  shutdown.add('hot reads', () => hotPool.end());
  const workerPool = role === 'all' ? openWorkerPool(settings) : pool;
  const write = await composeWrite(log, config, settings.instruments);
  const rejections = createRejections({
    pool,
    logger,
    onThrottled: (throttled) => recordThrottledSignIns(write, throttled),
  });
  shutdown.add('rejections', () => rejections.close());
  const activity = createActivity({ pool, forgettingPool: workerPool, rejections, logger });
  shutdown.add('activity', () => activity.close());
  const groups = groupsOf(config);
  const readModels = await createReadModels({ pool, listener, groups, logger });
  shutdown.add('read models', () => readModels.close());
  watch.onFallBack(readModels.beginEpoch);

  const signingKeys = createSigningKeys({
    masterKey: keys.master,
    store: createPostgresSigningKeyStore(pool, listener),
    now: systemClock,
  });
  shutdown.add('signing keys', await signingKeys.watch());
  return {
    pool,
    hotPool,
    workerPool,
    listener,
    store,
    onErased: keyring.onErased,
    watch,
    logAdapter,
    write,
    signingKeys,
    activity,
    rejections,
    idempotencyRecords: createIdempotencyRecords(pool),
    responseCipher: createResponseCipher(keys.installationKey, keyring),
    readModels,
    db: createReadDb(pool, readModels, hotPool),
  };
}

/** Dependencies of commands alone. */
export async function composeWrite(
  { keys, keyring, store }: Pick<Log, 'keys' | 'keyring' | 'store'>,
  config: Config,
  { passwordQueueChanged: onQueue, trace }: Pick<Instruments, 'passwordQueueChanged' | 'trace'> = noInstruments,
): Promise<WriteDeps> {
  const isLowered = await lowerHashPriority();
  const concurrency = config.hashing.concurrency ?? usualHashThreads(isLowered);
  return {
    store,
    trace,
    now: systemClock,
    newId,
    randomCode,
    sha256,
    lookupHash: createLookupHash(keys.installationKey),
    hasher: await createPasswordHasher({ concurrency, onQueue }),
    verifyTotp,
    webauthn: createWebauthn(),
    formerSystem: createFormerSystem(config.outgoing),
    oauthProviders: createOAuthProviders({ ...config.oauth, ...config.outgoing, now: systemClock }),
    eraseSubject: keyring.erase,
    eraseAddress: keyring.eraseAddress,
    eraseProject: keyring.eraseProject,
  };
}

/**
 * A process that also runs the API needs a second account, because the roles have different privileges on some tables.
 */
function openWorkerPool({ databases, shutdown }: Settings) {
  const pool = createPool(databases.worker, { max: workerConnections, name: 'gatebook worker', isForLongWork: true });
  shutdown.add('connections of the worker', () => pool.end());
  return pool;
}

/** Makes `internal` match the configuration. Processes that start together do it once. */
export async function seed({ write }: Core, { config, internalKeys, logger }: Settings): Promise<void> {
  if (internalKeys === null) throw new Error('the keys of project internal are missing');
  const { areKeysRevoked } = await seedInternalProject(write, {
    keys: internalKeys,
    isSignUpOpen: config.internal.signUp === 'open',
    dashboardUrl: config.http.publicUrl,
  });
  if (areKeysRevoked)
    logger.warn('the keys of project internal are revoked: configure new keys to sign in to the dashboard');
}
