import { type OperationsAtHead, operationsAtHead } from '@gatebook/readmodel/operations/at-head';
import { type Comparison, compareWithLive, type TableComparison } from '@gatebook/readmodel/operations/compare';
import { operationsStatus, type ProjectionVersionRow } from '@gatebook/readmodel/operations/queries';
import {
  askForRebuild,
  discard,
  findProjectionVersion,
  findStandby,
  OperationRejectedError,
  promoteStandby,
  rollBack,
} from '@gatebook/readmodel/operations/rebuilds';
import { comparisonToWire } from '@gatebook/readmodel/operations/wire';
import type { ProjectionGroup } from '@gatebook/readmodel/projection-groups';
import { listProjectionVersions, type ProjectionVersion } from '@gatebook/readmodel/projection-versions';
import type { Command } from 'commander';
import { followRebuild } from './follow-rebuild.ts';
import { type Operator, setNamed, withOperator } from './operator.ts';
import { whileProjected } from './projecting.ts';
import { CommandError, exitCodes, type Progress, type Surroundings } from './surroundings.ts';
import { columns, count, duration, json } from './text.ts';

type Json = { json: boolean };

const setWords = 'main (what the API reads) or metrics (owners’ figures)';
/** Where no bar can be drawn, a line so often. */
const lineMs = 2000;

/** `gatebook projections …`: what operators do with read models. */
export function addProjectionsCommands(program: Command, surroundings: Surroundings): Command {
  const projections = program.command('projections').description('look at read models, rebuild and switch them');
  projections
    .command('list')
    .description('the projection versions of read models and everything else that follows the log')
    .option('--json', 'JSON for programs', false)
    .action((options: Json) => listProjections(surroundings, options));
  projections
    .command('rebuild')
    .description('build a set of read models anew from the log, beside the one that is read')
    .argument('[set]', setWords, 'main')
    .option('--switch', 'switch to it when it is ready, without asking', false)
    .option('--json', 'lines of JSON for programs', false)
    .addHelpText(
      'after',
      '\nWithout --switch it asks on a terminal, and elsewhere leaves the new projection version waiting.',
    )
    .action((set: string, options: Json & { switch: boolean }) => rebuild(surroundings, set, options));
  projections
    .command('diff')
    .description(
      'compare the projection version that waits, or is kept, with the live one, row by row at the same position',
    )
    .argument('[set]', setWords, 'main')
    .option('--with <projection version>', 'another one, by its name in `projections list`')
    .option('--json', 'JSON for programs', false)
    .addHelpText('after', '\nEnds with 0 when they are equal, with 5 when they differ.')
    .action((set: string, options: Json & { with?: string }) => diff(surroundings, set, options));
  projections
    .command('switch')
    .description('read from the projection version that waits; the one read so far is kept at the head')
    .argument('[set]', setWords, 'main')
    .option('--back', 'read from the one that was read before', false)
    .option('--json', 'JSON for programs', false)
    .action((set: string, options: Json & { back: boolean }) => switchOver(surroundings, set, options));
  projections
    .command('drop')
    .description('throw a projection version away that waits or is kept')
    .argument('<projection_version>', 'its name in `projections list`')
    .option('--json', 'JSON for programs', false)
    .action((schema: string, options: Json) => drop(surroundings, schema, options));
  return projections;
}

async function listProjections(surroundings: Surroundings, options: Json): Promise<void> {
  await withOperator(surroundings, async ({ pool, store }) => {
    const operations = () => operationsStatus(pool);
    const { head, subscriptions, projectionVersions } = await operationsAtHead({ operations, store });
    const reactors = subscriptions.filter(({ projectionVersion }) => projectionVersion === null);
    if (options.json) {
      surroundings.say(
        json({
          head,
          projectionVersions: projectionVersions.map(toJson),
          subscriptions: reactors.map(({ name, position, lag, error }) => ({ name, position, lag, error })),
        }),
      );
      return;
    }
    surroundings.say(`The log's head is at position ${count(head)}.\n`);
    const rows = projectionVersions.map((projectionVersion) => [
      ...[projectionVersion.set, projectionVersion.id, String(projectionVersion.version), stateOf(projectionVersion)],
      ...[
        count(projectionVersion.position),
        count(projectionVersion.lag),
        timeOf(projectionVersion).slice(0, 16).replace('T', ' '),
      ],
    ]);
    const header = ['SET', 'PROJECTION_VERSION', 'VERSION', 'STATE', 'POSITION', 'BEHIND', 'MADE (UTC)'];
    for (const line of columns([header, ...rows], [2, 4, 5])) surroundings.say(line);
    surroundings.say('');
    const others = reactors.map(({ name, position, lag, state }) => [name, state, count(position), count(lag)]);
    for (const line of columns([['SUBSCRIPTION', 'STATE', 'POSITION', 'BEHIND'], ...others], [2, 3]))
      surroundings.say(line);
    for (const { id, error } of projectionVersions)
      if (error !== null) surroundings.say(`\n${id} has stopped: ${error}`);
    for (const { name, error } of reactors) if (error) surroundings.say(`\n${name} fails: ${error}`);
  });
}

function stateOf({ state, isStandby, isReady, error }: ProjectionVersionRow): string {
  if (error !== null) return 'stopped';
  if (state === 'previous') return 'kept';
  if (state === 'building' && isStandby) return isReady ? 'waiting' : 'rebuilding';
  return state;
}

const timeOf = ({ createdAt }: ProjectionVersionRow) => new Date(createdAt).toISOString();

const toJson = (projectionVersion: OperationsAtHead['projectionVersions'][number]) => ({
  set: projectionVersion.set,
  projectionVersion: projectionVersion.id,
  version: projectionVersion.version,
  state: stateOf(projectionVersion),
  position: projectionVersion.position,
  created_at: timeOf(projectionVersion),
  error: projectionVersion.error,
  lag: projectionVersion.lag,
});

async function rebuild(surroundings: Surroundings, name: string, options: Json & { switch: boolean }): Promise<void> {
  await withOperator(surroundings, async (operator, signal) => {
    const set = setNamed(operator, name);
    await orRejected(() =>
      whileProjected(operator, set, async () => {
        const { projectionVersion, isNew } = await askForRebuild(operator.pool, set);
        const { schema } = projectionVersion;
        say(surroundings, options, { event: isNew ? 'asked' : 'asked_before', projectionVersion: schema }, () =>
          isNew ? `Building ${schema}; the API goes on.` : `${schema} was asked for before.`,
        );
        const start = performance.now();
        if ((await watch(surroundings, operator, schema, options, signal)) === 'interrupted') {
          say(surroundings, options, { event: 'interrupted', projectionVersion: schema }, () =>
            operator.database.kind === 'started'
              ? `\nStopped. ${schema} goes on when Gatebook runs, or at the next \`projections rebuild ${name}\`.`
              : `\n${schema} goes on being built; \`projections rebuild ${name}\` watches it again.`,
          );
          return;
        }
        const { position } = await findProjectionVersion(operator.pool, schema);
        const seconds = (performance.now() - start) / 1000;
        say(
          surroundings,
          options,
          { event: 'ready', projectionVersion: schema, position, seconds },
          () => `${schema} is ready at position ${count(position)}, after ${duration(seconds)}.`,
        );
        await offerPromotion(surroundings, operator, set, projectionVersion, options, signal);
      }),
    );
  });
}

async function offerPromotion(
  surroundings: Surroundings,
  { pool }: Operator,
  set: ProjectionGroup,
  { id, schema }: ProjectionVersion,
  options: Json & { switch: boolean },
  signal: AbortSignal,
): Promise<void> {
  const isWanted =
    options.switch || (!options.json && (await surroundings.terminal?.ask(`Switch to ${schema} now?`, signal)));
  if (isWanted) {
    await promoteStandby(pool, set, id);
    say(surroundings, options, { event: 'switched', projectionVersion: schema }, () => switchedText(set, schema));
    return;
  }
  say(surroundings, options, { event: 'waiting', projectionVersion: schema }, () =>
    [
      'It waits at the head of the log. Next:',
      ...columns([
        [`  gatebook projections diff ${set.name}`, 'compares it with the live one'],
        [`  gatebook projections switch ${set.name}`, 'reads from it'],
        [`  gatebook projections drop ${schema}`, 'throws it away'],
      ]),
    ].join('\n'),
  );
}

/** A bar for somebody who watches, else a line now and then. */
async function watch(
  surroundings: Surroundings,
  operator: Operator,
  schema: string,
  options: Json,
  signal: AbortSignal,
): Promise<'ready' | 'interrupted'> {
  const bar = options.json ? null : (surroundings.terminal?.startBar(schema) ?? null);
  let saidAt = Number.NEGATIVE_INFINITY;
  const show = (progress: Progress) => {
    if (bar) return bar.show(progress);
    if (performance.now() - saidAt < lineMs) return;
    saidAt = performance.now();
    say(surroundings, options, progressJson(schema, progress), () => progressText(schema, progress));
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
  projectionVersion: schema,
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

async function diff(surroundings: Surroundings, name: string, options: Json & { with?: string }): Promise<void> {
  const comparison = await withOperator(surroundings, async (operator) => {
    const { pool, store } = operator;
    const set = setNamed(operator, name);
    return orRejected(async () => {
      const other = await otherOf(operator, set, options.with);
      return whileProjected(operator, set, () => compareWithLive({ pool, store, set }, other.id));
    });
  });
  surroundings.say(options.json ? json(comparisonToWire(comparison)) : comparisonText(comparison).join('\n'));
  if (!comparison.isEqual) {
    throw new CommandError(`${comparison.other} is not what ${comparison.live} is.`, exitCodes.found);
  }
}

/** The one that waits for a switch, else the one that is kept from the last. */
async function otherOf(
  { pool }: Operator,
  set: ProjectionGroup,
  schema: string | undefined,
): Promise<ProjectionVersion> {
  if (schema !== undefined) return findProjectionVersion(pool, schema);
  const all = await listProjectionVersions(pool, set.name);
  const other = all.find(({ isStandby }) => isStandby) ?? all.find(({ status }) => status === 'previous');
  if (other) return other;
  throw new CommandError(
    `There is only one projection version of ${set.name}. Build another: gatebook projections rebuild ${set.name}`,
  );
}

function comparisonText({ live, other, position, isEqual, tables }: Comparison): string[] {
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
      `${table}, the first that differ:`,
      ...first.map(({ key, how, columns: names }) => `  ${describeKey(key)}  ${describeHow(how, names, live, other)}`),
    ]),
    ...(isEqual ? ['', 'Every row is the same.'] : []),
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

async function switchOver(surroundings: Surroundings, name: string, options: Json & { back: boolean }): Promise<void> {
  await withOperator(surroundings, async (operator) => {
    const { pool } = operator;
    const set = setNamed(operator, name);
    const schema = await orRejected(() =>
      whileProjected(operator, set, async () => {
        if (options.back) return rollBack(pool, set);
        const held = await findStandby(pool, set.name);
        await promoteStandby(pool, set, held.id);
        return held.schema;
      }),
    );
    say(surroundings, options, { event: 'switched', projectionVersion: schema }, () => switchedText(set, schema));
  });
}

const switchedText = ({ name }: ProjectionGroup, schema: string) =>
  `${name} is read from ${schema} now. Back again: gatebook projections switch ${name} --back`;

async function drop(surroundings: Surroundings, schema: string, options: Json): Promise<void> {
  await withOperator(surroundings, async ({ pool }) => {
    await orRejected(async () => discard(pool, await findProjectionVersion(pool, schema)));
    say(surroundings, options, { event: 'dropped', projectionVersion: schema }, () => `${schema} is dropped.`);
  });
}

/** What can't be done as things stand is told in words, as any other end of a command. */
async function orRejected<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof OperationRejectedError ? new CommandError(error.message) : error;
  }
}

function say({ say: print }: Surroundings, options: Json, value: object, text: () => string): void {
  print(options.json ? json(value) : text());
}
