import { type StateDiffView, StateTargetType } from '@gatebook/contract/as-of';
import type { AuditEventListView } from '@gatebook/contract/audit';
import { Argument, type Command } from 'commander';
import { parseMoment } from './at-command.ts';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { describeDiff } from './history-text.ts';
import { type OwnerApi, type OwnerOptions, openOwnerApi, projectOption, queryOf } from './owner-api.ts';

type DiffOptions = OwnerOptions & { from: string; to?: string };
type Asked = { thing: string; id: string | undefined };

const things = StateTargetType.options.map((type) => type.replaceAll('_', '-'));
/** There is one per project. */
const withoutId = ['project', 'settings'];

/** `gatebook diff user <id> --from "2026-11-01 12:00"` */
export function addDiffCommand(program: Command, context: CliContext): void {
  program
    .command('diff')
    .description('compare a user, a team or settings of a project at two moments, for its owners')
    .addArgument(new Argument('<what>', 'what to compare').choices(things))
    .argument(
      '[id]',
      'not for project and settings; of a membership: <team>.<user>; of a template in a language: <type>.<language>',
    )
    .requiredOption('--from <moment>', 'a time such as "2026-11-01 12:00" (local), or the ID of an event')
    .option('--to <moment>', 'likewise; without it: now')
    .addOption(projectOption())
    .option('--json', 'print JSON', false)
    .action((thing: string, id: string | undefined, options: DiffOptions) => diff(context, { thing, id }, options));
}

async function diff(
  context: CliContext,
  { thing, id }: Asked,
  { from, to, project, json }: DiffOptions,
): Promise<void> {
  if (withoutId.includes(thing) !== (id === undefined)) {
    const form = withoutId.includes(thing) ? thing : `${thing} <id>`;
    throw new CommandError(`Expected: gatebook diff ${form} --from <moment>`, exitCodes.usage);
  }
  const moments = { from: parseMoment(from), to: to === undefined ? undefined : parseMoment(to) };
  const api = await openOwnerApi(context, project);
  const query = queryOf({
    target_type: thing.replaceAll('-', '_'),
    target_id: id,
    from: moments.from,
    to: moments.to ?? (await findNewestEvent(api)) ?? moments.from,
  });
  const found = await api.read<StateDiffView>(`/internal/state-diffs${query}`);
  if (json) return context.print(JSON.stringify(found));
  for (const line of describeDiff(found)) context.print(line);
}

/** Now, whatever the clock of this machine says. */
async function findNewestEvent({ read }: OwnerApi): Promise<string | undefined> {
  const query = queryOf({ limit: 1, outcome: 'success', include_technical: true });
  const { items } = await read<AuditEventListView>(`/internal/audit-events${query}`);
  return items[0]?.id;
}
