import { join } from 'node:path';
import { UnknownMasterKeyError } from '@gatebook/eventlog/encryption/master-key';
import type { EventStore } from '@gatebook/eventlog/port';
import { type Config, readConfig } from '@gatebook/runtime/config';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { createShutdown, type Shutdown } from '@gatebook/runtime/shutdown';
import { lockDataFolder, openDataFolder, readMasterKeys } from '../../embedded/data-folder.ts';
import { ensureDatabase, startEmbeddedPostgres } from '../../embedded/postgres.ts';
import { type CliContext, CommandError } from '../cli-context.ts';
import { openDatabase } from '../operator.ts';

export type Opened = { config: Config; pool: Pool; url: string; shutdown: Shutdown; hasLog: boolean };

/** Opens the database with the account of its owner. */
export async function withDatabase<T>(
  { env }: CliContext,
  { isRestoring }: { isRestoring: boolean },
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const config = readConfig(env);
  const shutdown = createShutdown(createLogger({ level: 'error' }));
  try {
    const url = isRestoring ? await openNewDatabase(config, shutdown) : (await openDatabase(config, shutdown)).url;
    const [{ prepareDatabase }, { textSettings }] = await Promise.all([
      import('../../database/prepare.ts'),
      import('../../backup/rows.ts'),
    ]);
    await prepareDatabase(url, {
      rolePrefix: config.database.rolePrefix,
      hasJobs: isRestoring && config.redis.url === null,
      isRestoring,
    });
    const name = isRestoring ? 'gatebook restore' : 'gatebook backup';
    const pool = createPool(url, { max: 2, name, settings: textSettings, isForLongWork: true });
    shutdown.add('pool', () => pool.end());
    await rejectOtherAccounts(pool);
    return await work({ config, pool, url, shutdown, hasLog: config.eventStore.url === null });
  } catch (error) {
    throw error instanceof UnknownMasterKeyError ? otherMasterKey(error) : error;
  } finally {
    await shutdown.run();
  }
}

export const otherMasterKey = (cause: Error) => {
  const error = new CommandError(
    'The master key does not belong to this backup or database: set GATEBOOK_MASTER_KEY, or GATEBOOK_FORMER_MASTER_KEYS, to the key that it was made with.',
  );
  error.cause = cause;
  return error;
};

async function rejectOtherAccounts(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ isOwner: boolean; account: string }>(
    `select pg_has_role(relowner, 'usage') as "isOwner", current_user as account from pg_class
     where oid = 'log.events'::regclass`,
  );
  if (rows[0]?.isOwner) return;
  throw new CommandError(`The account ${rows[0]?.account} does not own the database: use the account of its owner.`);
}

/** The configured database, or a new one in the data folder. A running server has locked the folder. */
async function openNewDatabase({ database, dataDir }: Config, shutdown: Shutdown): Promise<string> {
  if (database.url) return database.url;
  const folder = await openDataFolder(dataDir);
  shutdown.add('data folder', await lockDataFolder(folder));
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
  shutdown.add('database', () => server.stop());
  await ensureDatabase(server, 'gatebook');
  return server.url('gatebook');
}

type Applying = { store: EventStore; applyLists: (files: readonly string[]) => Promise<number> };

/** Opens the log too, to apply lists of erasures to it. */
export async function withLog<T>(
  { config, pool, url, shutdown }: Opened,
  work: (applying: Applying) => Promise<T>,
): Promise<T> {
  const [{ openLog }, { composeWrite }, { installationOf }, { applyErasures, readErasures }, { openInput }] =
    await Promise.all([
      import('../../open-log.ts'),
      import('../../roles/core.ts'),
      import('../../backup/create-backup.ts'),
      import('../../backup/erasures.ts'),
      import('../../backup/files.ts'),
    ]);
  const masterKey = await readMasterKeys(config.dataDir, config.encryption);
  const logger = createLogger({ level: 'error' });
  const log = await openLog({ databaseUrl: url, eventStore: config.eventStore, masterKey, logger, shutdown });
  const write = await composeWrite(log, config);
  const installation = installationOf(log.keys.installationKey);
  return work({
    store: log.store,
    applyLists: async (files) => {
      // Checks every list before it erases anyone.
      for (const file of files) for await (const _page of readErasures(openInput(file), installation));
      let erased = 0;
      for (const file of files)
        for await (const page of readErasures(openInput(file), installation))
          erased += await applyErasures({ pool, write }, page);
      return erased;
    },
  });
}
