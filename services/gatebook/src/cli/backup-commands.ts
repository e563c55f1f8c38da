import { createRequire } from 'node:module';
import { join } from 'node:path';
import { UnknownMasterKeyError } from '@gatebook/eventlog/encryption/master-key';
import type { EventStore } from '@gatebook/eventlog/port';
import { type Config, readConfig } from '@gatebook/runtime/config';
import { roleNames } from '@gatebook/runtime/database-roles';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { createShutdown, type Shutdown } from '@gatebook/runtime/shutdown';
import { type Command, InvalidArgumentError } from 'commander';
import type { Header } from '../backup/format.ts';
import { lockDataFolder, openDataFolder, readMasterKeys } from '../embedded/data-folder.ts';
import { ensureDatabase, startEmbeddedPostgres } from '../embedded/postgres.ts';
import { type CliContext, CommandError } from './cli-context.ts';
import { openDatabase } from './operator.ts';
import { count, json } from './text.ts';

type Json = { json: boolean };
const version = createRequire(import.meta.url)('../../../../package.json').version as string;
const decryptedSample = 100;

/** `gatebook backup …`, `gatebook restore …` and `gatebook erasures …`. */
export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description('write a backup while Gatebook runs')
    .argument('<file>', 'file to write; - for standard output')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nKeep the master key in another place: without it, a backup can’t be read.')
    .action((file: string, options: Json) => writeBackup(context, file, options));
  backup
    .command('verify')
    .description('read a whole backup, check its checksums, and open every key in it with the master key')
    .argument('<file>', 'file to read; - for standard input')
    .option('--json', 'print JSON', false)
    .action((file: string, options: Json) => verify(context, file, options));
  program
    .command('restore')
    .description('restore a backup into an empty database, while no server runs')
    .argument('<file>', 'backup to read; - for standard input')
    .option('--erasures <files...>', 'lists of erasures that were made after the backup')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nRun it again with the same file to continue after an interruption.')
    .action((file: string, options: Json & { erasures?: string[] }) => restore(context, file, options));
  const erasures = program.command('erasures').description('carry erasures of people over to a restored backup');
  erasures
    .command('export')
    .description('write a list of erased people, teams, emails and projects; it has IDs only')
    .argument('<file>', 'file to write; - for standard output')
    .option('--since <time>', 'only erasures from this time on, such as 2026-11-01', time)
    .option('--json', 'print JSON', false)
    .action((file: string, options: Json & { since?: string }) => exportList(context, file, options));
  erasures
    .command('import')
    .description('erase everyone on a list again, after a restore without it')
    .argument('<files...>', 'lists made by erasures export')
    .option('--json', 'print JSON', false)
    .action((files: string[], options: Json) => importLists(context, files, options));
}

function time(text: string): string {
  const parsed = Date.parse(text);
  if (Number.isNaN(parsed)) throw new InvalidArgumentError('Expected a date or a time, such as 2026-11-01.');
  return new Date(parsed).toISOString();
}

type Opened = { config: Config; pool: Pool; url: string; shutdown: Shutdown; hasLog: boolean };

/** Opens the database with the account of its owner. */
async function withDatabase<T>(
  { env }: CliContext,
  { isRestoring }: { isRestoring: boolean },
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const config = readConfig(env);
  const shutdown = createShutdown(createLogger({ level: 'error' }));
  try {
    const url = isRestoring ? await openNewDatabase(config, shutdown) : (await openDatabase(config, shutdown)).url;
    const [{ prepareDatabase }, { textSettings }] = await Promise.all([
      import('../database/prepare.ts'),
      import('../backup/rows.ts'),
    ]);
    await prepareDatabase(url, {
      rolePrefix: config.database.rolePrefix,
      hasJobs: isRestoring && config.redis.url === null,
      isRestoring,
    });
    const name = isRestoring ? 'gatebook restore' : 'gatebook backup';
    const settings = { ...textSettings, statement_timeout: '0', lock_timeout: '0' };
    const pool = createPool(url, { max: 2, name, settings });
    shutdown.add('pool', () => pool.end());
    await rejectOtherAccounts(pool);
    return await work({ config, pool, url, shutdown, hasLog: config.eventStore.url === null });
  } catch (error) {
    throw error instanceof UnknownMasterKeyError ? otherMasterKey(error) : error;
  } finally {
    await shutdown.run();
  }
}

const otherMasterKey = (cause: Error) => {
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

async function writeBackup(context: CliContext, file: string, { json: isJson }: Json): Promise<void> {
  const signal = context.stopSignal();
  await withDatabase(context, { isRestoring: false }, async ({ config, pool, hasLog }) => {
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    const [{ createBackup, recordBackup }, { writeFile }] = await Promise.all([
      import('../backup/create-backup.ts'),
      import('../backup/files.ts'),
    ]);
    const { header, rows, bytes } = await writeFile(file, (output) =>
      createBackup({ pool, masterKey, version, hasLog }, output, signal),
    );
    await recordBackup(pool, header);
    const print = file === '-' ? context.printError : context.print;
    if (isJson) print(json({ ...toWire(header), rows, bytes }));
    else print(`Wrote ${count(rows)} rows (${count(bytes)} bytes)${describeHead(header)}.`);
  });
}

const toWire = ({ id, installation, createdAt, epoch, head }: Header) => ({
  id,
  installation,
  created_at: createdAt,
  epoch,
  head,
});
const describeHead = ({ head }: Header) =>
  head === null ? '. The log is in EventStoreDB: back it up there' : `, events up to position ${count(BigInt(head))}`;

async function verify(context: CliContext, file: string, { json: isJson }: Json): Promise<void> {
  const { env, print } = context;
  const { dataDir, encryption } = readConfig(env);
  const masterKey = await readMasterKeys(dataDir, encryption);
  const [{ verifyBackup }, { openInput }] = await Promise.all([
    import('../backup/verify-backup.ts'),
    import('../backup/files.ts'),
  ]);
  try {
    const { header, rows, keys } = await verifyBackup(openInput(file), masterKey);
    const isRecorded = await recordVerified(context, header);
    if (isJson) return print(json({ ...toWire(header), rows, keys, is_recorded: isRecorded }));
    print(`The backup of ${header.createdAt} is complete: ${count(rows)} rows${describeHead(header)}.`);
    print(`The master key opens all ${count(keys)} keys.`);
    if (!isRecorded) print('This is not recorded, because the database of the backup is not configured here.');
  } catch (error) {
    throw error instanceof UnknownMasterKeyError ? otherMasterKey(error) : error;
  }
}

/** A backup can be verified on a machine that does not have its database. */
async function recordVerified(context: CliContext, header: Header): Promise<boolean> {
  const { recordVerification } = await import('../backup/create-backup.ts');
  const recorded = withDatabase(context, { isRestoring: false }, ({ pool }) => recordVerification(pool, header));
  return recorded.catch(() => false);
}

type Restored = Json & { erasures?: string[] };

async function restore(context: CliContext, file: string, options: Restored): Promise<void> {
  const signal = context.stopSignal();
  const { erasures: lists = [], json: isJson } = options;
  await withDatabase(context, { isRestoring: true }, async (opened) => {
    const { config, pool, hasLog } = opened;
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    const [{ beginEpoch, finishRestore, restoreBackup }, { openInput }] = await Promise.all([
      import('../backup/restore-backup.ts'),
      import('../backup/files.ts'),
    ]);
    await rejectRunningServers(pool, config);
    const header = await restoreBackup({ pool, masterKey, hasLog }, openInput(file), signal);
    const erased = await withLog(opened, async ({ store, applyLists }) => {
      await decryptSample(store);
      await beginEpoch(pool, header, await store.head());
      return applyLists(lists);
    });
    await finishRestore(pool);
    if (isJson) return context.print(json({ ...toWire(header), erased }));
    context.print(`Restored the backup of ${header.createdAt}${describeHead(header)}; every row was verified.`);
    if (lists.length > 0) context.print(`Erased ${count(erased)} subjects again.`);
    else
      context.print('People who were erased after the backup are back. To erase them again: gatebook erasures import.');
    context.print('Start Gatebook: it rebuilds the read models first.');
  });
}

/** Processes of an installation show the names of their roles and connections. */
async function rejectRunningServers(pool: Pool, { database }: Config): Promise<void> {
  const roles = database.rolePrefix === null ? [] : Object.values(roleNames(database.rolePrefix));
  const { rowCount } = await pool.query(
    `select from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend'
       and application_name not in ('gatebook restore', 'gatebook migrate')
       and (usename = any($1) or application_name ~ '^(gatebook|leader )')`,
    [roles],
  );
  if (rowCount !== 0) throw new CommandError('Processes of Gatebook use this database: stop them first.');
}

type Applying = { store: EventStore; applyLists: (files: readonly string[]) => Promise<number> };

async function withLog<T>(
  { config, pool, url, shutdown }: Opened,
  work: (applying: Applying) => Promise<T>,
): Promise<T> {
  const [{ openLog }, { composeWrite }, { installationOf }, { applyErasures, readErasures }, { openInput }] =
    await Promise.all([
      import('../open-log.ts'),
      import('../roles/core.ts'),
      import('../backup/create-backup.ts'),
      import('../backup/erasures.ts'),
      import('../backup/files.ts'),
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

/** Makes sure that the keys in the backup open the events in it. */
async function decryptSample(store: EventStore): Promise<void> {
  const oldest = await store.readAll(0n, decryptedSample);
  const newest = await store.readBack(null, decryptedSample);
  for (const { data } of [...oldest, ...newest]) if (data === undefined) throw new Error('An event has no data.');
}

async function exportList(context: CliContext, file: string, options: Json & { since?: string }): Promise<void> {
  context.stopSignal();
  await withDatabase(context, { isRestoring: false }, async ({ config, pool }) => {
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    const [{ readInstallation }, { exportErasures }, { writeFile }] = await Promise.all([
      import('../backup/create-backup.ts'),
      import('../backup/erasures.ts'),
      import('../backup/files.ts'),
    ]);
    const installation = (await readInstallation(pool, masterKey)).id;
    const exported = await writeFile(file, (output) =>
      exportErasures({ pool, installation, since: options.since ?? null }, output),
    );
    const print = file === '-' ? context.printError : context.print;
    print(options.json ? json({ erasures: exported }) : `Listed ${count(exported)} erasures.`);
  });
}

async function importLists(context: CliContext, files: readonly string[], options: Json): Promise<void> {
  context.stopSignal();
  await withDatabase(context, { isRestoring: false }, async (opened) => {
    const erased = await withLog(opened, ({ applyLists }) => applyLists(files));
    context.print(options.json ? json({ erased }) : `Erased ${count(erased)} subjects again.`);
  });
}
