import { type OperationsAtHead, operationsAtHead } from '@gatebook/projections/operations/at-head';
import { type Comparison, compareWithLive, type TableComparison } from '@gatebook/projections/operations/compare';
import { operationsStatus, type ProjectionVersionRow } from '@gatebook/projections/operations/queries';
import {
  askForRebuild,
  discard,
  findProjectionVersion,
  findStandby,
  OperationRejectedError,
  promoteStandby,
  rollBack,
} from '@gatebook/projections/operations/rebuilds';
import { comparisonToWire } from '@gatebook/projections/operations/wire';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { listProjectionVersions, type ProjectionVersion } from '@gatebook/projections/projection-versions';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes, type Progress } from './cli-context.ts';
import { followRebuild } from './follow-rebuild.ts';
import { findGroup, type Operator, withOperator } from './operator.ts';
import { whileProjected } from './projecting.ts';
import { addReleaseCommand, printQuarantines } from './release-command.ts';
import { columns, count, duration, json } from './text.ts';

type Json = { json: boolean };

const groupDescription =
  'main (what the API reads), metrics (charts for owners), audit (the audit log) or events (public events)';
/** Without a progress bar, one line in this time. */
const progressLineMs = 2000;

/** `gatebook projections …` */
export function addProjectionsCommands(program: Command, context: CliContext): Command {
  const projections = program.command('projections').description('list, rebuild, compare and promote read models');
  projections
    .command('list')
    .description('list projection versions and all other subscriptions of the log')
    .option('--json', 'print JSON', false)
    .action((options: Json) => listProjections(context, options));
  projections
    .command('rebuild')
    .description('build a new projection version from the log, beside the live one')
    .argument('[group]', groupDescription, 'main')
    .option('--promote', 'make it live when it is ready, without asking', false)
    .option('--json', 'print a line of JSON for each step', false)
    .addHelpText(
      'after',
      '\nWithout --promote the command asks on a terminal; elsewhere it leaves the new projection version on standby.',
    )
    .action((group: string, options: Json & { promote: boolean }) => rebuild(context, group, options));
  projections
    .command('diff')
    .description('compare the standby or previous projection version with the live one, row by row at one position')
    .argument('[group]', groupDescription, 'main')
    .option('--with <projection version>', 'compare this one instead; `projections list` shows the names')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExits with 0 when they are equal, with 5 when they differ.')
    .action((group: string, options: Json & { with?: string }) => diff(context, group, options));
  projections
    .command('promote')
    .description('make the standby projection version live; the old one stays up to date for a rollback')
    .argument('[group]', groupDescription, 'main')
    .option('--json', 'print JSON', false)
    .action((group: string, options: Json) => promote(context, group, options));
  projections
    .command('rollback')
    .description('make the previous projection version live again')
    .argument('[group]', groupDescription, 'main')
    .option('--json', 'print JSON', false)
    .action((group: string, options: Json) => rollback(context, group, options));
  projections
    .command('drop')
    .description('drop a projection version that is not live')
    .argument('<projection_version>', 'its name in `projections list`')
    .option('--json', 'print JSON', false)
    .action((schema: string, options: Json) => drop(context, schema, options));
  addReleaseCommand(projections, context);
  return projections;
}

async function listProjections(context: CliContext, options: Json): Promise<void> {
  await withOperator(context, async ({ pool, store }) => {
    const operations = () => operationsStatus(pool);
    const { head, subscriptions, projectionVersions, quarantines } = await operationsAtHead({ operations, store });
    const reactors = subscriptions.filter(({ projectionVersion }) => projectionVersion === null);
    if (options.json) {
      context.print(
        json({
          head,
          projection_versions: projectionVersions.map(toJson),
          quarantines,
          subscriptions: reactors.map(({ name, position, lag, error }) => ({ name, position, lag, error })),
        }),
      );
      return;
    }
    context.print(`Head of the log: position ${count(head)}\n`);
    const rows = projectionVersions.map((projectionVersion) => [
      projectionVersion.group,
      projectionVersion.id,
      String(projectionVersion.version),
      stateOf(projectionVersion),
      count(projectionVersion.position),
      count(projectionVersion.lag),
      timeOf(projectionVersion).slice(0, 16).replace('T', ' '),
    ]);
    const header = ['GROUP', 'PROJECTION VERSION', 'CODE VERSION', 'STATE', 'POSITION', 'LAG', 'CREATED (UTC)'];
    for (const line of columns([header, ...rows], [2, 4, 5])) context.print(line);
    for (const { id, shards } of projectionVersions) {
      if (shards.length > 1) context.print(`Shards of ${id}: ${shards.map(count).join(', ')}`);
    }
    context.print('');
    const others = reactors.map(({ name, position, lag, state }) => [name, state, count(position), count(lag)]);
    for (const line of columns([['SUBSCRIPTION', 'STATE', 'POSITION', 'LAG'], ...others], [2, 3])) context.print(line);
    for (const { id, error } of projectionVersions) if (error !== null) context.print(`\n${id} has stopped: ${error}`);
    for (const { name, error } of reactors) if (error) context.print(`\n${name} fails: ${error}`);
    printQuarantines(context, quarantines);
  });
}

function stateOf({ state, isStandby, isReady, error }: ProjectionVersionRow): string {
  if (error !== null) return 'stopped';
  return state === 'building' && isStandby && isReady ? 'standby' : state;
}

const timeOf = ({ createdAt }: ProjectionVersionRow) => new Date(createdAt).toISOString();

const toJson = (projectionVersion: OperationsAtHead['projectionVersions'][number]) => ({
  group: projectionVersion.group,
  projection_version: projectionVersion.id,
  code_version: projectionVersion.version,
  state: stateOf(projectionVersion),
  position: projectionVersion.position,
  shards: projectionVersion.shards,
  created_at: timeOf(projectionVersion),
  error: projectionVersion.error,
  lag: projectionVersion.lag,
});

async function rebuild(context: CliContext, name: string, options: Json & { promote: boolean }): Promise<void> {
  await withOperator(context, async (operator, signal) => {
    const group = findGroup(operator, name);
    await orRejected(() =>
      whileProjected(operator, group, async () => {
        const { projectionVersion, isNew } = await askForRebuild(operator.pool, group);
        const { schema } = projectionVersion;
        printEither(
          context,
          options,
          { event: isNew ? 'requested' : 'already_requested', projection_version: schema },
          () => (isNew ? `Building ${schema}; the API stays available.` : `${schema} is already being built.`),
        );
        const start = performance.now();
        if ((await showProgress(context, operator, schema, options, signal)) === 'interrupted') {
          printEither(context, options, { event: 'interrupted', projection_version: schema }, () =>
            operator.database.kind === 'started'
              ? `\nStopped. The build of ${schema} continues when Gatebook runs or with \`projections rebuild ${name}\`.`
              : `\nThe build of ${schema} continues; \`projections rebuild ${name}\` shows its progress again.`,
          );
          return;
        }
        const { position } = await findProjectionVersion(operator.pool, schema);
        const seconds = (performance.now() - start) / 1000;
        printEither(
          context,
          options,
          { event: 'ready', projection_version: schema, position, seconds },
          () => `${schema} is ready at position ${count(position)} after ${duration(seconds)}.`,
        );
        await offerPromotion(context, operator, group, projectionVersion, options, signal);
      }),
    );
  });
}

async function offerPromotion(
  context: CliContext,
  { pool }: Operator,
  group: ProjectionGroup,
  { id, schema }: ProjectionVersion,
  options: Json & { promote: boolean },
  signal: AbortSignal,
): Promise<void> {
  const isWanted =
    options.promote || (!options.json && (await context.terminal?.confirm(`Promote ${schema} now?`, signal)));
  if (isWanted) {
    await promoteStandby(pool, group, id);
    printPromoted(context, options, group, schema);
    return;
  }
  printEither(context, options, { event: 'standby', projection_version: schema }, () =>
    [
      `${schema} is on standby. Next:`,
      ...columns([
        [`  gatebook projections diff ${group.name}`, 'compare it with the live one'],
        [`  gatebook projections promote ${group.name}`, 'make it live'],
        [`  gatebook projections drop ${schema}`, 'drop it'],
      ]),
    ].join('\n'),
  );
}

/** Shows a progress bar on a terminal, elsewhere a line now and then. */
async function showProgress(
  context: CliContext,
  operator: Operator,
  schema: string,
  options: Json,
  signal: AbortSignal,
): Promise<'ready' | 'interrupted'> {
  const bar = options.json ? null : (context.terminal?.startBar(schema) ?? null);
  let printedAt = Number.NEGATIVE_INFINITY;
  const show = (progress: Progress) => {
    if (bar) return bar.show(progress);
    if (performance.now() - printedAt < progressLineMs) return;
    printedAt = performance.now();
    printEither(context, options, progressJson(schema, progress), () => progressText(schema, progress));
  };
  try {
    return await followRebuild(operator, schema, show, signal);
  } finally {
    bar?.stop();
  }
}

const percentOf = ({ position, total }: Progress) => (total === 0 ? 100 : Math.floor((position * 100) / total));

const progressJson = (schema: string, progress: Progress) => ({
  event: 'progress',
  projection_version: schema,
  position: progress.position,
  head: progress.total,
  percent: percentOf(progress),
  events_per_second: Math.round(progress.rate),
  seconds_left: progress.secondsLeft === null ? null : Math.round(progress.secondsLeft),
});

function progressText(schema: string, progress: Progress): string {
  const left = progress.secondsLeft === null ? '' : `, ${duration(progress.secondsLeft)} left`;
  const rate = count(Math.round(progress.rate));
  return `${schema}  ${percentOf(progress)} %  ${count(progress.position)} of ${count(progress.total)} events  ${rate} events/s${left}`;
}

async function diff(context: CliContext, name: string, options: Json & { with?: string }): Promise<void> {
  const comparison = await withOperator(context, async (operator) => {
    const { pool, store } = operator;
    const group = findGroup(operator, name);
    return orRejected(async () => {
      const other = await findOther(operator, group, options.with);
      return whileProjected(operator, group, () => compareWithLive({ pool, store, group }, other.id));
    });
  });
  context.print(options.json ? json(comparisonToWire(comparison)) : comparisonText(comparison).join('\n'));
  if (!comparison.isEqual) {
    throw new CommandError(`${comparison.other} differs from ${comparison.live}.`, exitCodes.problemFound);
  }
}

/** The standby version, or the previous one if there is no standby. */
async function findOther(
  { pool }: Operator,
  group: ProjectionGroup,
  schema: string | undefined,
): Promise<ProjectionVersion> {
  if (schema !== undefined) return findProjectionVersion(pool, schema);
  const all = await listProjectionVersions(pool, group.name);
  const other = all.find(({ isStandby }) => isStandby) ?? all.find(({ status }) => status === 'previous');
  if (other) return other;
  throw new CommandError(
    `There is only one projection version of ${group.name}. Build another: gatebook projections rebuild ${group.name}`,
  );
}

const describeQuarantined = (version: string, projects: readonly string[]) =>
  projects.length === 0 ? [] : ['', `Quarantined in ${version}, so their rows can differ: ${projects.join(', ')}`];

function comparisonText({ live, other, position, isEqual, tables, quarantined }: Comparison): string[] {
  const numbers = ({ table, rowsLive, rowsOther, onlyLive, onlyOther, changed }: TableComparison) => [
    table,
    ...[rowsLive, rowsOther, onlyLive, onlyOther, changed].map(count),
  ];
  const header = ['TABLE', live, other, `ONLY IN ${live}`, `ONLY IN ${other}`, 'CHANGED'];
  const differing = tables.filter(({ first }) => first.length > 0);
  return [
    `Both at position ${count(position)}:`,
    '',
    ...columns([header, ...tables.map(numbers)], [1, 2, 3, 4, 5]),
    ...differing.flatMap(({ table, first }) => [
      '',
      `First differing rows of ${table}:`,
      ...first.map(({ key, how, columns: names }) => `  ${describeKey(key)}  ${describeHow(how, names, live, other)}`),
    ]),
    ...(isEqual ? ['', 'All rows are equal.'] : []),
    ...describeQuarantined(live, quarantined.live),
    ...describeQuarantined(other, quarantined.other),
  ];
}

const describeKey = (key: Readonly<Record<string, unknown>>) =>
  Object.entries(key)
    .map(([column, value]) => `${column}=${value}`)
    .join(' ');

function describeHow(how: string, names: readonly string[], live: string, other: string): string {
  if (how === 'changed') return `differs in ${names.join(', ')}`;
  return `only in ${how === 'only-live' ? live : other}`;
}

async function promote(context: CliContext, name: string, options: Json): Promise<void> {
  await withOperator(context, async (operator) => {
    const { pool } = operator;
    const group = findGroup(operator, name);
    const schema = await orRejected(() =>
      whileProjected(operator, group, async () => {
        const standby = await findStandby(pool, group.name);
        await promoteStandby(pool, group, standby.id);
        return standby.schema;
      }),
    );
    printPromoted(context, options, group, schema);
  });
}

async function rollback(context: CliContext, name: string, options: Json): Promise<void> {
  await withOperator(context, async (operator) => {
    const group = findGroup(operator, name);
    const schema = await orRejected(() => whileProjected(operator, group, () => rollBack(operator.pool, group)));
    printEither(
      context,
      options,
      { event: 'rolled_back', projection_version: schema },
      () => `${schema} is live again for ${group.name}.`,
    );
  });
}

function printPromoted(context: CliContext, options: Json, { name }: ProjectionGroup, schema: string): void {
  printEither(
    context,
    options,
    { event: 'promoted', projection_version: schema },
    () => `${schema} is now live for ${name}. To undo: gatebook projections rollback ${name}`,
  );
}

async function drop(context: CliContext, schema: string, options: Json): Promise<void> {
  await withOperator(context, async ({ pool }) => {
    await orRejected(async () => discard(pool, await findProjectionVersion(pool, schema)));
    printEither(context, options, { event: 'dropped', projection_version: schema }, () => `Dropped ${schema}.`);
  });
}

/** Turns a rejected operation into an error message of the command. */
async function orRejected<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof OperationRejectedError ? new CommandError(error.message) : error;
  }
}

function printEither({ print }: CliContext, options: Json, value: object, text: () => string): void {
  print(options.json ? json(value) : text());
}
