import { type Command, InvalidArgumentError } from 'commander';
import { readMasterKeys } from '../../embedded/data-folder.ts';
import type { CliContext } from '../cli-context.ts';
import { count, json } from '../text.ts';
import { withDatabase, withLog } from './backup-database.ts';

type Json = { json: boolean };

/** `gatebook erasures export <file>` and `gatebook erasures import <files...>` */
export function addErasuresCommands(program: Command, context: CliContext): void {
  const erasures = program.command('erasures').description('carry erasures of people over to a restored backup');
  erasures
    .command('export')
    .description('write a list of erased people, teams, emails and projects; it has IDs only')
    .argument('<file>', 'file to write; - for standard output')
    .option('--since <time>', 'only erasures from this time on, such as 2026-11-01', toTime)
    .option('--json', 'print JSON', false)
    .action((file: string, options: Json & { since?: string }) => exportList(context, file, options));
  erasures
    .command('import')
    .description('erase everyone on a list again, after a restore without it')
    .argument('<files...>', 'lists made by erasures export')
    .option('--json', 'print JSON', false)
    .action((files: string[], options: Json) => importLists(context, files, options));
}

function toTime(text: string): string {
  const parsed = Date.parse(text);
  if (Number.isNaN(parsed)) throw new InvalidArgumentError('Expected a date or a time, such as 2026-11-01.');
  return new Date(parsed).toISOString();
}

async function exportList(context: CliContext, file: string, options: Json & { since?: string }): Promise<void> {
  context.stopSignal();
  await withDatabase(context, { isRestoring: false }, async ({ config, pool }) => {
    const masterKey = await readMasterKeys(config.dataDir, config.encryption);
    const [{ readInstallation }, { exportErasures }, { writeFile }] = await Promise.all([
      import('../../backup/create-backup.ts'),
      import('../../backup/erasures.ts'),
      import('../../backup/files.ts'),
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
