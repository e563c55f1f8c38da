import { join, resolve } from 'node:path';
import type { OpenedKeys } from '@gatebook/eventlog/encryption/installation-key';
import type { Keyring } from '@gatebook/eventlog/encryption/keyring';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { groupsOf } from '@gatebook/readmodel/projection-groups';
import { type Config, readConfig } from '@gatebook/runtime/config';
import type { Listener } from '@gatebook/runtime/listener';
import { createLogger, type Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { createShutdown, type Shutdown } from '@gatebook/runtime/shutdown';
import { lockDataFolder, readMasterKeys, StartError } from '../embedded/data-folder.ts';
import { findRunningPostgres, hasCluster, startEmbeddedPostgres } from '../embedded/postgres.ts';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `configured`: GATEBOOK_DATABASE_URL; `running`: embedded in a running server; `started`: embedded, for this command
 * only.
 */
export type DatabasePlace = { url: string; kind: 'configured' | 'running' | 'started' };

/** Log and read models of an installation, whether its server runs or not. */
export type Operator = {
  config: Config;
  database: DatabasePlace;
  /** Has the role of the projector, which owns the read models. */
  pool: Pool;
  /** Has the account of the URL: the owner of the database, unless each process has its own login. */
  accountPool: Pool;
  listener: Listener;
  store: EventStore;
  masterKey: MasterKeySource;
  keys: OpenedKeys;
  keyring: Keyring;
  groups: readonly ProjectionGroup[];
  logger: Logger;
  close(): Promise<void>;
};

/** A starting server locks its data folder before its database accepts connections. */
const databaseAttempts = 40;
const databasePauseMs = 250;
const connections = 20;

/** Runs a command on log and read models and always closes them. `signal` aborts on Ctrl-C. */
export async function withOperator<T>(
  { env, stopSignal }: CliContext,
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

/** @throws CommandError for an unknown name */
export function findGroup({ groups }: Operator, name: string): ProjectionGroup {
  const group = groups.find((candidate) => candidate.name === name);
  if (group) return group;
  const names = groups.map((candidate) => candidate.name).join(', ');
  throw new CommandError(`There is no projection group ${name}; expected: ${names}.`, exitCodes.usage);
}

/** Opens log and read models with the same settings as the server. @throws ConfigError, StartError */
export async function openOperator(env: Environment): Promise<Operator> {
  const config = readConfig(env);
  const logger = createLogger({ level: env.GATEBOOK_LOG_LEVEL ? config.log.level : 'error' });
  const shutdown = createShutdown(logger);
  try {
    const database = await openDatabase(config, shutdown);
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    // Imported here because commands without a database start faster without it.
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
      keyring,
    } = await openLog({
      databaseUrl: database.url,
      eventStore: config.eventStore,
      masterKey,
      logger,
      shutdown,
      isForOperator: true,
    });
    const pool = createPool(projector, { max: connections, name: 'gatebook operator', isForLongWork: true });
    shutdown.add('projector pool', () => pool.end());
    const close = async () => {
      await shutdown.run();
    };
    const groups = groupsOf(config);
    return { config, database, pool, accountPool, listener, store, masterKey, keys, keyring, groups, logger, close };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/**
 * Connects to the configured database, or to the one in the data folder. If no server runs it, it is started for this
 * command and stopped by `shutdown`. @throws StartError
 */
export async function openDatabase({ database, dataDir }: Config, shutdown: Shutdown): Promise<DatabasePlace> {
  if (database.url) return { url: database.url, kind: 'configured' };
  const folder = resolve(dataDir);
  const cluster = join(folder, 'postgres');
  if (!(await hasCluster(cluster))) {
    throw new StartError(
      `There is no Gatebook in ${folder}: set GATEBOOK_DATA_DIR or GATEBOOK_DATABASE_URL, or start Gatebook once.`,
    );
  }
  for (let attempt = 1; ; attempt += 1) {
    const running = await findRunningPostgres(cluster).catch(explainAccessError);
    if (running) return { url: running.url('gatebook'), kind: 'running' };
    try {
      // Locks the folder, so that a server started meanwhile doesn't take over the database.
      shutdown.add('data folder', await lockDataFolder(folder));
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

function explainAccessError(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'EACCES') throw error;
  throw new StartError(
    'The database belongs to another account. Run this command with the account that runs Gatebook.',
    {
      cause: error,
    },
  );
}
