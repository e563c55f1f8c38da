import { operationsStatus, type QuarantineStatus } from '@gatebook/projections/operations/queries';
import { requestRelease } from '@gatebook/projections/quarantine/quarantine';
import { pause } from '@gatebook/runtime/pause';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from '../cli-context.ts';
import { type Operator, withOperator } from '../operator.ts';
import { whileProjected } from '../projecting.ts';
import { columns, count, json } from '../text.ts';

type ReleaseOptions = { json: boolean; wait: number };
type Result = { subscription: string; projection_version: string | null; state: string; error: string | null };

const waitSeconds = 30;
const pollMs = 250;

/** `gatebook projections release <project>` */
export function addReleaseCommand(projections: Command, context: CliContext): void {
  projections
    .command('release')
    .description('retry the waiting events of a quarantined project in all projections and reactors')
    .argument('<project>', 'ID of the project; `projections list` shows quarantined projects')
    .option('--wait <seconds>', 'wait this long for the result', Number, waitSeconds)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExits with 0 when the project is released, with 5 when it is still quarantined.')
    .action((projectId: string, options: ReleaseOptions) => release(context, projectId, options));
}

export function printQuarantines({ print }: CliContext, quarantines: readonly QuarantineStatus[]): void {
  if (quarantines.length === 0) return;
  print('');
  const rows = quarantines.map((one) => [
    one.projectId,
    one.projectionVersion ?? one.subscription,
    count(one.position),
    new Date(one.since).toISOString().slice(0, 16).replace('T', ' '),
    one.error,
  ]);
  const header = ['QUARANTINED PROJECT', 'IN', 'POSITION', 'SINCE (UTC)', 'ERROR'];
  for (const line of columns([header, ...rows], [2])) print(line);
}

async function release(context: CliContext, projectId: string, options: ReleaseOptions): Promise<void> {
  const isReleased = await withOperator(context, async (operator, signal) => {
    const [main] = operator.groups;
    const asked = await requestRelease(operator.pool, { projectId });
    if (asked.length === 0 || !main)
      throw new CommandError(`Project ${projectId} is not quarantined.`, exitCodes.usage);
    const names = asked.map(({ subscriber }) => subscriber);
    const results = await whileProjected(operator, main, () =>
      waitForResults(operator, projectId, names, options, signal),
    );
    if (options.json) context.print(json(results));
    else for (const line of columns([['IN', 'STATE', 'ERROR'], ...results.map(rowOf)])) context.print(line);
    return results.every(({ state }) => state === 'released');
  });
  if (!isReleased) throw new CommandError(`Project ${projectId} is still quarantined.`, exitCodes.problemFound);
}

const rowOf = ({ subscription, projection_version, state, error }: Result) => [
  projection_version ?? subscription,
  state,
  error ?? '',
];

/** Until every subscription has tried, or the time is up: then its process does not run, or has much to do. */
async function waitForResults(
  { pool }: Operator,
  projectId: string,
  names: readonly string[],
  { wait }: ReleaseOptions,
  signal: AbortSignal,
): Promise<Result[]> {
  const asked = Date.now();
  for (;;) {
    const status = await operationsStatus(pool);
    const results = names.map((name): Result => {
      const found = status.quarantines.find(
        (one) => one.projectId === projectId && (one.projectionVersion ?? one.subscription) === name,
      );
      const version = status.projectionVersions.find(({ id }) => id === name);
      const place = { subscription: version?.group ?? name, projection_version: version?.id ?? null };
      if (!found) return { ...place, state: 'released', error: null };
      const isWaiting = found.retryAt !== null && found.retryAt <= status.now;
      return { ...place, state: isWaiting ? 'waiting' : 'quarantined', error: found.error };
    });
    const isDone = results.every(({ state }) => state !== 'waiting');
    if (isDone || signal.aborted || Date.now() - asked > wait * 1000) return results;
    await pause(pollMs, signal);
  }
}
