import { join, resolve } from 'node:path';
import type { OpenedKeys } from '@gatebook/eventlog/encryption/installation-key';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { EventStore } from '@gatebook/eventlog/port';
import { mainGroup, metricsGroup, type ProjectionGroup } from '@gatebook/readmodel/projection-groups';
import { type Config, readConfig } from '@gatebook/runtime/config';
import type { Listener } from '@gatebook/runtime/listener';
import { createLogger, type Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { createShutdown, type Shutdown } from '@gatebook/runtime/shutdown';
import { claimDataFolder, readMasterKeys, StartError } from '../embedded/data-folder.ts';
import { findRunningPostgres, hasCluster, startEmbeddedPostgres } from '../embedded/postgres.ts';
import { CommandError, exitCodes, type Surroundings } from './surroundings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `configured`: of GATEBOOK_DATABASE_URL; `running`: the embedded one of a running server; `started`: for this command alone. */
export type DatabasePlace = { url: string; kind: 'configured' | 'running' | 'started' };

/** What operators' commands work on: log and read models of a Gatebook, whether its server runs or not. */
export type Operator = {
  config: Config;
  database: DatabasePlace;
  /** Acts as the projector, which owns the read models. */
  pool: Pool;
  /** Acts as the account of the URL: the owner, unless processes have logins of their own. */
  accountPool: Pool;
  listener: Listener;
  store: EventStore;
  masterKey: MasterKeySource;
  keys: OpenedKeys;
  sets: readonly ProjectionGroup[];
  logger: Logger;
  close(): Promise<void>;
};

/** A server that has just been started claims its folder before its database answers. */
const databaseAttempts = 40;
const databasePauseMs = 250;
const connections = 20;

/** Runs a command on log and read models, and closes them whatever comes. `signal` aborts at Ctrl-C. */
export async function withOperator<T>(
  { env, stopSignal }: Surroundings,
  work: (operator: Operator, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = stopSignal();
  const operator = await openOperator(env);
  try {
    return await work(operator, signal);
  } finally {
    await operator.close();
  }
}

/** @throws CommandError for a name that no set has */
export function setNamed({ sets }: Operator, name: string): ProjectionGroup {
  const set = sets.find((candidate) => candidate.name === name);
  if (set) return set;
  const names = sets.map((candidate) => candidate.name).join(', ');
  throw new CommandError(`There is no set ${name} of read models; there are ${names}.`, exitCodes.usage);
}

/** Opens log and read models with the same settings as the server. @throws ConfigError, StartError */
export async function openOperator(env: Environment): Promise<Operator> {
  const config = readConfig(env);
  const logger = createLogger({ level: env.GATEBOOK_LOG_LEVEL ? config.log.level : 'error' });
  const shutdown = createShutdown(logger);
  try {
    const database = await openDatabase(config, shutdown);
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    // Loaded late: commands that need no database start faster without it.
    const [{ openLog }, { prepareDatabase }] = await Promise.all([
      import('../open-log.ts'),
      import('../database/prepare.ts'),
    ]);
    const { rolePrefix } = config.database;
    const { projector } = await prepareDatabase(database.url, { rolePrefix, hasJobs: false });
    const {
      pool: accountPool,
      listener,
      store,
      keys,
    } = await openLog({
      databaseUrl: database.url,
      eventStoreUrl: config.eventStore.url,
      masterKey,
      logger,
      shutdown,
    });
    const pool = createPool(projector, { max: connections, name: 'gatebook operator' });
    shutdown.add('projecting connections', () => pool.end());
    const close = async () => {
      await shutdown.run();
    };
    const sets = [mainGroup, metricsGroup];
    return { config, database, pool, accountPool, listener, store, masterKey, keys, sets, logger, close };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/**
 * The configured database; else the one of the data folder: that of the server that runs there, or, where none runs, started for this
 * command and stopped by `shutdown`. @throws StartError
 */
export async function openDatabase({ database, dataDir }: Config, shutdown: Shutdown): Promise<DatabasePlace> {
  if (database.url) return { url: database.url, kind: 'configured' };
  const folder = resolve(dataDir);
  const cluster = join(folder, 'postgres');
  if (!(await hasCluster(cluster))) {
    throw new StartError(
      `There is no Gatebook in ${folder}: set GATEBOOK_DATA_DIR or GATEBOOK_DATABASE_URL, or start it once.`,
    );
  }
  for (let attempt = 1; ; attempt += 1) {
    const running = await findRunningPostgres(cluster).catch(explainRejection);
    if (running) return { url: running.url('gatebook'), kind: 'running' };
    try {
      // A server that is started meanwhile says who has the folder, and does not take the database away.
      shutdown.add('data folder', await claimDataFolder(folder));
      break;
    } catch (error) {
      if (!(error instanceof StartError) || attempt === databaseAttempts) throw error;
      await pause(databasePauseMs);
    }
  }
  const server = await startEmbeddedPostgres({ dataDir: cluster });
  shutdown.add('database', () => server.stop());
  return { url: server.url('gatebook'), kind: 'started' };
}

function explainRejection(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'EACCES') throw error;
  throw new StartError('The database is another account’s: run this as the account that Gatebook runs as.', {
    cause: error,
  });
}
