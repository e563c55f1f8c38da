import type { EventStore } from '@gatebook/eventlog/port';
import type { Config } from '@gatebook/runtime/config';
import { roleNames } from '@gatebook/runtime/database-roles';
import type { Pool } from '@gatebook/runtime/postgres';
import type { Command } from 'commander';
import { readMasterKeys } from '../../embedded/data-folder.ts';
import { type CliContext, CommandError } from '../cli-context.ts';
import { count, json } from '../text.ts';
import { withDatabase, withLog } from './backup-database.ts';
import { describeHead, toWire } from './backup-header.ts';

type RestoreOptions = { json: boolean; erasures?: string[] };
const decryptedSample = 100;

/** `gatebook restore <file>` */
export function addRestoreCommand(program: Command, context: CliContext): void {
  program
    .command('restore')
    .description('restore a backup into an empty database, while no server runs')
    .argument('<file>', 'backup to read; - for standard input')
    .option('--erasures <files...>', 'lists of erasures that were made after the backup')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nRun it again with the same file to continue after an interruption.')
    .action((file: string, options: RestoreOptions) => restore(context, file, options));
}

async function restore(context: CliContext, file: string, options: RestoreOptions): Promise<void> {
  const signal = context.stopSignal();
  const { erasures: lists = [], json: isJson } = options;
  await withDatabase(context, { isRestoring: true }, async (opened) => {
    const { config, pool, hasLog } = opened;
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    const [{ beginEpoch, finishRestore, restoreBackup }, { openInput }] = await Promise.all([
      import('../../backup/restore-backup.ts'),
      import('../../backup/files.ts'),
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

/** Makes sure that the keys in the backup open the events in it. */
async function decryptSample(store: EventStore): Promise<void> {
  const oldest = await store.readAll(0n, decryptedSample);
  const newest = await store.readBack(null, decryptedSample);
  for (const { data } of [...oldest, ...newest]) if (data === undefined) throw new Error('An event has no data.');
}
