import { askForRebuild, findProjectionVersion, promoteStandby } from '@gatebook/projections/operations/rebuilds';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import type { ProjectionVersion } from '@gatebook/projections/projection-versions';
import type { Command } from 'commander';
import type { CliContext, Progress } from '../cli-context.ts';
import { findGroup, type Operator, withOperator } from '../operator.ts';
import { whileProjected } from '../projecting.ts';
import { columns, count, duration } from '../text.ts';
import { followRebuild } from './follow-rebuild.ts';
import { groupDescription, type Json, orRejected, printEither, printPromoted } from './operations.ts';

/** Without a progress bar, one line in this time. */
const progressLineMs = 2000;

type RebuildOptions = Json & { promote: boolean };

/** `gatebook projections rebuild [group]` */
export function addRebuildCommand(projections: Command, context: CliContext): void {
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
    .action((group: string, options: RebuildOptions) => rebuild(context, group, options));
}

async function rebuild(context: CliContext, name: string, options: RebuildOptions): Promise<void> {
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
  options: RebuildOptions,
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
