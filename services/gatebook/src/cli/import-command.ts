import { stat } from 'node:fs/promises';
import type { FirebaseHash } from '@gatebook/api/import/source';
import type { Context } from '@gatebook/commands/deps';
import { findActiveProject } from '@gatebook/commands/project/project';
import { type ImportSource, importSources } from '@gatebook/contract/import/sources';
import { internalProjectId } from '@gatebook/domain/project/decide';
import { newId } from '@gatebook/runtime/ids';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { ImportCounts, ImportJob } from '../import/import-users-file.ts';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { type Operator, withOperator } from './operator.ts';
import { count, json } from './text.ts';

type Options = {
  project: string;
  dryRun: boolean;
  teams?: string;
  memberships?: string;
  report?: string;
  newIds: boolean;
  signerKey?: string;
  saltSeparator?: string;
  rounds: number;
  memCost: number;
  json: boolean;
};

/** `gatebook import <source> <file>`: users and teams of another product. */
export function addImportCommand(program: Command, context: CliContext): void {
  program
    .command('import')
    .description('import the users of another product into a project')
    .addArgument(new Argument('<source>', 'where the file comes from').choices(importSources))
    .argument('<file>', 'exported users: CSV, JSON, or a JSON object per line')
    .requiredOption('--project <id>', 'project that gets the users')
    .option('--dry-run', 'write nothing but the report', false)
    .option('--teams <file>', 'teams or organizations, imported after the users')
    .option('--memberships <file>', 'who is in which team, imported last')
    .option('--report <file>', 'report of what was not imported, JSON or CSV (default: <file>.report.json)')
    .option('--new-ids', 'replace even UUIDs, for a project that is not the only one with these users', false)
    .option('--signer-key <base64>', 'of the password hash parameters in the Firebase console')
    .option('--salt-separator <base64>', 'of the password hash parameters in the Firebase console')
    .option('--rounds <number>', 'of the password hash parameters in the Firebase console', wholeNumber, 8)
    .option('--mem-cost <number>', 'of the password hash parameters in the Firebase console', wholeNumber, 14)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nRun it again to continue: users who are in the project are only given what they lack.')
    .action((source: ImportSource, file: string, options: Options) => runImport(context, { source, file, options }));
}

function wholeNumber(given: string): number {
  if (!/^\d{1,4}$/.test(given)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(given);
}

type Given = { source: ImportSource; file: string; options: Options };
type Result = { users: ImportCounts; teams?: ImportCounts; memberships?: ImportCounts };

async function runImport(context: CliContext, { source: sourceName, file, options }: Given): Promise<void> {
  const files = [file, options.teams, options.memberships].filter((each) => each !== undefined);
  for (const each of files) await requireFile(each);
  const { sourceLoaders } = await import('@gatebook/api/import/sources');
  const source = await sourceLoaders[sourceName]();
  const firebaseHash = firebaseHashOf(options);
  const started = performance.now();
  const reportFile = options.report ?? `${file}.report.json`;
  const { result, lost, isStopped } = await withOperator(context, async (operator, signal) => {
    const [{ openReport }, users, teams] = await Promise.all([
      import('../import/report.ts'),
      import('../import/import-users-file.ts'),
      import('../import/import-teams-file.ts'),
    ]);
    const report = await openReport(reportFile);
    const job = { ...(await openJob(operator, sourceName, options)), report, signal };
    const size = (await stat(file)).size;
    const bar = context.terminal?.startBar('Importing');
    const onProgress = (bytes: number, rows: number) => {
      const rate = (rows * 1_000) / (performance.now() - started);
      bar?.show({ position: bytes, total: size, rate, secondsLeft: null });
    };
    const read = { source, sourceOptions: { firebaseHash }, onProgress };
    const imported: Result = { users: await users.importUsersFile(job, file, read).finally(() => bar?.stop()) };
    if (options.teams && !signal.aborted) imported.teams = await teams.importTeamsFile(job, options.teams);
    if (options.memberships && !signal.aborted) {
      imported.memberships = await teams.importMembersFile(job, options.memberships);
    }
    const counts = report.counts();
    const summary = { ...imported, is_dry_run: options.dryRun, is_complete: !signal.aborted, lost: counts };
    await report.close(summary);
    return { result: imported, lost: counts, isStopped: signal.aborted };
  });
  const seconds = (performance.now() - started) / 1_000;
  if (options.json) context.print(json({ ...result, lost, is_dry_run: options.dryRun, is_complete: !isStopped }));
  else printResult(context, result, { lost, reportFile, seconds, options });
  if (isStopped) throw new CommandError('Stopped. Run the command again to continue.');
  const isLossless = Object.values(result).every(({ rejected }) => rejected === 0);
  if (!isLossless) throw new CommandError(`Some rows were not imported: see ${reportFile}.`, exitCodes.problemFound);
}

async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new CommandError(`There is no file ${file}.`, exitCodes.usage);
}

function firebaseHashOf({ signerKey, saltSeparator, rounds, memCost }: Options): FirebaseHash | null {
  if (signerKey === undefined && saltSeparator === undefined) return null;
  if (signerKey !== undefined && saltSeparator !== undefined) return { signerKey, saltSeparator, rounds, memCost };
  throw new CommandError('Give both --signer-key and --salt-separator.', exitCodes.usage);
}

async function openJob(
  operator: Operator,
  sourceName: string,
  { project: projectId, dryRun, newIds }: Options,
): Promise<Omit<ImportJob, 'report' | 'signal'>> {
  if (projectId === internalProjectId) {
    throw new CommandError('The users of project internal are owners. Import into a project of your own.');
  }
  const [{ composeWrite }, { createSeenStreams }] = await Promise.all([
    import('../roles/core.ts'),
    import('@gatebook/api/import/seen-streams'),
  ]);
  const deps = await composeWrite(operator, operator.config);
  const project = await findActiveProject(deps, projectId);
  if (!project) throw new CommandError(`There is no project ${projectId}.`);
  const runId = `import-${newId()}`;
  let batches = 0;
  const newContext = (): Context => {
    batches += 1;
    const cause = { eventId: null, correlationId: runId };
    return { projectId, actor: { kind: 'operator', id: null }, requestId: `${runId}-${batches}`, cause };
  };
  const facts = { ...project, displayName: project.details.displayName };
  const target = { projectId, project: facts, sourceName, hasNewIds: newIds };
  return { deps, newContext, target, rehearsal: dryRun ? createSeenStreams() : null };
}

type Facts = { lost: Readonly<Record<'row' | 'part', Readonly<Record<string, number>>>>; reportFile: string };

function printResult(
  { print }: CliContext,
  result: Result,
  { lost, reportFile, seconds, options }: Facts & { seconds: number; options: Options },
): void {
  const verb = options.dryRun ? 'would be created' : 'created';
  for (const [name, { rows, created, completed, existing, rejected }] of Object.entries(result)) {
    const parts = [
      `${count(created)} ${verb}`,
      ...(completed > 0 ? [`${count(completed)} completed`] : []),
      ...(existing > 0 ? [`${count(existing)} already there`] : []),
      ...(rejected > 0 ? [`${count(rejected)} not imported`] : []),
    ];
    print(`${name}: ${count(rows)} rows, ${parts.join(', ')}.`);
  }
  for (const [reason, rows] of Object.entries(lost.row)) print(`  ${count(rows)} × not imported: ${reason}`);
  for (const [reason, parts] of Object.entries(lost.part)) print(`  ${count(parts)} × imported without: ${reason}`);
  print(`Took ${seconds.toFixed(1)} s. Report: ${reportFile}`);
}
