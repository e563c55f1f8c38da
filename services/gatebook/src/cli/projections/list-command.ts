import { type OperationsAtHead, operationsAtHead } from '@gatebook/projections/operations/at-head';
import { operationsStatus, type ProjectionVersionRow } from '@gatebook/projections/operations/queries';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { withOperator } from '../operator.ts';
import { columns, count, json } from '../text.ts';
import type { Json } from './operations.ts';
import { printQuarantines } from './release-command.ts';

/** `gatebook projections list` */
export function addListCommand(projections: Command, context: CliContext): void {
  projections
    .command('list')
    .description('list projection versions and all other subscriptions of the log')
    .option('--json', 'print JSON', false)
    .action((options: Json) => listProjections(context, options));
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
