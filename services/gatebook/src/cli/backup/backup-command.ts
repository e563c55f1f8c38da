import { UnknownMasterKeyError } from '@gatebook/eventlog/encryption/master-key';
import { readConfig } from '@gatebook/runtime/config';
import type { Command } from 'commander';
import type { Header } from '../../backup/format.ts';
import { readMasterKeys } from '../../embedded/data-folder.ts';
import { version } from '../../version.ts';
import type { CliContext } from '../cli-context.ts';
import { count, json } from '../text.ts';
import { otherMasterKey, withDatabase } from './backup-database.ts';
import { describeHead, toWire } from './backup-header.ts';

type Json = { json: boolean };

/** `gatebook backup <file>` and `gatebook backup verify <file>` */
export function addBackupCommand(program: Command, context: CliContext): void {
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
}

async function writeBackup(context: CliContext, file: string, { json: isJson }: Json): Promise<void> {
  const signal = context.stopSignal();
  await withDatabase(context, { isRestoring: false }, async ({ config, pool, hasLog }) => {
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    const [{ createBackup, recordBackup }, { writeFile }] = await Promise.all([
      import('../../backup/create-backup.ts'),
      import('../../backup/files.ts'),
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

async function verify(context: CliContext, file: string, { json: isJson }: Json): Promise<void> {
  const { env, print } = context;
  const { dataDir, encryption } = readConfig(env);
  const masterKey = await readMasterKeys(dataDir, encryption);
  const [{ verifyBackup }, { openInput }] = await Promise.all([
    import('../../backup/verify-backup.ts'),
    import('../../backup/files.ts'),
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
  const { recordVerification } = await import('../../backup/create-backup.ts');
  const recorded = withDatabase(context, { isRestoring: false }, ({ pool }) => recordVerification(pool, header));
  return recorded.catch(() => false);
}
